/* SPDX-License-Identifier: MIT */
/* The constraint on coordinates: J^T M D B Z = 0 (paper, section 4) as it stands, instead of J^T M D B = 0, which asks
 * of every mode what only their sum owes to the rig. Since J and B are one block for each axis, it says the same of the
 * three columns of Z: a few rows on the coordinates, whose null space is as good a basis as any. A step knows nothing
 * of it. */
#include "author/modes/reduced_parts.h"

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

/* Moves the independent columns (size x *count) to the front. */
static sn_result keep_independent(sn_arena *arena, size_t size, size_t *count, double *columns)
{
    double *gram = SN_NEW(arena, double, *count **count), *work = SN_NEW(arena, double, 2 * *count);
    double *chosen = SN_NEW(arena, double, size **count);
    int32_t *pivots = SN_NEW(arena, int32_t, *count);
    if (!gram || !work || !chosen || !pivots) {
        return SN_ERROR_MEMORY;
    }
    sn_dense_gram(columns, columns, (int)size, (int)*count, gram);
    const int rank = sn_pivoted_cholesky((int)*count, gram, DROP_TOLERANCE, work, pivots);
    for (size_t i = 0; i < (size_t)rank; ++i) {
        memcpy(chosen + i * size, columns + (size_t)pivots[i] * size, size * sizeof *columns);
    }
    memcpy(columns, chosen, (size_t)rank * size * sizeof *columns);
    *count = (size_t)rank < size ? (size_t)rank : size;
    return SN_OK;
}

sn_result sn_reduced_split(sn_reduced_work *work, size_t *kept_count, double **kept, double **barred)
{
    const size_t q = work->q;
    size_t rows = (size_t)work->in->held->row_count;
    double *seen = SN_NEW(&work->arena, double, q *rows), *turned = SN_NEW(&work->arena, double, q *q);
    *kept = SN_NEW(&work->arena, double, q *q);
    *barred = SN_NEW(&work->arena, double, q *q);
    if (!seen || !turned || !*kept || !*barred) {
        return SN_ERROR_MEMORY;
    }
    see_rows(work, seen);
    sn_result result = keep_independent(&work->arena, q, &rows, seen);
    *kept_count = q - rows;
    if (result == SN_OK && rows == q) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: the constraint on coordinates takes all %zu of %d modes: more modes, or the constraint on "
                       "weights",
                       work->in->name, q, work->in->modes->mode_count);
    }
    result = result == SN_OK ? sn_dense_complement((int)q, (int)rows, seen, *kept) : result;
    memcpy(turned, *kept, q * *kept_count * sizeof *turned);
    return result == SN_OK ? sn_dense_complement((int)q, (int)*kept_count, turned, *barred) : result;
}
