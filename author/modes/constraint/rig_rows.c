/* SPDX-License-Identifier: MIT */
/* J = [g_b x, g_b y, g_b z, g_b] is the same on every axis, so that J^T M D u = 0 has its rows on a third of the
 * unknowns. They are taken about each bone's centre and of unit norm in M^-1, which changes no span, so that a pivoted
 * Cholesky factor can tell the rank whatever the bones' sizes and places. J's columns E of morph targets ask for
 * nothing: the leak is the same all over a face, which is all surface, and E^T M D u = 0 then takes the whole of a
 * target's inertia, M E, away: not even the full space would stir. */
#include "author/modes/constraint/rig_rows.h"

#include <math.h>

#define ROWS_PER_BONE 4

/* The square of a unit row's part outside the others, below which it is dropped: above the rounding of weights that
 * were stored as floats, so that bones with equal weights count once. */
#define DROP_TOLERANCE 1e-10

/* Of the flesh that a bone moves, as the constraint weighs it; false where that is nothing. */
static bool find_center(const sn_rig_rows_input *in, size_t bone, double *center)
{
    double total = 0;
    center[0] = center[1] = center[2] = 0;
    for (size_t v = 0; v < (size_t)in->mesh->vertex_count; ++v) {
        const double weight = in->leak[v] * in->rig_weights[v * (size_t)in->bone_count + bone];
        const double share = in->mass[v] * weight * weight;
        total += share;
        for (size_t d = 0; d < 3; ++d) {
            center[d] += share * in->mesh->positions[3 * v + d];
        }
    }
    for (int d = 0; d < 3 && total > 0; ++d) {
        center[d] /= total;
    }
    return total > 0;
}

/* Of unit norm or zero. */
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

/* sqrt(m) D g (x - center), the last one without the x, of unit norm or zero. Returns their number. */
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
    const sn_result result = sn_dense_keep_independent((int)n, DROP_TOLERANCE, &count, values);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        for (size_t v = 0; v < n; ++v) {
            values[(size_t)i * n + v] *= sqrt(in->mass[v]);
        }
    }
    *rows = (sn_constraint){.row_count = count, .rows = values};
    return result;
}
