/* SPDX-License-Identifier: MIT */
#include "author/modes/constraint/matrix_rows.h"

#include <string.h>

#define LANES 4
#define STRIP 6 /* lanes that a pass over the matrix keeps in registers */
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

sn_result sn_matrix_rows_build(const sn_sparse *lower, sn_arena *arena, sn_matrix_rows *rows)
{
    const size_t size = (size_t)lower->size, filled = (size_t)lower->column_starts[size];
    *rows = (sn_matrix_rows){.size = size,
                             .starts = SN_NEW(arena, size_t, size + 1),
                             .columns = SN_NEW(arena, int32_t, 2 * filled - size),
                             .values = SN_NEW(arena, double, 2 * filled - size),
                             .inverse_diagonal = SN_NEW(arena, double, size)};
    size_t *next = SN_NEW(arena, size_t, size);
    if (!rows->starts || !rows->columns || !rows->values || !rows->inverse_diagonal || !next) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < size; ++j) {
        for (int32_t k = lower->column_starts[j]; k < lower->column_starts[j + 1]; ++k) {
            const size_t i = (size_t)lower->rows[k];
            rows->starts[i + 1]++;
            rows->starts[j + 1] += i != j;
        }
    }
    for (size_t i = 0; i < size; ++i) {
        rows->starts[i + 1] += rows->starts[i];
        next[i] = rows->starts[i];
    }
    /* by columns: each row receives its entries left of the diagonal, the diagonal, then those to the right */
    for (size_t j = 0; j < size; ++j) {
        for (int32_t k = lower->column_starts[j]; k < lower->column_starts[j + 1]; ++k) {
            const size_t i = (size_t)lower->rows[k];
            rows->columns[next[i]] = (int32_t)j;
            rows->values[next[i]++] = lower->values[k];
            if (i != j) {
                rows->columns[next[j]] = (int32_t)i;
                rows->values[next[j]++] = lower->values[k];
            } else {
                rows->inverse_diagonal[i] = 1 / lower->values[k];
            }
        }
    }
    return SN_OK;
}

/* A product for a range of rows. */
typedef struct product {
    const sn_matrix_rows *a;
    size_t first, count, width, stride;
    const double *x;
    double *y;
} product;

/* Every call passes a constant `lane_count`, so that the sums stay in registers. */
INLINE void multiply_strip(const product *p, size_t lane_count, size_t column)
{
    const sn_matrix_rows *a = p->a;
    for (size_t i = p->first; i < p->first + p->count; ++i) {
        lanes sums[STRIP] = {{0}};
        for (size_t k = a->starts[i]; k < a->starts[i + 1]; ++k) {
            const double *from = p->x + (size_t)a->columns[k] * p->stride + column;
#pragma GCC unroll 6
            for (size_t c = 0; c < lane_count; ++c) {
                lanes entry;
                memcpy(&entry, from + LANES * c, sizeof entry);
                sums[c] += a->values[k] * entry;
            }
        }
        memcpy(p->y + (i - p->first) * p->width + column, sums, lane_count * sizeof *sums);
    }
}

INLINE void multiply(const product *p)
{
    size_t column = 0;
    for (; column + STRIP * LANES <= p->width; column += STRIP * LANES) {
        multiply_strip(p, STRIP, column);
    }
    switch ((p->width - column) / LANES) {
    case 5:
        multiply_strip(p, 5, column);
        break;
    case 4:
        multiply_strip(p, 4, column);
        break;
    case 3:
        multiply_strip(p, 3, column);
        break;
    case 2:
        multiply_strip(p, 2, column);
        break;
    case 1:
        multiply_strip(p, 1, column);
        break;
    default:
        break;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_avx2(const product *p)
{
    multiply(p);
}
#endif

void sn_matrix_rows_multiply(const sn_matrix_rows *a, size_t first, size_t count, size_t width, const double *x,
                             size_t stride, double *y)
{
    const product p = {a, first, count, width, stride, x, y};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        multiply_avx2(&p);
        return;
    }
#endif
    multiply(&p);
}
