/* SPDX-License-Identifier: MIT */
/* The final solve of a localised mode, restricted to its non-zero vertices. */
#include <math.h>
#include <string.h>

#include "author/modes/eigen/compressor.h"
#include "author/modes/eigen/tall_skinny_gemm.h"

#define POLISH_COUNT 3
#define DEPENDENT                                                                                                      \
    1e-10 /* relative to the largest eigenvalue of a Schur complement; smaller ones belong to dependent rows */

const double *sn_compressor_column(const sn_compressor *c, int i)
{
    return i < c->finished_count ? c->finished + (size_t)i * c->size : c->tangent;
}

/* The vertices where z is not zero. */
typedef struct support {
    size_t count;
    int32_t *support_index; /* (size) index within the support, -1: outside */
    sn_factor *factor;
    int column_count;
    double *columns;                         /* (count x column_count) rows of Q, then the previous modes */
    double *solved;                          /* (count x column_count) the factor's inverse times `columns` */
    double *schur;                           /* (column_count^2) eigenvectors of the Schur complement */
    double *values;                          /* (column_count) its eigenvalues */
    double *right, *products;                /* (column_count) */
    double *penalty_response, *tangent, *to; /* (count) */
} support;

static sn_result factor_support(const sn_compressor *c, sn_arena *scratch, support *s)
{
    const sn_sparse *from = &c->problem->matrix;
    const size_t filled = (size_t)from->column_starts[from->size];
    sn_sparse matrix = {.size = from->size,
                        .column_starts = SN_NEW(scratch, int32_t, from->size + 1),
                        .rows = SN_NEW(scratch, int32_t, filled),
                        .values = SN_NEW(scratch, double, filled)};
    if (!matrix.column_starts || !matrix.rows || !matrix.values) {
        return SN_ERROR_MEMORY;
    }
    memcpy(matrix.column_starts, from->column_starts, ((size_t)from->size + 1) * sizeof *matrix.column_starts);
    memcpy(matrix.rows, from->rows, filled * sizeof *matrix.rows);
    memcpy(matrix.values, from->values, filled * sizeof *matrix.values);
    sn_sparse_select(&matrix, s->support_index);
    return sn_factor_create(&matrix, "modes", &s->factor);
}

static sn_result list_columns(const sn_compressor *c, sn_arena *scratch, support *s)
{
    const sn_sparse_columns *q = &c->problem->constraints;
    const size_t count = (size_t)q->column_count;
    double *all = SN_NEW(scratch, double, c->size *count);
    s->column_count = q->column_count + c->finished_count;
    const size_t columns = (size_t)s->column_count;
    s->columns = SN_NEW(scratch, double, s->count *columns);
    s->solved = SN_NEW(scratch, double, s->count *columns);
    s->schur = SN_NEW(scratch, double, columns *columns);
    s->values = SN_NEW(scratch, double, columns);
    s->right = SN_NEW(scratch, double, columns);
    s->products = SN_NEW(scratch, double, columns);
    s->penalty_response = SN_NEW(scratch, double, s->count);
    s->tangent = SN_NEW(scratch, double, s->count);
    s->to = SN_NEW(scratch, double, s->count);
    if (!all || !s->columns || !s->solved || !s->schur || !s->values || !s->right || !s->products ||
        !s->penalty_response || !s->tangent || !s->to) {
        return SN_ERROR_MEMORY;
    }
    sn_columns_expand(q, (int)c->size, all);
    for (size_t j = 0; j < columns; ++j) {
        const double *from = j < count ? all + j * c->size : sn_compressor_column(c, (int)(j - count));
        for (size_t i = 0; i < c->size; ++i) {
            if (s->support_index[i] >= 0) {
                s->columns[j * s->count + (size_t)s->support_index[i]] = from[i];
            }
        }
    }
    memcpy(s->solved, s->columns, s->count * columns * sizeof *s->solved);
    return SN_OK;
}

/* Computes the eigenpairs of the Schur complement, since its rows may be dependent on few vertices. */
static sn_result factor_schur(support *s)
{
    const int columns = s->column_count, rows = (int)s->count;
    const sn_result result = columns > 0 ? sn_factor_solve(s->factor, columns, s->solved) : SN_OK;
    if (result != SN_OK || columns == 0) {
        return result;
    }
    sn_dense_gram(s->columns, s->solved, rows, columns, s->schur);
    return sn_symmetric_eigen(columns, s->schur, s->values);
}

