/* SPDX-License-Identifier: MIT */
/* Products of row blocks against plain loops, to the bit, for any number of columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/constraint/row_products.h"

enum { MOST = 37, ROWS = 13 };

static double a[MOST * MOST], b[MOST * MOST], sum[MOST * MOST], expected[MOST * MOST];

/* Irregular, in [-1, 1). */
static void fill(size_t count, uint32_t seed, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        seed = 1664525 * seed + 1013904223;
        values[i] = (double)seed / 2147483648.0 - 1;
    }
}

static void check_gram(size_t a_columns, size_t b_columns)
{
    fill(ROWS * a_columns, 1, a);
    fill(ROWS * b_columns, 2, b);
    fill(a_columns * b_columns, 3, sum);
    for (size_t j = 0; j < b_columns; ++j) {
        for (size_t i = 0; i < a_columns; ++i) {
            double product = 0;
            for (size_t r = 0; r < ROWS; ++r) {
                product += b[r * b_columns + j] * a[r * a_columns + i];
            }
            expected[j * a_columns + i] = sum[j * a_columns + i] + product;
        }
    }
    double before[MOST * MOST];
    memcpy(before, sum, sizeof before);
    sn_row_gram_add(ROWS, a, a_columns, b, b_columns, sum);
    assert_memory_equal(sum, expected, a_columns * b_columns * sizeof *sum);
    if (a_columns == b_columns) {
        memcpy(sum, before, sizeof before);
        sn_row_gram_add_symmetric(ROWS, a, b, a_columns, sum);
        for (size_t j = 0; j < b_columns; ++j) {
            assert_memory_equal(sum + j * a_columns + j, expected + j * a_columns + j, (a_columns - j) * sizeof *sum);
        }
    }
}

static void check_multiply(size_t columns, size_t result_columns)
{
    const size_t stride = columns < MOST ? columns + 1 : columns;
    fill(ROWS * stride, 4, a);
    fill(columns * result_columns, 5, b);
    for (size_t r = 0; r < ROWS; ++r) {
        for (size_t i = 0; i < result_columns; ++i) {
            double product = 0;
            for (size_t k = 0; k < columns; ++k) {
                product += a[r * stride + k] * b[k * result_columns + i];
            }
            expected[r * result_columns + i] = product;
        }
    }
    sn_row_multiply(ROWS, a, stride, columns, b, result_columns, sum);
    assert_memory_equal(sum, expected, ROWS * result_columns * sizeof *sum);
}

static void test_plain_loops(void **state)
{
    (void)state;
    for (size_t m = 0; m <= MOST; ++m) {
        for (size_t n = 0; n <= MOST; ++n) {
            check_gram(m, n);
            check_multiply(m, n);
        }
    }
}

int test_row_products(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
