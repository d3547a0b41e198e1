/* SPDX-License-Identifier: MIT */
/* The constraint on coordinates: J^T M D B Z = 0 (paper, section 4) as it stands, instead of J^T M D B = 0, which asks
 * of every mode what only their sum owes to the rig. Since J and B are one block for each axis, it says the same of the
 * three columns of Z: a few rows on the coordinates, whose null space is as good a basis as any. A step knows nothing
 * of it. */
#include "author/modes/reduced/reduced_parts.h"

#include <math.h>
#include <string.h>

/* The square of a row's part that coordinates see, over the row's in M^-1, and outside of the others: below it the row
 * asks for nothing more (see rig_rows.c). */
#define DROP_TOLERANCE 1e-10

/* (A V)^T (q x row_count), each row over its norm in M^-1. */
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
        result =
            sn_fail(SN_ERROR_ARGUMENT,
                    "%s: the rig's constraint takes all %zu coordinates of %d modes: more modes, or the constraint "
                    "on weights",
                    work->in->name, q, work->in->modes->mode_count);
    }
    *kept_count = result == SN_OK ? q - (size_t)rows : 0;
    result = result == SN_OK ? sn_dense_complement((int)q, rows, seen, *kept) : result;
    memcpy(turned, *kept, q * *kept_count * sizeof *turned);
    return result == SN_OK ? sn_dense_complement((int)q, (int)*kept_count, turned, *barred) : result;
}
