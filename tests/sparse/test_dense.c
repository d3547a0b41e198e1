/* SPDX-License-Identifier: MIT */
/* Dense Cholesky solves: what is solved, and many columns against one at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/sparse/sparse.h"
#include "host/base/random.h"

enum { SIZE = 37, COLUMNS = 41 };

static void solves(void **state)
{
    (void)state;
    static double matrix[SIZE * SIZE], lower[SIZE * SIZE], loads[SIZE * COLUMNS], x[SIZE * COLUMNS];
    static double one[SIZE * COLUMNS];
    uint64_t random = 3;
    for (int j = 0; j < SIZE; ++j) {
        for (int i = 0; i < SIZE; ++i) {
            matrix[j * SIZE + i] = i == j ? 4 : 1 / (1.0 + (i - j) * (i - j));
        }
    }
    memcpy(lower, matrix, sizeof lower);
    assert_true(sn_dense_cholesky(SIZE, lower));
    for (int i = 0; i < SIZE * COLUMNS; ++i) {
        loads[i] = 2 * sn_random_unit(&random) - 1;
    }
    memcpy(x, loads, sizeof x);
    memcpy(one, loads, sizeof one);
    sn_dense_cholesky_solve(SIZE, lower, COLUMNS, x);
    for (int c = 0; c < COLUMNS; ++c) {
        sn_dense_cholesky_solve(SIZE, lower, 1, one + c * SIZE);
        for (int i = 0; i < SIZE; ++i) {
            double sum = 0;
            for (int j = 0; j < SIZE; ++j) {
                sum += matrix[j * SIZE + i] * x[c * SIZE + j];
            }
            assert_true(fabs(sum - loads[c * SIZE + i]) < 1e-13);
            assert_true(fabs(x[c * SIZE + i] - one[c * SIZE + i]) < 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
