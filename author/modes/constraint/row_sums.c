/* SPDX-License-Identifier: MIT */
/* The sums of a strip of columns stay in registers over all rows. */
#include "author/modes/constraint/row_sums.h"

#include <string.h>

#include "host/base/base.h"

#define LANES 8 /* columns: one register of AVX-512, two of AVX2 */
#define MAX_SUMS 3
#define MAX_LANES 8
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* sums (m x `lane_count` lanes, of leading dimension columns). Every call passes constants for m and lane_count. */
INLINE void add_strip(size_t count, const int32_t *indices, const double *factors, const double *rows, size_t columns,
                      size_t m, size_t lane_count, double *sums)
{
    lanes s[MAX_SUMS][MAX_LANES];
#pragma GCC unroll 3
    for (size_t k = 0; k < m; k++) {
#pragma GCC unroll 8
        for (size_t c = 0; c < lane_count; c++) {
            memcpy(&s[k][c], sums + k * columns + c * LANES, sizeof s[k][c]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const double *row = rows + (size_t)indices[i] * columns;
#pragma GCC unroll 8
        for (size_t c = 0; c < lane_count; c++) {
            lanes x;
            memcpy(&x, row + c * LANES, sizeof x);
#pragma GCC unroll 3
            for (size_t k = 0; k < m; k++) {
                s[k][c] += factors[i * m + k] * x;
            }
        }
    }
#pragma GCC unroll 3
    for (size_t k = 0; k < m; k++) {
#pragma GCC unroll 8
        for (size_t c = 0; c < lane_count; c++) {
            memcpy(sums + k * columns + c * LANES, &s[k][c], sizeof s[k][c]);
        }
    }
}

/* Processes `strip` lanes of columns in one pass over the rows. */
INLINE void add(size_t count, const int32_t *indices, const double *factors, const double *rows, size_t columns,
                size_t m, size_t strip, double *sums)
{
    size_t at = 0;
    for (; at + strip * LANES <= columns; at += strip * LANES) {
        add_strip(count, indices, factors, rows + at, columns, m, strip, sums + at);
    }
    for (; at + LANES <= columns; at += LANES) {
        add_strip(count, indices, factors, rows + at, columns, m, 1, sums + at);
    }
    for (; at < columns; at++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < m; k++) {
                sums[k * columns + at] += factors[i * m + k] * rows[(size_t)indices[i] * columns + at];
            }
        }
    }
}

/* Dispatches to constants for m, with as many lanes as fit into the processor's registers. */
INLINE void add_dispatch(size_t count, const int32_t *indices, const double *factors, size_t m, const double *rows,
                         size_t columns, size_t strip, size_t multi_sum_strip, double *sums)
{
    if (m == 1) {
        add(count, indices, factors, rows, columns, 1, strip, sums);
    } else {
        add(count, indices, factors, rows, columns, MAX_SUMS, multi_sum_strip, sums);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_avx2(size_t count, const int32_t *indices, const double *factors,
                                                     size_t m, const double *rows, size_t columns, double *sums)
{
    add_dispatch(count, indices, factors, m, rows, columns, 4, 2, sums);
}

__attribute__((target("avx512f"))) static void add_avx512(size_t count, const int32_t *indices, const double *factors,
                                                          size_t m, const double *rows, size_t columns, double *sums)
{
    add_dispatch(count, indices, factors, m, rows, columns, 8, 4, sums);
}
#endif

void sn_row_sums_add(size_t count, const int32_t *indices, const double *factors, size_t m, const double *rows,
                     size_t columns, double *sums)
{
    SN_ASSERT(m == 1 || m == MAX_SUMS);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        add_avx512(count, indices, factors, m, rows, columns, sums);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        add_avx2(count, indices, factors, m, rows, columns, sums);
        return;
    }
#endif
    add_dispatch(count, indices, factors, m, rows, columns, 2, 1, sums);
}
