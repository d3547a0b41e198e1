/* SPDX-License-Identifier: MIT */
/* Products of blocks of row-major matrices with each other and with small matrices, without BLAS: its kernels pack what
 * lies in the cache already, and give other bits on other processors. Every number here is one sum, in order, with any
 * instructions. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_ROW_PRODUCTS_H
#define SN_AUTHOR_MODES_CONSTRAINT_ROW_PRODUCTS_H

#include <stddef.h>

/* sum (a_columns x b_columns, column-major) += a^T b over rows, for a (rows x a_columns) and b (rows x b_columns). */
void sn_row_gram_add(size_t rows, const double *a, size_t a_columns, const double *b, size_t b_columns, double *sum);

/* The same of two blocks with as many columns, where the sum over all rows is known to be symmetric: the lower triangle
 * of sum (columns x columns, column-major). What is above the diagonal becomes anything. */
void sn_row_gram_add_symmetric(size_t rows, const double *a, const double *b, size_t columns, double *sum);

/* The other triangle of what sn_row_gram_add_symmetric summed. */
void sn_row_gram_mirror(size_t columns, double *sum);

/* result (rows x result_columns) = a (rows x columns) matrix (columns x result_columns), a in rows of `stride` numbers
 */
void sn_row_multiply(size_t rows, const double *a, size_t stride, size_t columns, const double *matrix,
                     size_t result_columns, double *result);

#endif
