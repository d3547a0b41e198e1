/* SPDX-License-Identifier: MIT */
/* Target modes respond to morph targets only. If bones and gravity excited them too, each step or hop would change a
 * face's expression. So bones and gravity act on eigenmodes alone: V^T M Jc and V^T M 1 are projected onto the span of
 * the eigenmodes, orthogonally in the mass, which is 1 in coordinates. Targets, contact, wind and grabs act on all
 * modes. Less inertial coupling with the rig keeps the kinetic energy positive. */
#include <math.h>
#include <string.h>

#include "author/modes/reduced/reduced_parts.h"

#define DEPENDENT 1e-12 /* relative to a column's squared norm; below is rounding */

typedef struct span {
    size_t q, count;
    double *basis; /* (q x count) column-major, orthonormal */
} span;

/* Replaces x by its part outside of the span; returns its previous squared norm. */
static double project_out(const span *s, double *x)
{
    const double square = sn_dense_dot(s->q, x, x);
    for (int pass = 0; pass < 2; ++pass) { /* twice, to limit rounding errors */
        for (size_t k = 0; k < s->count; ++k) {
            const double *column = s->basis + k * s->q;
            sn_reduced_add_scaled(-sn_dense_dot(s->q, column, x), column, s->q, x);
        }
    }
    return square;
}

/* Builds the span of the eigenmodes' coordinates. */
static void span_eigenmodes(const sn_reduced_scratch_pool *work, span *s)
{
    for (size_t c = 0; c < work->columns && s->count < s->q; ++c) {
        double *x = s->basis + s->count * s->q;
        if (work->in->modes->is_target[c / 4]) {
            continue;
        }
        memcpy(x, work->inverse + c * s->q, s->q * sizeof *x);
        const double before = project_out(s, x), after = sn_dense_dot(s->q, x, x);
        for (size_t i = 0; i < s->q && after > 0; ++i) {
            x[i] /= sqrt(after);
        }
        s->count += after > DEPENDENT * before;
    }
}

/* Projects each of `count` columns of a row-major matrix (q x count) onto the span. column: (2 q) scratch. */
static void project_onto(const span *s, size_t count, double *column, double *matrix)
{
    for (size_t c = 0; c < count; ++c) {
        double *outside = column + s->q;
        for (size_t i = 0; i < s->q; ++i) {
            column[i] = outside[i] = matrix[i * count + c];
        }
        project_out(s, outside);
        for (size_t i = 0; i < s->q; ++i) {
            matrix[i * count + c] = column[i] - outside[i];
        }
    }
}

sn_result sn_reduced_isolate_targets(sn_reduced_scratch_pool *work, sn_reduced_matrices *out)
{
    const size_t q = work->q;
    if (!work->in->modes->is_target) {
        return SN_OK;
    }
    span s = {.q = q, .basis = SN_NEW(&work->arena, double, q *(q + 1))};
    double *column = SN_NEW(&work->arena, double, 2 * q);
    if (!s.basis || !column) {
        return SN_ERROR_MEMORY;
    }
    span_eigenmodes(work, &s);
    project_onto(&s, work->p, column, out->mass_cross);
    project_onto(&s, 1, column, out->coordinate_mass);
    return SN_OK;
}
