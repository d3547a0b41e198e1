/* SPDX-License-Identifier: MIT */
/* BLAS packs both operands of a product, which takes longer than the product itself if one has few columns. Here every
 * value of the tall matrix is read once, four columns at a time against two of the narrow matrix. */
#include "author/modes/eigen/tall_skinny_gemm.h"

#include <string.h>

#define LANES 4
#define STRIP 4 /* columns of the tall matrix in one pass over the rows */
#define PAIR 2  /* columns of the narrow matrix */
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

INLINE lanes load(const double *from)
{
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* c (m x n, of leading dimension ldc) = a^T b. Every call of this and the next function passes constant widths, so that
 * sums stay in registers. */
INLINE void multiply_transposed_strip(size_t size, size_t m, const double *a, size_t n, const double *b, double *c,
                                      size_t ldc)
{
    lanes sums[PAIR][STRIP] = {0};
    size_t i = 0;
    for (; i + LANES <= size; i += LANES) {
#pragma GCC unroll 4
        for (size_t k = 0; k < m; k++) {
            const lanes column = load(a + k * size + i);
#pragma GCC unroll 2
            for (size_t j = 0; j < n; j++) {
                sums[j][k] += column * load(b + j * size + i);
            }
        }
    }
#pragma GCC unroll 2
    for (size_t j = 0; j < n; j++) {
#pragma GCC unroll 4
        for (size_t k = 0; k < m; k++) {
            const lanes s = sums[j][k];
            double sum = (s[0] + s[1]) + (s[2] + s[3]);
            for (size_t r = i; r < size; r++) {
                sum += a[k * size + r] * b[j * size + r];
            }
            c[j * ldc + k] = sum;
        }
    }
}

/* y (size x n) += alpha a h, h (m x n, of leading dimension ldh). */
INLINE void multiply_add_strip(size_t size, size_t m, const double *a, size_t n, double alpha, const double *h,
                               size_t ldh, double *y)
{
    double factors[PAIR][STRIP];
    size_t i = 0;
#pragma GCC unroll 2
    for (size_t j = 0; j < n; j++) {
#pragma GCC unroll 4
        for (size_t k = 0; k < m; k++) {
            factors[j][k] = alpha * h[j * ldh + k];
        }
    }
    for (; i + LANES <= size; i += LANES) {
        lanes sums[PAIR];
#pragma GCC unroll 2
        for (size_t j = 0; j < n; j++) {
            sums[j] = load(y + j * size + i);
        }
#pragma GCC unroll 4
        for (size_t k = 0; k < m; k++) {
            const lanes column = load(a + k * size + i);
#pragma GCC unroll 2
            for (size_t j = 0; j < n; j++) {
                sums[j] += column * (factors[j][k] - (lanes){0});
            }
        }
#pragma GCC unroll 2
        for (size_t j = 0; j < n; j++) {
            memcpy(y + j * size + i, &sums[j], sizeof sums[j]);
        }
    }
    for (; i < size; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < m; k++) {
                y[j * size + i] += a[k * size + i] * factors[j][k];
            }
        }
    }
}

/* Processes columns of a from `k` on against one or two of the narrow matrix; returns their number. */
INLINE size_t multiply_transposed_columns(size_t size, size_t m, const double *a, size_t k, size_t n, const double *b,
                                          double *c, size_t ldc)
{
    if (m - k >= STRIP) {
        multiply_transposed_strip(size, STRIP, a + k * size, n, b, c + k, ldc);
        return STRIP;
    }
    multiply_transposed_strip(size, 1, a + k * size, n, b, c + k, ldc);
    return 1;
}

INLINE size_t multiply_add_columns(size_t size, size_t m, const double *a, size_t k, size_t n, double alpha,
                                   const double *h, size_t ldh, double *y)
{
    if (m - k >= STRIP) {
        multiply_add_strip(size, STRIP, a + k * size, n, alpha, h + k, ldh, y);
        return STRIP;
    }
    multiply_add_strip(size, 1, a + k * size, n, alpha, h + k, ldh, y);
    return 1;
}

INLINE void multiply_transposed(size_t size, size_t m, const double *a, size_t n, const double *b, double *c,
                                size_t ldc)
{
    for (size_t j = 0; j < n; j += PAIR) {
        for (size_t k = 0; k < m;) {
            k += n - j >= PAIR ? multiply_transposed_columns(size, m, a, k, PAIR, b + j * size, c + j * ldc, ldc)
                               : multiply_transposed_columns(size, m, a, k, 1, b + j * size, c + j * ldc, ldc);
        }
    }
}

INLINE void multiply_add(size_t size, size_t m, const double *a, size_t n, double alpha, const double *h, size_t ldh,
                         double *y)
{
    for (size_t j = 0; j < n; j += PAIR) {
        for (size_t k = 0; k < m;) {
            k += n - j >= PAIR ? multiply_add_columns(size, m, a, k, PAIR, alpha, h + j * ldh, ldh, y + j * size)
                               : multiply_add_columns(size, m, a, k, 1, alpha, h + j * ldh, ldh, y + j * size);
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void gather_avx2(size_t size, size_t m, const double *a, size_t n,
                                                        const double *b, double *c, size_t ldc)
{
    multiply_transposed(size, m, a, n, b, c, ldc);
}

__attribute__((target("avx2"))) static void add_avx2(size_t size, size_t m, const double *a, size_t n, double alpha,
                                                     const double *h, size_t ldh, double *y)
{
    multiply_add(size, m, a, n, alpha, h, ldh, y);
}
#endif

void sn_tall_skinny_transpose_multiply(size_t size, size_t m, const double *a, size_t n, const double *b, double *c,
                                       size_t ldc)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        gather_avx2(size, m, a, n, b, c, ldc);
        return;
    }
#endif
    multiply_transposed(size, m, a, n, b, c, ldc);
}

void sn_tall_skinny_multiply_add(size_t size, size_t m, const double *a, size_t n, double alpha, const double *h,
                                 size_t ldh, double *y)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        add_avx2(size, m, a, n, alpha, h, ldh, y);
        return;
    }
#endif
    multiply_add(size, m, a, n, alpha, h, ldh, y);
}

void sn_tall_skinny_project_out(size_t size, size_t count, const double *basis, size_t n, double *products, double *x)
{
    for (size_t first = 0; first < count; first += SN_TALL_SKINNY_BATCH) {
        const size_t m = count - first < SN_TALL_SKINNY_BATCH ? count - first : SN_TALL_SKINNY_BATCH;
        sn_tall_skinny_transpose_multiply(size, m, basis + first * size, n, x, products, m);
        sn_tall_skinny_multiply_add(size, m, basis + first * size, n, -1, products, m, x);
    }
}
