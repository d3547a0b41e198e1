/* SPDX-License-Identifier: MIT */
/* Private to author/modes: products of tall-skinny column-major matrices with blocks of few columns. The results do not
 * depend on the vector width of the machine. */
#ifndef SN_AUTHOR_MODES_EIGEN_TALL_SKINNY_GEMM_H
#define SN_AUTHOR_MODES_EIGEN_TALL_SKINNY_GEMM_H

#include <stddef.h>

/* Columns that sn_tall_skinny_project_out processes at once. */
#define SN_TALL_SKINNY_BATCH 8

/* c (m x n, of leading dimension ldc) = a^T b for a (size x m) and b (size x n). */
void sn_tall_skinny_transpose_multiply(size_t size, size_t m, const double *a, size_t n, const double *b, double *c,
                                       size_t ldc);
/* y (size x n) += alpha a (size x m) h (m x n, of leading dimension ldh). */
void sn_tall_skinny_multiply_add(size_t size, size_t m, const double *a, size_t n, double alpha, const double *h,
                                 size_t ldh, double *y);
/* x (size x n) -= basis basis^T x for `count` orthonormal columns, SN_TALL_SKINNY_BATCH at a time, so that they stay in
 * the cache between their two products; products (SN_TALL_SKINNY_BATCH x n) is scratch. */
void sn_tall_skinny_project_out(size_t size, size_t count, const double *basis, size_t n, double *products, double *x);

#endif
