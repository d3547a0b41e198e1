/* SPDX-License-Identifier: MIT */
/* Private to author/modes: products of tall column-major matrices with blocks of few columns. */
#ifndef SN_AUTHOR_MODES_TALL_H
#define SN_AUTHOR_MODES_TALL_H

#include "author/sparse/sparse.h"

/* y (size x n) += alpha a (size x m) h (m x n) */
void sn_tall_product(size_t size, int m, const double *a, int n, double alpha, const double *h, double *y);
/* x (size x n) -= basis basis^T x for `count` orthonormal columns; products (count x n) gets basis^T x. */
void sn_tall_project_out(size_t size, int count, const double *basis, int n, double *products, double *x);

#endif
