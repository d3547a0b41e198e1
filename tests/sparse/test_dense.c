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

/* matrix vectors = vectors (blocks of the eigenvalues); one that turns about an axis and grows along it. */
static void finds_general_eigenvectors(void **state)
{
    (void)state;
    static const double matrix[9] = {0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0.5, 3}; /* column-major */
    double values[6], vectors[9], inverse[9];
    int real = -1, pair = -1;
    assert_int_equal(sn_general_eigen(3, matrix, values, vectors, inverse), SN_OK);
    for (int k = 0; k < 3; ++k) {
        real = values[3 + k] == 0 ? k : real;
        pair = values[3 + k] > 0 ? k : pair;
    }
    assert_true(fabs(values[real] - 3) < 1e-14);
    assert_true(fabs(values[pair] - 0.6) < 1e-14 && fabs(values[3 + pair] - 0.8) < 1e-14);
    for (int i = 0; i < 3; ++i) {
        double turned[3] = {0}, unit[3] = {0};
        for (int j = 0; j < 3; ++j) {
            turned[0] += matrix[3 * j + i] * vectors[3 * real + j];
            turned[1] += matrix[3 * j + i] * vectors[3 * pair + j];
            turned[2] += matrix[3 * j + i] * vectors[3 * (pair + 1) + j];
            for (int k = 0; k < 3; ++k) {
                unit[k] += inverse[3 * j + i] * vectors[3 * k + j];
            }
        }
        const double *u = vectors + 3 * pair, *w = u + 3;
        assert_true(fabs(turned[0] - 3 * vectors[3 * real + i]) < 1e-13);
        assert_true(fabs(turned[1] - 0.6 * u[i] + 0.8 * w[i]) < 1e-13);
        assert_true(fabs(turned[2] - 0.6 * w[i] - 0.8 * u[i]) < 1e-13);
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs(unit[k] - (i == k)) < 1e-13);
        }
    }
}

static void refuses_what_is_not_finite(void **state)
{
    (void)state;
    static const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int k = 0; k < 12; ++k) {
        double matrix[4] = {1, 0.5, -0.5, 2}, values[4], vectors[4], inverse[4];
        sn_captured_log kept = {0}, *const former = sn_capture_log(&kept);
        matrix[k % 4] = bad[k / 4];
        assert_int_equal(sn_general_eigen(2, matrix, values, vectors, inverse), SN_ERROR_NUMERIC);
        sn_capture_log(former);
        assert_true(kept.is_captured && strstr(kept.line, "not finite"));
    }
}

int test_dense(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(finds_general_eigenvectors),
                                       cmocka_unit_test(refuses_what_is_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