/* x <- the factor's inverse of x, projected onto the complement of the columns. */
static sn_result solve_projected(const support *s, double *x)
{
    const size_t columns = (size_t)s->column_count;
    const sn_result result = sn_factor_solve(s->factor, 1, x);
    memset(s->right, 0, columns * sizeof *s->right);
    for (size_t j = 0; j < columns; ++j) {
        s->products[j] = sn_dense_dot(s->count, s->columns + j * s->count, x);
    }
    for (size_t e = 0; e < columns; ++e) {
        const double *vector = s->schur + e * columns;
        const bool is_used = s->values[e] > DEPENDENT * s->values[columns - 1];
        const double coefficient = is_used ? sn_dense_dot(columns, vector, s->products) / s->values[e] : 0;
        for (size_t i = 0; i < columns; ++i) {
            s->right[i] -= coefficient * vector[i];
        }
    }
    if (columns > 0) {
        sn_tall_skinny_multiply_add(s->count, columns, s->solved, 1, 1, s->right, columns, x);
    }
    return result;
}

/* x on the support <- argmin 1/2 x^T (H + 1) x + mu sum sign(z) m^1/2 x, exactly orthogonal, with a product of 1 with
 * the tangent, then normalised. The shift of 1 keeps the result close to the tangent, the previous x. */
static sn_result solve_support(const sn_compressor *c, const support *s)
{
    for (size_t i = 0; i < c->size; ++i) {
        if (s->support_index[i] >= 0) {
            s->tangent[s->support_index[i]] = c->x[i];
        }
    }
    memcpy(s->to, s->tangent, s->count * sizeof *s->to);
    sn_result result = solve_projected(s, s->to);
    const double coefficient =
        (1 - sn_dense_dot(s->count, s->tangent, s->penalty_response)) /
        sn_dense_dot(s->count, s->tangent,
                     s->to); /* coefficient of the tangent's response, in addition to `penalty_response` */
    for (size_t i = 0; i < s->count; ++i) {
        s->to[i] = coefficient * s->to[i] + s->penalty_response[i];
    }
    const double norm = sqrt(sn_dense_dot(s->count, s->to, s->to));
    for (size_t i = 0; i < c->size; ++i) {
        c->x[i] = s->support_index[i] >= 0 ? s->to[s->support_index[i]] / norm : 0;
    }
    return result == SN_OK && !(norm > 0) ? sn_fail(SN_ERROR_NUMERIC, "%s: a localised mode is zero", c->problem->name)
                                          : result;
}

/* The response to the penalty's gradient, given the signs of z. */
static sn_result solve_penalty(const sn_compressor *c, const support *s)
{
    for (size_t i = 0; i < c->size; ++i) {
        if (s->support_index[i] >= 0) {
            s->penalty_response[s->support_index[i]] = -copysign(c->penalty * c->sqrt_mass[i], c->z[i]);
        }
    }
    return solve_projected(s, s->penalty_response);
}

sn_result sn_compressor_polish(sn_compressor *c)
{
    sn_arena scratch = {0};
    support s = {.support_index = SN_NEW(&scratch, int32_t, c->size)};
    sn_result result = s.support_index ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < c->size && result == SN_OK; ++i) {
        s.support_index[i] = c->z[i] != 0 ? (int32_t)s.count++ : -1;
        c->x[i] = s.support_index[i] >= 0 ? c->x[i] : 0;
    }
    if (result == SN_OK && (int)s.count <= c->problem->constraints.column_count + c->finished_count + 1) {
        result = sn_fail(
            SN_ERROR_ARGUMENT,
            "%s: localised mode %d would lie on %zu vertices, too few for the constraint; use a smaller sparsity",
            c->problem->name, c->finished_count, s.count);
    }
    result = result == SN_OK ? factor_support(c, &scratch, &s) : result;
    result = result == SN_OK ? list_columns(c, &scratch, &s) : result;
    result = result == SN_OK ? factor_schur(&s) : result;
    result = result == SN_OK ? solve_penalty(c, &s) : result;
    for (int i = 0; i < POLISH_COUNT && result == SN_OK; ++i) {
        result = solve_support(c, &s);
    }
    sn_factor_destroy(&s.factor);
    sn_arena_finish(&scratch);
    return result;
}
