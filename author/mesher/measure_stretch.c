/* SPDX-License-Identifier: MIT */
/* Counts edges that the rig alone stretches. Nodes take the skinning weights of their nearest surface point, interior
 * nodes are harmonic, and weights are smoothed as in a cook. The test poses differ from those of the mesher and the
 * smoothing. */
#include <math.h>
#include <string.h>

#include "author/mesher/measures.h"
#include "author/mesher/motion.h"
#include "author/mesher/smooth.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define MAX_STRETCH 3.0
#define SEED UINT64_C(0x5eed0f3ea5)
#define HARMONIC_PASSES 12
#define MAX_WEIGHT_COUNT ((size_t)1 << 25)

typedef struct stretcher {
    sn_tet_mesh mesh; /* in unit coordinates */
    size_t bone_count;
    sn_node_graph graph;
    double *weights;  /* (vertex_count x bone_count) */
    double *origins;  /* (bone_count x 3), unit coordinates */
    double *moved;    /* (vertex_count x 3) in the current pose */
    uint8_t *is_long; /* (graph's edges) stored at the lower vertex */
} stretcher;

static bool start_stretcher(const sn_measured *m, stretcher *s, sn_arena *scratch)
{
    const sn_surface *surface = m->surface;
    const size_t n = (size_t)s->mesh.vertex_count;
    double *positions = SN_NEW(scratch, double, 3 * n);
    s->weights = SN_NEW(scratch, double, n * s->bone_count);
    s->origins = SN_NEW(scratch, double, 3 * s->bone_count);
    s->moved = SN_NEW(scratch, double, 3 * n);
    if (!positions || !s->weights || !s->origins || !s->moved ||
        sn_node_graph_build(&s->mesh, scratch, &s->graph) != SN_OK) {
        return false;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (s->mesh.positions[i] - surface->origin[i % 3]) / surface->scale;
    }
    for (size_t i = 0; i < 3 * s->bone_count; ++i) {
        s->origins[i] = (surface->input->bone_origins[i] - surface->origin[i % 3]) / surface->scale;
    }
    s->mesh.positions = positions;
    s->is_long = SN_NEW(scratch, uint8_t, s->graph.starts[n]);
    return s->is_long != NULL;
}

static void copy_surface_weights(const sn_measured *m, stretcher *s)
{
    const sn_mesher_input *input = m->surface->input;
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const int32_t t = m->output->node_triangles[v];
        for (size_t k = 0; k < 3 && t >= 0; ++k) {
            const int32_t corner = input->triangles[3 * (size_t)t + k];
            const double fraction = m->output->node_barycentric[3 * (size_t)v + k];
            for (int32_t i = input->influence_starts[corner]; i < input->influence_starts[corner + 1]; ++i) {
                s->weights[(size_t)v * s->bone_count + (size_t)input->influence_bones[i]] +=
                    fraction * input->influence_weights[i];
            }
        }
    }
}

/* Averages the neighbours that have weights. Returns false if none has. */
static bool average_neighbours(const stretcher *s, int32_t node, const bool *is_set, double *row)
{
    const sn_node_graph *graph = &s->graph;
    int count = 0;
    memset(row, 0, s->bone_count * sizeof *row);
    for (int32_t i = graph->starts[node]; i < graph->starts[node + 1]; ++i) {
        const double *other = s->weights + (size_t)graph->others[i] * s->bone_count;
        count += is_set[graph->others[i]];
        for (size_t b = 0; b < s->bone_count && is_set[graph->others[i]]; ++b) {
            row[b] += other[b];
        }
    }
    for (size_t b = 0; b < s->bone_count && count > 0; ++b) {
        row[b] /= count;
    }
    return count > 0;
}

/* Fills interior nodes by Gauss-Seidel passes in alternating directions. */
static bool fill_inside(const sn_measured *m, stretcher *s, sn_arena *scratch)
{
    const int32_t *triangles = m->output->node_triangles;
    bool *is_set = SN_NEW(scratch, bool, s->mesh.vertex_count);
    double *row = SN_NEW(scratch, double, s->bone_count);
    if (!is_set || !row) {
        return false;
    }
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        is_set[v] = triangles[v] >= 0;
    }
    for (int pass = 0; pass < HARMONIC_PASSES; ++pass) {
        for (int step = 0; step < s->mesh.vertex_count; ++step) {
            const int32_t v = pass % 2 ? s->mesh.vertex_count - 1 - step : step;
            if (triangles[v] < 0 && average_neighbours(s, v, is_set, row)) {
                memcpy(s->weights + (size_t)v * s->bone_count, row, s->bone_count * sizeof *row);
                is_set[v] = true;
            }
        }
    }
    return true;
}

static void pose_nodes(stretcher *s, const double *bones)
{
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const double *weights = s->weights + (size_t)v * s->bone_count, *at = s->mesh.positions + 3 * (size_t)v;
        double sum[3] = {0, 0, 0}, total = 0;
        for (size_t b = 0; b < s->bone_count; ++b) {
            double moved[3];
            if (weights[b] > 1e-4) {
                sn_affine_apply(bones + 12 * b, at, moved);
                total += weights[b];
                for (int d = 0; d < 3; ++d) {
                    sum[d] += weights[b] * moved[d];
                }
            }
        }
        for (int d = 0; d < 3; ++d) {
            s->moved[3 * (size_t)v + (size_t)d] = total > 0 ? sum[d] / total : at[d];
        }
    }
}

/* Flags the edges that this pose stretches too far. */
static void flag_long_edges(stretcher *s)
{
    for (int32_t v = 0; v < s->mesh.vertex_count; ++v) {
        for (int32_t i = s->graph.starts[v]; i < s->graph.starts[v + 1]; ++i) {
            const size_t a = 3 * (size_t)v, b = 3 * (size_t)s->graph.others[i];
            s->is_long[i] |= b > a && sn_distance3(s->moved + a, s->moved + b) >
                                          MAX_STRETCH * sn_distance3(s->mesh.positions + a, s->mesh.positions + b);
        }
    }
}

static sn_result stretch(const sn_measured *m, stretcher *s, sn_arena *scratch)
{
    sn_motion poses;
    const sn_mesher_input *input = m->surface->input;
    const sn_smoothing smoothing = {
        &s->mesh, &s->graph, {input->bone_count, input->bone_parents, s->origins}, s->weights, input->worker_count};
    SN_TRY(fill_inside(m, s, scratch) ? sn_weights_smooth(&smoothing) : SN_ERROR_MEMORY);
    SN_TRY(sn_motion_random(m->surface, SEED, scratch, &poses));
    for (int p = 0; p < poses.pose_count; ++p) {
        pose_nodes(s, poses.bones + 12 * (size_t)p * s->bone_count);
        flag_long_edges(s);
    }
    return SN_OK;
}

sn_result sn_measure_stretch(const sn_measured *measured, sn_mesher_report *report)
{
    sn_arena scratch = {0};
    stretcher s = {.mesh = measured->output->mesh, .bone_count = (size_t)measured->surface->input->bone_count};
    report->stretch_count = 0;
    if (s.bone_count == 0 || (size_t)s.mesh.vertex_count * s.bone_count > MAX_WEIGHT_COUNT) {
        return SN_OK;
    }
    sn_result result = start_stretcher(measured, &s, &scratch) ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        copy_surface_weights(measured, &s);
        result = stretch(measured, &s, &scratch);
    }
    for (int32_t i = 0; result == SN_OK && i < s.graph.starts[s.mesh.vertex_count]; ++i) {
        report->stretch_count += s.is_long[i];
    }
    sn_arena_finish(&scratch);
    return result;
}
