/* SPDX-License-Identifier: MIT */
/* Edges that the rig alone stretches: nodes take the weights of the surface point that is given for them, the inside is
 * harmonic, four passes smooth it all; then test poses that the mesher never saw. */
#include <math.h>
#include <string.h>

#include "author/mesher/measures.h"
#include "author/mesher/motion.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define TOO_LONG 3.0
#define SEED UINT64_C(0x5eed0f3ea5)
#define HARMONIC_PASSES 12
#define SMOOTHING_PASSES 4
#define LARGEST_WEIGHT_COUNT ((size_t)1 << 26)

typedef struct stretcher {
    const sn_tet_mesh *mesh;
    size_t bone_count;
    int32_t *starts, *others; /* nodes across the edges at each node */
    float *weights;           /* (vertex_count x bone_count) */
    float *smoothed;          /* the same */
    float *moved;             /* (vertex_count x 3), one pose */
} stretcher;

static bool list_edges(stretcher *s, sn_arena *scratch)
{
    const sn_tet_mesh *mesh = s->mesh;
    s->starts = SN_NEW(scratch, int32_t, (size_t)mesh->vertex_count + 2);
    s->others = SN_NEW(scratch, int32_t, 12 * (size_t)mesh->tet_count);
    int32_t *last = SN_NEW(scratch, int32_t, mesh->vertex_count);
    if (!s->starts || !s->others || !last) {
        return false;
    }
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        s->starts[mesh->tets[i] + 2] += 3;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        s->starts[v + 2] += s->starts[v + 1];
    }
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            if (k != i % 4) {
                s->others[s->starts[mesh->tets[i] + 1]++] = mesh->tets[i / 4 * 4 + k];
            }
        }
    }
    /* each other node once */
    int32_t count = 0, first = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        const int32_t end = s->starts[v + 1];
        s->starts[v] = count;
        for (int32_t i = first; i < end; ++i) {
            if (last[s->others[i]] != v + 1) {
                last[s->others[i]] = v + 1;
                s->others[count++] = s->others[i];
            }
        }
        first = end;
    }
    s->starts[mesh->vertex_count] = count;
    return true;
}

static void take_surface_weights(const sn_measured *m, stretcher *s)
{
    const sn_mesher_input *input = m->surface->input;
    for (int v = 0; v < s->mesh->vertex_count; ++v) {
        const int32_t t = m->output->node_triangles[v];
        for (size_t k = 0; k < 3 && t >= 0; ++k) {
            const int32_t corner = input->triangles[3 * (size_t)t + k];
            const double share = m->output->node_barycentric[3 * (size_t)v + k];
            for (int32_t i = input->influence_starts[corner]; i < input->influence_starts[corner + 1]; ++i) {
                s->weights[(size_t)v * s->bone_count + (size_t)input->influence_bones[i]] +=
                    (float)(share * input->influence_weights[i]);
            }
        }
    }
}

/* The mean of the neighbours that have weights; false where none has. */
static bool take_mean(const stretcher *s, int32_t node, const bool *is_set, float *row)
{
    int count = 0;
    memset(row, 0, s->bone_count * sizeof *row);
    for (int32_t i = s->starts[node]; i < s->starts[node + 1]; ++i) {
        const float *other = s->weights + (size_t)s->others[i] * s->bone_count;
        count += is_set[s->others[i]];
        for (size_t b = 0; b < s->bone_count && is_set[s->others[i]]; ++b) {
            row[b] += other[b];
        }
    }
    for (size_t b = 0; b < s->bone_count && count > 0; ++b) {
        row[b] /= (float)count;
    }
    return count > 0;
}

/* Inner nodes: outwards in the order in which a walk reaches them, then Gauss and Seidel. */
static bool fill_inside(const sn_measured *m, stretcher *s, sn_arena *scratch)
{
    const int32_t *triangles = m->output->node_triangles;
    bool *is_set = SN_NEW(scratch, bool, s->mesh->vertex_count);
    float *row = SN_NEW(scratch, float, s->bone_count);
    if (!is_set || !row) {
        return false;
    }
    for (int v = 0; v < s->mesh->vertex_count; ++v) {
        is_set[v] = triangles[v] >= 0;
    }
    for (int pass = 0; pass < HARMONIC_PASSES; ++pass) {
        for (int step = 0; step < s->mesh->vertex_count; ++step) {
            const int32_t v = pass % 2 ? s->mesh->vertex_count - 1 - step : step;
            if (triangles[v] < 0 && take_mean(s, v, is_set, row)) {
                memcpy(s->weights + (size_t)v * s->bone_count, row, s->bone_count * sizeof *row);
                is_set[v] = true;
            }
        }
    }
    return true;
}

