/* SPDX-License-Identifier: MIT */
/* Products of blocks of row-major matrices with each other and with small matrices, without BLAS, whose kernels repack
 * operands that are in the cache already and give different bits on different processors. Here every number is one sum
 * in a fixed order, with any instruction set. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_ROW_PRODUCTS_H
#define SN_AUTHOR_MODES_CONSTRAINT_ROW_PRODUCTS_H

#include <stddef.h>

/* sum (a_columns x b_columns, column-major) += a^T b, for a (rows x a_columns) and b (rows x b_columns). */
void sn_row_gram_add(size_t rows, const double *a, size_t a_columns, const double *b, size_t b_columns, double *sum);

/* The same for two blocks with equally many columns whose total is known to be symmetric: only the lower triangle of
 * sum (columns x columns, column-major). Entries above the diagonal become undefined. */
void sn_row_gram_add_symmetric(size_t rows, const double *a, const double *b, size_t columns, double *sum);

/* Copies the lower triangle of sn_row_gram_add_symmetric to the upper one. */
void sn_row_gram_mirror(size_t columns, double *sum);

/* result (rows x result_columns) = a (rows x columns) matrix (columns x result_columns); a has a row stride of
 * `stride`. */
void sn_row_multiply(size_t rows, const double *a, size_t stride, size_t columns, const double *matrix,
                     size_t result_columns, double *result);

#endif
