/* SPDX-License-Identifier: MIT */
/* The constraint on coordinates, J^T M D B Z = 0 (paper, section 4), instead of J^T M D B = 0, which constrains every
 * mode and not only their sum. J and B have one block per axis, so the same few rows apply to each of the three columns
 * of Z, and the null space of these rows is used as the basis. The time step needs no change. */
#include "author/modes/reduced/reduced_parts.h"

#include <math.h>
#include <string.h>

/* Squared norm of a row's part in the span of the coordinates and outside of the others, relative to the row's squared
 * norm in M^-1, below which the row is redundant (see rig_rows.c). */
#define DROP_TOLERANCE 1e-10

/* (A V)^T (q x row_count), each row divided by its norm in M^-1. */
static void project_rows(const sn_reduced_scratch_pool *work, double *projected)
{
    const sn_constraint *coordinate_constraint = work->in->coordinate_constraint;
    sn_dense_multiply(&(sn_gemm){.m = (int)work->q,
                                 .n = coordinate_constraint->row_count,
                                 .k = (int)work->n,
                                 .alpha = 1,
                                 .a = work->basis,
                                 .lda = (int)work->q,
                                 .b = coordinate_constraint->rows,
                                 .ldb = (int)work->n,
                                 .c = projected,
                                 .ldc = (int)work->q});
    for (size_t row = 0; row < (size_t)coordinate_constraint->row_count; ++row) {
        double square = 0;
        for (size_t v = 0; v < work->n; ++v) {
            const double value = coordinate_constraint->rows[row * work->n + v];
            square += value * value / work->in->mass[v];
        }
        for (size_t i = 0; i < work->q && square > 0; ++i) {
            projected[row * work->q + i] /= sqrt(square);
        }
    }
}

sn_result sn_reduced_split(sn_reduced_scratch_pool *work, size_t *kept_count, double **kept_basis, double **removed)
{
    const size_t q = work->q;
    int rows = work->in->coordinate_constraint->row_count;
    double *projected = SN_NEW(&work->arena, double, q *(size_t)rows), *rotated = SN_NEW(&work->arena, double, q *q);
    *kept_basis = SN_NEW(&work->arena, double, q *q);
    *removed = SN_NEW(&work->arena, double, q *q);
    if (!projected || !rotated || !*kept_basis || !*removed) {
        return SN_ERROR_MEMORY;
    }
    project_rows(work, projected);
    sn_result result = sn_dense_select_independent((int)q, DROP_TOLERANCE, &rows, projected);
    if (result == SN_OK && rows >= (int)q) {
        result = sn_fail(SN_ERROR_ARGUMENT,
                         "%s: the rig's constraint takes all %zu coordinates of %d modes; use more modes, or the "
                         "constraint on weights",
                         work->in->name, q, work->in->modes->mode_count);
    }
    *kept_count = result == SN_OK ? q - (size_t)rows : 0;
    result = result == SN_OK ? sn_dense_complement((int)q, rows, projected, *kept_basis) : result;
    memcpy(rotated, *kept_basis, q * *kept_count * sizeof *rotated);
    return result == SN_OK ? sn_dense_complement((int)q, (int)*kept_count, rotated, *removed) : result;
}