static void smooth(stretcher *s)
{
    for (int32_t v = 0; v < s->mesh->vertex_count; ++v) {
        const float share = 0.5f / (float)(s->starts[v + 1] - s->starts[v]);
        const float *own = s->weights + (size_t)v * s->bone_count;
        float *row = s->smoothed + (size_t)v * s->bone_count;
        for (size_t b = 0; b < s->bone_count; ++b) {
            row[b] = 0.5f * own[b];
        }
        for (int32_t i = s->starts[v]; i < s->starts[v + 1]; ++i) {
            const float *other = s->weights + (size_t)s->others[i] * s->bone_count;
            for (size_t b = 0; b < s->bone_count; ++b) {
                row[b] += share * other[b];
            }
        }
    }
    float *swapped = s->weights;
    s->weights = s->smoothed;
    s->smoothed = swapped;
}

static void pose_nodes(const sn_measured *m, stretcher *s, const double *bones)
{
    for (int v = 0; v < s->mesh->vertex_count; ++v) {
        const float *weights = s->weights + (size_t)v * s->bone_count;
        double at[3], sum[3] = {0, 0, 0}, total = 0;
        for (int d = 0; d < 3; ++d) {
            at[d] = (s->mesh->positions[3 * (size_t)v + (size_t)d] - m->surface->origin[d]) / m->surface->scale;
        }
        for (size_t b = 0; b < s->bone_count; ++b) {
            double moved[3];
            if (weights[b] > 1e-4f) {
                sn_affine_apply(bones + 12 * b, at, moved);
                total += (double)weights[b];
                for (int d = 0; d < 3; ++d) {
                    sum[d] += (double)weights[b] * moved[d];
                }
            }
        }
        for (int d = 0; d < 3; ++d) {
            s->moved[3 * (size_t)v + (size_t)d] = (float)(total > 0 ? sum[d] / total : at[d]);
        }
    }
}

static float distance2_of(const float *x, int32_t a, int32_t b)
{
    float sum = 0;
    for (size_t d = 0; d < 3; ++d) {
        const float difference = x[3 * (size_t)a + d] - x[3 * (size_t)b + d];
        sum += difference * difference;
    }
    return sum;
}

/* Marks the edges that this pose stretches too far. */
static void mark_long(const sn_measured *m, const stretcher *s, uint8_t *is_long)
{
    for (int32_t v = 0; v < s->mesh->vertex_count; ++v) {
        for (int32_t i = s->starts[v]; i < s->starts[v + 1]; ++i) {
            const int32_t other = s->others[i];
            const double rest =
                sn_distance3(s->mesh->positions + 3 * (size_t)v, s->mesh->positions + 3 * (size_t)other) /
                m->surface->scale;
            is_long[i] |= other > v && (double)distance2_of(s->moved, v, other) > TOO_LONG * TOO_LONG * rest * rest;
        }
    }
}

sn_result sn_measure_stretch(const sn_measured *measured, sn_mesher_report *report)
{
    sn_arena scratch = {0};
    sn_motion poses;
    stretcher s = {.mesh = &measured->output->mesh, .bone_count = (size_t)measured->surface->input->bone_count};
    const size_t weight_count = (size_t)s.mesh->vertex_count * s.bone_count;
    report->stretch_count = 0;
    if (s.bone_count == 0 || weight_count > LARGEST_WEIGHT_COUNT) {
        return SN_OK;
    }
    s.weights = SN_NEW(&scratch, float, weight_count);
    s.smoothed = SN_NEW(&scratch, float, weight_count);
    s.moved = SN_NEW(&scratch, float, 3 * (size_t)s.mesh->vertex_count);
    bool is_ok = s.weights && s.smoothed && s.moved && list_edges(&s, &scratch) &&
                 sn_motion_random(measured->surface, SEED, &scratch, &poses) == SN_OK;
    uint8_t *is_long = is_ok ? SN_NEW(&scratch, uint8_t, s.starts[s.mesh->vertex_count]) : NULL;
    if (is_ok && is_long) {
        take_surface_weights(measured, &s);
        is_ok = fill_inside(measured, &s, &scratch);
        for (int pass = 0; pass < SMOOTHING_PASSES; ++pass) {
            smooth(&s);
        }
        for (int p = 0; p < poses.pose_count; ++p) {
            pose_nodes(measured, &s, poses.bones + 12 * (size_t)p * s.bone_count);
            mark_long(measured, &s, is_long);
        }
        for (int32_t i = 0; i < s.starts[s.mesh->vertex_count]; ++i) {
            report->stretch_count += is_long[i];
        }
    }
    sn_arena_finish(&scratch);
    return is_ok && is_long ? SN_OK : SN_ERROR_MEMORY;
}
