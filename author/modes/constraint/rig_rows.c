/* SPDX-License-Identifier: MIT */
/* J = [g_b x, g_b y, g_b z, g_b] is the same on every axis, so the rows of J^T M D u = 0 involve one axis each. They
 * are taken about each bone's center and scaled to unit norm in M^-1, which keeps the span, and lets a pivoted Cholesky
 * factor find the rank for bones of any size and position. The columns E of morph targets add no rows: the leak is
 * constant over a face, which is all surface, so E^T M D u = 0 would remove all of a target's inertia M E. */
#include "author/modes/constraint/rig_rows.h"

#include <math.h>

#define ROWS_PER_BONE 4

/* Squared part of a unit row outside of the span of the others, below which it is dropped; above the rounding of
 * weights stored as floats, so that bones with equal weights count once. */
#define DROP_TOLERANCE 1e-10

/* Center of the flesh that a bone moves, weighted as in the constraint; false if it moves nothing. */
static bool find_center(const sn_rig_rows_input *in, size_t bone, double *center)
{
    double total = 0;
    center[0] = center[1] = center[2] = 0;
    for (size_t v = 0; v < (size_t)in->mesh->vertex_count; ++v) {
        const double weight = in->leak[v] * in->rig_weights[v * (size_t)in->bone_count + bone];
        const double weighted_mass = in->mass[v] * weight * weight;
        total += weighted_mass;
        for (size_t d = 0; d < 3; ++d) {
            center[d] += weighted_mass * in->mesh->positions[3 * v + d];
        }
    }
    for (int d = 0; d < 3 && total > 0; ++d) {
        center[d] /= total;
    }
    return total > 0;
}

/* Scales to unit norm, unless zero. */
static void normalise(double *column, size_t n)
{
    double square = 0;
    for (size_t v = 0; v < n; ++v) {
        square += column[v] * column[v];
    }
    for (size_t v = 0; v < n; ++v) {
        column[v] = square > 0 ? column[v] / sqrt(square) : 0;
    }
}

/* Fills sqrt(m) D g (x - center), and sqrt(m) D g last, of unit norm or zero. Returns their number. */
static int fill_bone(const sn_rig_rows_input *in, size_t bone, const double *center, double *columns)
{
    const size_t n = (size_t)in->mesh->vertex_count;
    const size_t first = in->is_translated && in->is_translated[bone] ? ROWS_PER_BONE - 1 : 0;
    for (size_t k = first; k < ROWS_PER_BONE; ++k, columns += n) {
        for (size_t v = 0; v < n; ++v) {
            const double weight = sqrt(in->mass[v]) * in->leak[v] * in->rig_weights[v * (size_t)in->bone_count + bone];
            columns[v] = weight * (k < 3 ? in->mesh->positions[3 * v + k] - center[k] : 1);
        }
        normalise(columns, n);
    }
    return (int)(ROWS_PER_BONE - first);
}

sn_result sn_rig_rows_build(const sn_rig_rows_input *in, sn_arena *arena, sn_constraint *rows)
{
    const size_t n = (size_t)in->mesh->vertex_count;
    int count = 0;
    double *values = SN_NEW(arena, double, n *(size_t)in->bone_count *ROWS_PER_BONE);
    if (!values) {
        return SN_ERROR_MEMORY;
    }
    for (int bone = 0; bone < in->bone_count; ++bone) {
        double center[3];
        if (find_center(in, (size_t)bone, center)) {
            count += fill_bone(in, (size_t)bone, center, values + (size_t)count * n);
        }
    }
    const sn_result result = sn_dense_select_independent((int)n, DROP_TOLERANCE, &count, values);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        for (size_t v = 0; v < n; ++v) {
            values[(size_t)i * n + v] *= sqrt(in->mass[v]);
        }
    }
    *rows = (sn_constraint){.row_count = count, .rows = values};
    return result;
}
