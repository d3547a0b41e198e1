/* SPDX-License-Identifier: MIT */
/* A tile of the result stays in registers over the whole inner dimension: each step loads one run of a row and some
 * single numbers. */
#include "author/modes/constraint/row_products.h"

#include <stdbool.h>
#include <string.h>

#define LANES 8 /* columns: one register of AVX-512, two of AVX2 */
#define ROWS 4  /* of a tile */
#define WIDE_ROWS 8
#define WIDE_VECTORS 2 /* with AVX-512, which has twice the registers */
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* out[j, i] (+)= sum over k < count of s[j s_row + k s_step] t[k t_step + i], i contiguous. */
typedef struct product {
    size_t rows, columns, count;
    const double *s, *t;
    size_t s_row, s_step, t_step;
    double *out; /* (rows x columns) */
    bool is_added, is_lower /* only i >= j is needed */;
} product;

INLINE void store(const product *p, lanes sums, double *out, size_t skipped)
{
    if (p->is_added) {
        lanes before;
        memcpy(&before, out, sizeof before);
        sums += before;
    }
    double values[LANES];
    memcpy(values, &sums, sizeof values);
    memcpy(out + skipped, values + skipped, (LANES - skipped) * sizeof *out);
}

/* `rows` x `vectors` lanes of the result, without the first `skipped` columns. Every call of this and the next function
 * passes constants for both, so that sums stay in registers. */
INLINE void multiply_tile(const product *p, size_t rows, size_t vectors, size_t row, size_t column, size_t skipped)
{
    lanes sums[WIDE_ROWS][WIDE_VECTORS] = {0};
    const double *s = p->s + row * p->s_row, *t = p->t + column;
    for (size_t k = 0; k < p->count; k++, s += p->s_step, t += p->t_step) {
        lanes x[WIDE_VECTORS];
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            memcpy(&x[v], t + v * LANES, sizeof x[v]);
        }
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++) {
#pragma GCC unroll 2
            for (size_t v = 0; v < vectors; v++) {
                sums[r][v] += s[r * p->s_row] * x[v];
            }
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            store(p, sums[r][v], p->out + (row + r) * p->columns + column + v * LANES, skipped);
        }
    }
}

/* The last columns, if they do not fill a vector, are computed by one that overlaps the previous columns. */
INLINE void multiply_rows(const product *p, size_t rows, size_t vectors, size_t row)
{
    size_t column = p->is_lower ? row / LANES * LANES : 0;
    for (; column + vectors * LANES <= p->columns; column += vectors * LANES) {
        multiply_tile(p, rows, vectors, row, column, 0);
    }
    for (; column + LANES <= p->columns; column += LANES) {
        multiply_tile(p, rows, 1, row, column, 0);
    }
    if (column < p->columns) {
        multiply_tile(p, rows, 1, row, p->columns - LANES, column + LANES - p->columns);
    }
}

INLINE void multiply(const product *p, size_t rows, size_t vectors)
{
    size_t row = 0;
    for (; row + rows <= p->rows; row += rows) {
        multiply_rows(p, rows, vectors, row);
    }
    for (; row + ROWS <= p->rows; row += ROWS) {
        multiply_rows(p, ROWS, vectors, row);
    }
    for (; row < p->rows; row++) {
        multiply_rows(p, 1, vectors, row);
    }
}

/* For fewer columns than a vector has. */
static void multiply_few_columns(const product *p)
{
    for (size_t row = 0; row < p->rows; row++) {
        for (size_t column = 0; column < p->columns; column++) {
            double sum = 0;
            for (size_t k = 0; k < p->count; k++) {
                sum += p->s[row * p->s_row + k * p->s_step] * p->t[k * p->t_step + column];
            }
            double *out = p->out + row * p->columns + column;
            *out = (p->is_added ? *out : 0) + sum;
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_avx2(const product *p)
{
    multiply(p, ROWS, 1);
}

__attribute__((target("avx512f"))) static void multiply_avx512(const product *p)
{
    multiply(p, WIDE_ROWS, WIDE_VECTORS);
}
#endif

static void compute(const product *p)
{
    if (p->columns < LANES) {
        multiply_few_columns(p);
        return;
    }
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        multiply_avx512(p);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        multiply_avx2(p);
        return;
    }
#endif
    multiply(p, ROWS, 1);
}

static product gram_of(size_t rows, const double *a, size_t a_columns, const double *b, size_t b_columns, double *sum)
{
    return (product){.rows = b_columns,
                     .columns = a_columns,
                     .count = rows,
                     .s = b,
                     .t = a,
                     .s_row = 1,
                     .s_step = b_columns,
                     .t_step = a_columns,
                     .out = sum,
                     .is_added = true};
}

void sn_row_gram_add(size_t rows, const double *a, size_t a_columns, const double *b, size_t b_columns, double *sum)
{
    const product p = gram_of(rows, a, a_columns, b, b_columns, sum);
    compute(&p);
}

void sn_row_gram_add_symmetric(size_t rows, const double *a, const double *b, size_t columns, double *sum)
{
    product p = gram_of(rows, a, columns, b, columns, sum);
    p.is_lower = true;
    compute(&p);
}

void sn_row_gram_mirror(size_t columns, double *sum)
{
    for (size_t j = 0; j < columns; ++j) {
        for (size_t i = 0; i < j; ++i) {
            sum[j * columns + i] = sum[i * columns + j];
        }
    }
}

void sn_row_multiply(size_t rows, const double *a, size_t stride, size_t columns, const double *matrix,
                     size_t result_columns, double *result)
{
    const product p = {.rows = rows,
                       .columns = result_columns,
                       .count = columns,
                       .s = a,
                       .t = matrix,
                       .s_row = stride,
                       .s_step = 1,
                       .t_step = result_columns,
                       .out = result};
    compute(&p);
}
