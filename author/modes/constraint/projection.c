/* SPDX-License-Identifier: MIT */
/* P = K^-1 - K^-1 Q S^-1 Q^T K^-1. The constraints Q are sparse, but K^-1 Q is dense: it is stored for few constraints;
 * for many, a second solve reads less memory. */
#include "author/modes/constraint/projection.h"

#include <string.h>

#include "author/modes/eigen/tall_skinny_gemm.h"

/* Largest number of stored values of K^-1 Q, relative to the factor's. Its product reads memory sequentially, and thus
 * takes less time per value than a solve. */
#define MAX_STORED_RATIO 3

/* p (column_count x n) = Q^T x */
static void gather_constraints(const sn_projection *op, int n, const double *x, double *p)
{
    const sn_sparse_columns *q = op->constraints;
    for (const sn_column_block *block = q->blocks; block < q->blocks + q->block_count; block++) {
        const size_t rows = (size_t)block->row_count;
        for (size_t k = 0; k < (size_t)n && rows < op->size; k++) {
            for (size_t i = 0; i < rows; i++) {
                op->packed[k * rows + i] = x[k * op->size + (size_t)block->rows[i]];
            }
        }
        sn_tall_skinny_transpose_multiply(rows, (size_t)block->column_count, block->values, (size_t)n,
                                          rows < op->size ? op->packed : x, p, (size_t)q->column_count);
        p += block->column_count;
    }
}

/* y = Q p */
static void scatter_constraints(const sn_projection *op, int n, const double *p, double *y)
{
    const sn_sparse_columns *q = op->constraints;
    memset(y, 0, sizeof *y * op->size * (size_t)n);
    for (const sn_column_block *block = q->blocks; block < q->blocks + q->block_count; block++) {
        const size_t rows = (size_t)block->row_count;
        memset(op->packed, 0, sizeof *op->packed * rows * (size_t)n);
        sn_tall_skinny_multiply_add(rows, (size_t)block->column_count, block->values, (size_t)n, 1, p,
                                    (size_t)q->column_count, op->packed);
        for (size_t k = 0; k < (size_t)n; k++) {
            for (size_t i = 0; i < rows; i++) {
                y[k * op->size + (size_t)block->rows[i]] += op->packed[k * rows + i];
            }
        }
        p += block->column_count;
    }
}

/* S = Q^T K^-1 Q, from K^-1 Q if that is stored. */
static sn_result build_schur(const sn_projection *op, int max_width)
{
    const int count = op->constraints->column_count;
    if (!op->solved) {
        return sn_factor_schur(op->factor, op->constraints, op->schur);
    }
    sn_columns_expand(op->constraints, (int)op->size, op->solved);
    SN_TRY(sn_factor_solve(op->factor, count, op->solved));
    for (int c = 0; c < count; c += max_width) {
        gather_constraints(op, count - c < max_width ? count - c : max_width, op->solved + (size_t)c * op->size,
                           op->schur + (size_t)c * (size_t)count);
    }
    return SN_OK;
}

static sn_result factor_schur(const sn_projection *op, int max_width)
{
    SN_TRY(build_schur(op, max_width));
    if (!sn_dense_cholesky(op->constraints->column_count, op->schur)) {
        return sn_fail_within(SN_ERROR_NUMERIC, "modes: the constraint's Schur complement is singular");
    }
    return SN_OK;
}

sn_result sn_projection_init(const sn_projected_problem *problem, int max_width, sn_arena *arena, sn_projection *op)
{
    const size_t size = (size_t)problem->size, count = (size_t)problem->constraints.column_count;
    const bool is_solved = size * count <= MAX_STORED_RATIO * sn_factor_value_count(problem->factor);
    *op = (sn_projection){.size = size,
                          .factor = problem->factor,
                          .constraints = &problem->constraints,
                          .schur = SN_NEW(arena, double, count *count),
                          .solved = is_solved ? SN_NEW(arena, double, size *count) : NULL,
                          .products = SN_NEW(arena, double, count *(size_t)max_width),
                          .added = SN_NEW(arena, double, size *(size_t)max_width),
                          .packed = SN_NEW(arena, double, size *(size_t)max_width)};
    if (!op->schur || (is_solved && !op->solved) || !op->products || !op->added || !op->packed) {
        return SN_ERROR_MEMORY;
    }
    return count > 0 ? factor_schur(op, max_width) : SN_OK;
}

sn_result sn_projection_constrain(const sn_projection *op, int columns, double *x)
{
    const int count = op->constraints->column_count;
    if (count == 0) {
        return SN_OK;
    }
    gather_constraints(op, columns, x, op->products);
    sn_dense_cholesky_solve(count, op->schur, columns, op->products);
    if (op->solved) {
        sn_tall_skinny_multiply_add(op->size, (size_t)count, op->solved, (size_t)columns, -1, op->products,
                                    (size_t)count, x);
        return SN_OK;
    }
    scatter_constraints(op, columns, op->products, op->added);
    const sn_result result = sn_factor_solve(op->factor, columns, op->added);
    for (size_t i = 0; i < op->size * (size_t)columns; i++) {
        x[i] -= op->added[i];
    }
    return result;
}

sn_result sn_projection_apply(const sn_projection *op, int columns, const double *x, double *y)
{
    memcpy(y, x, sizeof *y * op->size * (size_t)columns);
    SN_TRY(sn_factor_solve(op->factor, columns, y));
    return sn_projection_constrain(op, columns, y);
}
