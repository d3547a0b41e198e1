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
static void see_rows(const sn_reduced_work *work, double *seen)
{
    const sn_constraint *held = work->in->held;
    sn_dense_multiply(&(sn_gemm){.m = (int)work->q,
                                 .n = held->row_count,
                                 .k = (int)work->n,
                                 .alpha = 1,
                                 .a = work->basis,
                                 .lda = (int)work->q,
                                 .b = held->rows,
                                 .ldb = (int)work->n,
                                 .c = seen,
                                 .ldc = (int)work->q});
    for (size_t row = 0; row < (size_t)held->row_count; ++row) {
        double square = 0;
        for (size_t v = 0; v < work->n; ++v) {
            const double value = held->rows[row * work->n + v];
            square += value * value / work->in->mass[v];
        }
        for (size_t i = 0; i < work->q && square > 0; ++i) {
            seen[row * work->q + i] /= sqrt(square);
        }
    }
}

sn_result sn_reduced_split(sn_reduced_work *work, size_t *kept_count, double **kept, double **barred)
{
    const size_t q = work->q;
    int rows = work->in->held->row_count;
    double *seen = SN_NEW(&work->arena, double, q *(size_t)rows), *turned = SN_NEW(&work->arena, double, q *q);
    *kept = SN_NEW(&work->arena, double, q *q);
    *barred = SN_NEW(&work->arena, double, q *q);
    if (!seen || !turned || !*kept || !*barred) {
        return SN_ERROR_MEMORY;
    }
    see_rows(work, seen);
    sn_result result = sn_dense_keep_independent((int)q, DROP_TOLERANCE, &rows, seen);
    if (result == SN_OK && rows >= (int)q) {
        result = sn_fail(SN_ERROR_ARGUMENT,
                         "%s: the rig's constraint takes all %zu coordinates of %d modes; use more modes, or the "
                         "constraint on weights",
                         work->in->name, q, work->in->modes->mode_count);
    }
    *kept_count = result == SN_OK ? q - (size_t)rows : 0;
    result = result == SN_OK ? sn_dense_complement((int)q, rows, seen, *kept) : result;
    memcpy(turned, *kept, q * *kept_count * sizeof *turned);
    return result == SN_OK ? sn_dense_complement((int)q, (int)*kept_count, turned, *barred) : result;
}
