/* SPDX-License-Identifier: MIT */
#include "author/modes/tall.h"

#define TILE_MULTIPLICATIONS ((size_t)1 << 18)
#define TILE_MINIMUM_ROWS 64
#define NARROW 4 /* columns; a wider block repays the packing */

/* Rows that one product takes. BLAS packs both operands of a large product, which costs more than the product itself
 * when b is as narrow as a block; below this many multiplications it does not. */
static size_t rows_at_once(size_t size, int m, int n)
{
    const size_t rows = TILE_MULTIPLICATIONS / ((size_t)m * (size_t)n);
    const size_t tile = rows < TILE_MINIMUM_ROWS ? TILE_MINIMUM_ROWS : rows;
    return n > NARROW || tile > size ? size : tile;
}

/* c (m x n) = a^T b for a (size x m), b (size x n) */
static void gather(size_t size, int m, const double *a, int n, const double *b, double *c)
{
    const size_t tile = rows_at_once(size, m, n);
    for (size_t start = 0; start < size; start += tile) {
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = m,
                                     .n = n,
                                     .k = (int)(size - start < tile ? size - start : tile),
                                     .alpha = 1,
                                     .beta = start > 0,
                                     .a = a + start,
                                     .lda = (int)size,
                                     .b = b + start,
                                     .ldb = (int)size,
                                     .c = c,
                                     .ldc = m});
    }
}

void sn_tall_product(size_t size, int m, const double *a, int n, double alpha, const double *h, double *y)
{
    const size_t tile = rows_at_once(size, m, n);
    for (size_t start = 0; start < size; start += tile) {
        sn_dense_multiply(&(sn_gemm){.m = (int)(size - start < tile ? size - start : tile),
                                     .n = n,
                                     .k = m,
                                     .alpha = alpha,
                                     .beta = 1,
                                     .a = a + start,
                                     .lda = (int)size,
                                     .b = h,
                                     .ldb = m,
                                     .c = y + start,
                                     .ldc = (int)size});
    }
}

void sn_tall_project_out(size_t size, int count, const double *basis, int n, double *products, double *x)
{
    if (count > 0 && n > 0) {
        gather(size, count, basis, n, x, products);
        sn_tall_product(size, count, basis, n, -1, products, x);
    }
}
