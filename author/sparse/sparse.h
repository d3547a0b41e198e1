/* SPDX-License-Identifier: MIT */
/* Symmetric positive definite sparse solves based on CHOLMOD, and the dense LAPACK calls that the cook needs. Runs on
 * one thread, so that results do not depend on the number of threads. Only this folder uses CHOLMOD, BLAS and LAPACK.
 */
#ifndef SN_AUTHOR_SPARSE_SPARSE_H
#define SN_AUTHOR_SPARSE_SPARSE_H

#include "host/base/arena.h"

/* Symmetric matrix: lower triangle with diagonal in compressed columns, with ascending rows in each column. */
typedef struct sn_sparse {
    int size;
    int32_t *column_starts; /* (size + 1) */
    int32_t *rows;          /* (column_starts[size]) */
    double *values;
} sn_sparse;

/* Errors: SN_ERROR_MEMORY. */
sn_result sn_sparse_copy(const sn_sparse *from, sn_arena *arena, sn_sparse *copy);
/* Keeps the rows and columns with selected[i] >= 0 (size), in place, in their order; selected[i] is the new index. */
void sn_sparse_select(sn_sparse *matrix, const int32_t *selected);

/* y = matrix x */
void sn_sparse_multiply(const sn_sparse *matrix, const double *x, double *y);

/* Adjacent sparse columns with the same non-zero rows. */
typedef struct sn_column_block {
    int column_count, row_count;
    int32_t *rows;  /* (row_count) ascending */
    double *values; /* (row_count x column_count) column-major */
} sn_column_block;

typedef struct sn_sparse_columns {
    int column_count; /* of all blocks */
    int block_count;
    sn_column_block *blocks;
} sn_sparse_columns;

/* dense (size x column_count), column-major, must be zero before. */
void sn_columns_expand(const sn_sparse_columns *columns, int size, double *dense);

/* x <- matrix^-1 x for a positive definite matrix by conjugate gradients, until the residual, in the norm of the
 * inverse diagonal, is `tolerance` times that of the right-hand side; *is_solved is false if iteration_limit was
 * reached first. */
sn_result sn_sparse_solve(const sn_sparse *matrix, double tolerance, int iteration_limit, double *x, bool *is_solved);

typedef struct sn_factor sn_factor;

/* Supernodal L L^T; ordered by AMD below 60,000 unknowns (4,000 if columns are long), by METIS above. `name`: the
 * purpose of the matrix, for messages. Errors: SN_ERROR_NUMERIC, with a null pointer, if it is not positive definite.
 */
sn_result sn_factor_create(const sn_sparse *matrix, const char *name, sn_factor **factor);
/* The same in float, at half the memory and twice the speed, for callers that refine the solution by its residual: the
 * relative error is about 1e-7 times the condition number. Uses double if the matrix is not positive definite in float.
 */
sn_result sn_factor_create_f32(const sn_sparse *matrix, const char *name, sn_factor **factor);
bool sn_factor_is_f32(const sn_factor *factor);
void sn_factor_destroy(sn_factor **factor);
/* Number of values that the factor stores; a solve reads each of them twice. */
size_t sn_factor_value_count(const sn_factor *factor);
/* Solves for column_count right-hand sides, in place; x (size x column_count), column-major. */
sn_result sn_factor_solve(sn_factor *factor, int column_count, double *x);
/* The same with row-major x; efficient for many columns. */
sn_result sn_factor_solve_rows(const sn_factor *factor, int column_count, double *x);

/* The lower triangle of q^T A^-1 q (column_count x column_count), column-major, for the matrix A of the factor. */
sn_result sn_factor_schur(const sn_factor *factor, const sn_sparse_columns *q, double *schur);

/* Dense matrices below are column-major. */

/* Makes OpenBLAS allocate its buffer, which it keeps; without memory, OpenBLAS would retry forever. Errors:
 * SN_ERROR_MEMORY (such as under ulimit -v); BLAS must not be called then. */
sn_result sn_dense_reserve_memory(void);

/* Eigenvalues (ascending) and eigenvectors (in place of `matrix`) of a symmetric n x n matrix, of which the lower
 * triangle is read. */
sn_result sn_symmetric_eigen(int size, double *matrix, double *eigenvalues);
/* Eigenpairs of any real n x n matrix: eigenvalues (2 x size), real parts, then imaginary parts; vectors (size x size),
 * with the real and imaginary part of a conjugate pair's first vector (positive imaginary part) in two columns; and the
 * inverse of `vectors`. Errors: SN_ERROR_NUMERIC if it has too few eigenvectors or is not finite. */
sn_result sn_general_eigen(int size, const double *matrix, double *eigenvalues, double *vectors, double *inverse);
/* R of P^T matrix P = R^T R, in place of the upper triangle of a positive semi-definite matrix; `pivots` (size): the
 * order of the columns, largest remaining first. Returns the rank: the number of rows of R whose squared diagonal is
 * above tolerance. work (2 x size). */
int sn_pivoted_cholesky(int size, double *matrix, double tolerance, double *work, int32_t *pivots);
/* Moves the independent columns of *count columns (size x *count) to the front, in their order: those with a squared
 * part of more than `tolerance` outside of the span of the others. */
sn_result sn_dense_select_independent(int size, double tolerance, int *count, double *columns);
/* L of matrix = L L^T, in place of the lower triangle; false if not positive definite. */
bool sn_dense_cholesky(int size, double *matrix);
/* Solves for column_count right-hand sides x (size x column_count), in place. */
void sn_dense_cholesky_solve(int size, const double *lower, int column_count, double *x);
/* basis (size x (size - count)): orthonormal and orthogonal to `count` independent columns, which are overwritten. */
sn_result sn_dense_complement(int size, int count, double *columns, double *basis);
/* c (m x n) = alpha op(a) op(b) + beta c, op by the transpose flags; k is the inner dimension; leading dimensions as in
 * BLAS. */
typedef struct sn_gemm {
    bool transpose_a, transpose_b;
    int m, n, k;
    double alpha, beta;
    const double *a;
    int lda;
    const double *b;
    int ldb;
    double *c;
    int ldc;
} sn_gemm;
void sn_dense_multiply(const sn_gemm *arguments);

/* a^T b; the same bits on every machine. */
double sn_dense_dot(size_t size, const double *a, const double *b);
/* result (columns x columns) = a^T b, both (rows x columns). */
void sn_dense_gram(const double *a, const double *b, int rows, int columns, double *result);
/* result (rows x columns) = a (rows x inner) b (inner x columns). */
void sn_dense_product(const double *a, int rows, int inner, const double *b, int columns, double *result);

#endif
