/* SPDX-License-Identifier: MIT */
/* Weighted sums of rows, to the bit, for any number of columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/constraint/row_sums.h"

enum { ROWS = 29, MOST = 77, COUNT = 17, SUMS = 3 };

/* Irregular, in [-1, 1). */
static double next_number(uint32_t *state)
{
    *state = 1664525 * *state + 1013904223;
    return (double)*state / 2147483648.0 - 1;
}

static void check(size_t columns, size_t count, size_t sum_count, uint32_t seed)
{
    double rows[ROWS * MOST], factors[COUNT * SUMS], sums[SUMS * MOST], expected[SUMS * MOST];
    int32_t indices[COUNT];
    for (size_t i = 0; i < ROWS * columns; ++i) {
        rows[i] = next_number(&seed);
    }
    for (size_t i = 0; i < COUNT * sum_count; ++i) {
        factors[i] = next_number(&seed);
    }
    for (size_t i = 0; i < COUNT; ++i) {
        indices[i] = (int32_t)(11 * i % ROWS);
    }
    for (size_t i = 0; i < sum_count * columns; ++i) {
        sums[i] = expected[i] = next_number(&seed);
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < sum_count; ++k) {
            for (size_t c = 0; c < columns; ++c) {
                expected[k * columns + c] += factors[i * sum_count + k] * rows[(size_t)indices[i] * columns + c];
            }
        }
    }
    sn_row_sums_add(count, indices, factors, sum_count, rows, columns, sums);
    assert_memory_equal(sums, expected, sum_count * columns * sizeof *sums);
}

static void test_plain_loops(void **state)
{
    (void)state;
    for (size_t columns = 1; columns <= MOST; ++columns) {
        for (size_t count = 0; count <= COUNT; count += COUNT) {
            check(columns, count, 1, (uint32_t)columns);
            check(columns, count, SUMS, (uint32_t)columns);
        }
    }
}

int test_row_sums(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
