/* SPDX-License-Identifier: MIT */
#include "tools/measure.h"

#include <float.h>
#include <math.h>

#include "host/math/vec3.h"

sn_result sn_measure_init(const sn_model *model, sn_arena *arena, sn_measure *measure)
{
    *measure = (sn_measure){.edge_stretch_max = 0};
    measure->inverted_runs = SN_NEW(arena, int32_t, model->counts.tet_count);
    return measure->inverted_runs ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_inverted(const int32_t *tet, const double *positions)
{
    const double *o = positions + 3 * (size_t)tet[0];
    double e[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < 3; ++d) {
            e[i][d] = positions[3 * (size_t)tet[i + 1] + (size_t)d] - o[d];
        }
    }
    const double x = e[1][1] * e[2][2] - e[1][2] * e[2][1], y = e[1][2] * e[2][0] - e[1][0] * e[2][2];
    const double z = e[1][0] * e[2][1] - e[1][1] * e[2][0];
    return e[0][0] * x + e[0][1] * y + e[0][2] * z <= 0;
}

static void measure_edges(const sn_model *model, const double *positions, const double *rig_positions,
                          sn_measure *measure)
{
    for (int i = 0; i < model->counts.triangle_count; ++i) {
        const int32_t *triangle = model->triangles + 3 * (size_t)i;
        for (int side = 0; side < 3; ++side) {
            const size_t a = 3 * (size_t)triangle[side], b = 3 * (size_t)triangle[(side + 1) % 3];
            const double rig_length = sn_distance3(rig_positions + a, rig_positions + b);
            if (rig_length > 1e-9 * model->diagonal) {
                measure->edge_stretch_max =
                    fmax(measure->edge_stretch_max, sn_distance3(positions + a, positions + b) / rig_length);
            }
        }
    }
}

static void measure_tets(const sn_model *model, const double *positions, const double *rig_positions,
                         sn_measure *measure)
{
    for (int t = 0; t < model->counts.tet_count; ++t) {
        const int32_t *tet = model->tets + 4 * (size_t)t;
        const bool is_worse = is_inverted(tet, positions) && !is_inverted(tet, rig_positions);
        measure->inverted_runs[t] = is_worse ? measure->inverted_runs[t] + 1 : 0;
        if (measure->inverted_runs[t] > measure->inverted_frames) {
            measure->inverted_frames = measure->inverted_runs[t];
        }
    }
}

void sn_measure_frame(const sn_model *model, const double *positions, const double *rig_positions, sn_measure *measure)
{
    double lowest = DBL_MAX, rig_lowest = DBL_MAX, furthest = 0;
    for (size_t v = 0; v < (size_t)model->counts.vertex_count; ++v) {
        furthest = fmax(furthest, sn_distance3(positions + 3 * v, rig_positions + 3 * v));
        lowest = fmin(lowest, positions[3 * v + 1]);
        rig_lowest = fmin(rig_lowest, rig_positions[3 * v + 1]);
    }
    measure->displacement_max = fmax(measure->displacement_max, furthest / model->diagonal);
    measure->ground_penetration_max = fmax(measure->ground_penetration_max, (rig_lowest - lowest) / model->diagonal);
    measure_edges(model, positions, rig_positions, measure);
    measure_tets(model, positions, rig_positions, measure);
}
