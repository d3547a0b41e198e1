/* SPDX-License-Identifier: MIT */
/* Symmetric positive definite sparse solves on CHOLMOD, and the dense LAPACK calls that cooking needs. One thread, so
 * that results do not depend on the number of threads. The only home of CHOLMOD, BLAS and LAPACK. */
#ifndef SN_AUTHOR_SPARSE_SPARSE_H
#define SN_AUTHOR_SPARSE_SPARSE_H

#include "host/base/arena.h"

/* Symmetric matrix: lower triangle and diagonal, compressed columns, rows ascending in each column. */
typedef struct sn_sparse {
    int size;
    int32_t *column_starts; /* (size + 1) */
    int32_t *rows;          /* (column_starts[size]) */
    double *values;
} sn_sparse;

/* SN_ERROR_MEMORY, or SN_OK. */
sn_result sn_sparse_copy(const sn_sparse *from, sn_arena *arena, sn_sparse *copy);
/* Keeps, in place, the rows and columns whose new number kept (size) says, in their order; -1 leaves one out. */
void sn_sparse_keep(sn_sparse *matrix, const int32_t *kept);

/* y = matrix x */
void sn_sparse_multiply(const sn_sparse *matrix, const double *x, double *y);

/* Neighbouring columns of mostly zeros that are not zero in the same rows. */
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

/* dense (size x column_count) column-major, zero before. */
void sn_columns_expand(const sn_sparse_columns *columns, int size, double *dense);

/* x <- matrix^-1 x for a positive definite matrix by conjugate gradients, until the residual in the norm of the inverse
 * diagonal is `tolerance` of the right-hand side's; *is_solved is false where iteration_limit came first. */
sn_result sn_sparse_solve(const sn_sparse *matrix, double tolerance, int iteration_limit, double *x, bool *is_solved);

typedef struct sn_factor sn_factor;

/* Supernodal L L^T; AMD ordering below 60 thousand unknowns (4 thousand where columns are long), METIS above. Null
 * pointer and SN_ERROR_NUMERIC if not positive definite; `name` says what the matrix is for, in the message. */
sn_result sn_factor_create(const sn_sparse *matrix, const char *name, sn_factor **factor);
/* The same in float, half as large and twice as fast, for those who correct what they solve for by its residual: a
 * solution is off by some 1e-7 of itself times the condition number. In double where float does not suffice. */
sn_result sn_factor_create_f32(const sn_sparse *matrix, const char *name, sn_factor **factor);
bool sn_factor_is_f32(const sn_factor *factor);
void sn_factor_destroy(sn_factor **factor);
/* Values that the factor stores; a solve reads each twice. */
size_t sn_factor_value_count(const sn_factor *factor);
/* Solves for column_count right-hand sides, in place; x is (size x column_count), column-major. */
sn_result sn_factor_solve(sn_factor *factor, int column_count, double *x);
/* The same, for more columns than a few, row-major. */
sn_result sn_factor_solve_rows(const sn_factor *factor, int column_count, double *x);

/* The lower triangle of q^T A^-1 q (column_count x column_count), column-major, for the matrix A of the factor. */
sn_result sn_factor_schur(const sn_factor *factor, const sn_sparse_columns *q, double *schur);

/* Column-major dense matrices below. */

/* OpenBLAS tries for ever to get its buffer: it is made to take one, and keep it, while there is room. Where there is
 * none (ulimit -v), SN_ERROR_MEMORY, and it is better not called. */
sn_result sn_dense_make_room(void);

/* Eigenvalues ascending and eigenvectors (in place of `matrix`) of a symmetric n x n matrix, of which the lower
 * triangle is read. */
sn_result sn_symmetric_eigen(int size, double *matrix, double *eigenvalues);
/* Of any real n x n matrix: eigenvalues (2 x size), real parts, then imaginary ones; vectors (size x size) of which a
 * conjugate pair, the one with the positive imaginary part first, has its real and its imaginary part in two columns;
 * and the inverse of that matrix. SN_ERROR_NUMERIC where it has too few eigenvectors, or is not finite. */
sn_result sn_general_eigen(int size, const double *matrix, double *eigenvalues, double *vectors, double *inverse);
/* R of P^T matrix P = R^T R in place of the upper triangle of a positive semi-definite matrix, columns in the order of
 * `pivots` (size), the largest that remains first. Returns the rank: rows of R whose squared diagonal is above
 * tolerance. work is (2 x size). */
int sn_pivoted_cholesky(int size, double *matrix, double tolerance, double *work, int32_t *pivots);
/* Moves the independent ones of *count columns (size x *count) to the front, in their order: those of which more than
 * `tolerance`, squared, is outside of the others. */
sn_result sn_dense_keep_independent(int size, double tolerance, int *count, double *columns);
/* L of matrix = L L^T in place of the lower triangle; false if not positive definite. */
bool sn_dense_cholesky(int size, double *matrix);
/* Solves for column_count right-hand sides x (size x column_count), in place. */
void sn_dense_cholesky_solve(int size, const double *lower, int column_count, double *x);
/* basis (size x (size - count)) orthonormal and orthogonal to the `count` independent columns, which are overwritten.
 */
sn_result sn_dense_complement(int size, int count, double *columns, double *basis);
/* c (m x n) = alpha op(a) op(b) + beta c, op by transpose flags; k is the inner dimension; leading dimensions as in
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

/* a^T b, the same number on every machine. */
double sn_dense_dot(size_t size, const double *a, const double *b);
/* result (columns x columns) = a^T b, both (rows x columns). */
void sn_dense_gram(const double *a, const double *b, int rows, int columns, double *result);
/* result (rows x columns) = a (rows x inner) b (inner x columns). */
void sn_dense_product(const double *a, int rows, int inner, const double *b, int columns, double *result);

#endif
