/* SPDX-License-Identifier: MIT */
#include "tools/sim/measure.h"

#include <math.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

/* Tets that the rig compresses below this fraction of their volume are not counted as inverted. */
#define CRUSHED 0.1

/* Six times the signed volume of a tet. For a flat body's triangle: twice its area, positive if it faces like `front`.
 */
static double volume(const int32_t *tet, const double *positions, const double *front)
{
    const double *o = positions + 3 * (size_t)tet[0];
    double e[3][3], normal[3];
    for (int i = 0; i < 3; ++i) {
        sn_subtract3(positions + 3 * (size_t)tet[i + 1], o, e[i]);
    }
    sn_cross3(e[1], e[2], normal);
    if (front) {
        sn_cross3(e[0], e[1], normal);
        return sn_dot3(front, normal);
    }
    return sn_dot3(e[0], normal);
}

/* The unit normal of a flat body's triangle; null for a tet. */
static const double *front_of(const sn_model *model, const int32_t *tet, const double *positions, double *normal)
{
    static const double towards_us[3] = {0, 0, 1};
    double e[2][3];
    if (!sn_model_is_flat(model)) {
        return NULL;
    }
    for (int i = 0; i < 2; ++i) {
        sn_subtract3(positions + 3 * (size_t)tet[i + 1], positions + 3 * (size_t)tet[0], e[i]);
    }
    sn_cross3(e[0], e[1], normal);
    sn_normalize3(normal, towards_us);
    return normal;
}

sn_result sn_measure_init(const sn_model *model, sn_arena *arena, sn_measure *measure)
{
    *measure = (sn_measure){.floor = -INFINITY};
    const size_t tets = (size_t)model->counts.tet_count, n = 3 * (size_t)model->counts.vertex_count;
    double *rest = SN_NEW(arena, double, n);
    measure->inverted_runs = SN_NEW(arena, int32_t, tets);
    measure->rest_volumes = SN_NEW(arena, double, tets);
    if (!rest || !measure->inverted_runs || !measure->rest_volumes) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        rest[i] = (double)model->rest_positions[i];
    }
    for (size_t t = 0; t < tets; ++t) {
        double normal[3];
        const int32_t *tet = model->tets + 4 * t;
        measure->rest_volumes[t] = volume(tet, rest, front_of(model, tet, rest, normal));
    }
    return SN_OK;
}

static double rest_distance(const sn_model *model, size_t a, size_t b)
{
    double square = 0;
    for (size_t d = 0; d < 3; ++d) {
        const double difference = (double)model->surface_positions[a + d] - (double)model->surface_positions[b + d];
        square += difference * difference;
    }
    return sqrt(square);
}

static void measure_edges(const sn_model *model, const double *positions, const double *rig_positions,
                          sn_measure *measure)
{
    for (int i = 0; i < model->counts.surface_triangle_count; ++i) {
        const int32_t *triangle = model->surface_triangles + 3 * (size_t)i;
        for (int side = 0; side < 3; ++side) {
            const size_t a = 3 * (size_t)triangle[side], b = 3 * (size_t)triangle[(side + 1) % 3];
            const double rig_length = sn_distance3(rig_positions + a, rig_positions + b);
            const double length = fmax(rig_length, rest_distance(model, a, b)); /* the rig may collapse an edge */
            if (length > 1e-9 * model->diagonal) {
                const double stretch = sn_distance3(positions + a, positions + b) / length;
                measure->stretched_vertex =
                    stretch > measure->edge_stretch_max ? triangle[side] : measure->stretched_vertex;
                measure->edge_stretch_max = fmax(measure->edge_stretch_max, stretch);
            }
        }
    }
}

void sn_measure_tets(const sn_model *model, const double *positions, const double *rig_positions, sn_measure *measure)
{
    bool has_inverted = false;
    for (int t = 0; t < model->counts.tet_count; ++t) {
        const int32_t *tet = model->tets + 4 * (size_t)t;
        double normal[3];
        const double *front = front_of(model, tet, rig_positions, normal);
        const bool is_worse = volume(tet, positions, front) <= 0 &&
                              volume(tet, rig_positions, front) > CRUSHED * measure->rest_volumes[t];
        has_inverted |= is_worse;
        measure->inverted_runs[t] = is_worse ? measure->inverted_runs[t] + 1 : 0;
        if (measure->inverted_runs[t] > measure->inverted_frames) {
            measure->inverted_frames = measure->inverted_runs[t];
        }
    }
    measure->inverted_frame_count += has_inverted;
}

/* Vertex position by the bones alone, computed from the influences and independent of the skinning code under test. */
static double bone_distance(const sn_model *model, size_t vertex, const sn_measure_rig *rig, const double *position)
{
    const sn_surface skin = sn_model_surface(model);
    double rest[3], expected[3] = {0};
    sn_skin_morph(&skin, (int)vertex, rig->morphs, rest);
    for (int32_t i = model->influence_starts[vertex]; i < model->influence_starts[vertex + 1]; ++i) {
        double moved[3];
        sn_affine_apply(rig->pose + 12 * (size_t)model->influences[i].bone, rest, moved);
        for (int d = 0; d < 3; ++d) {
            expected[d] += (double)model->influences[i].weight * moved[d];
        }
    }
    return sn_distance3(expected, position);
}

static void measure_solids(const sn_model *model, const double *position, const double *rig_position,
                           sn_measure *measure)
{
    for (int i = 0; i < measure->solid_count; ++i) {
        const double by_rig = fmin(sn_collider_distance(&measure->solids[i], rig_position, NULL), 0);
        const double depth = by_rig - sn_collider_distance(&measure->solids[i], position, NULL);
        measure->solid_penetration_max = fmax(measure->solid_penetration_max, depth / model->diagonal);
    }
}

void sn_measure_surface(const sn_model *model, const double *positions, const double *rig_positions,
                        const sn_measure_rig *rig, sn_measure *measure)
{
    for (size_t v = 0; v < (size_t)model->counts.surface_vertex_count; ++v) {
        const double moved = sn_distance3(positions + 3 * v, rig_positions + 3 * v) / model->diagonal;
        measure->displacement_max = fmax(measure->displacement_max, moved);
        const double lowest = fmin(measure->floor, rig_positions[3 * v + 1]);
        measure->ground_penetration_max =
            fmax(measure->ground_penetration_max, (lowest - positions[3 * v + 1]) / model->diagonal);
        measure_solids(model, positions + 3 * v, rig_positions + 3 * v, measure);
        if (sn_model_is_vertex_rigid(model, v)) {
            measure->rigid_drift_max =
                fmax(measure->rigid_drift_max, bone_distance(model, v, rig, positions + 3 * v) / model->diagonal);
        }
    }
    measure_edges(model, positions, rig_positions, measure);
}
