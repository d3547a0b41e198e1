/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "host/math/jacobi.h"

#define MOST 48

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void fill(int count, int size, double *columns)
{
    uint64_t seed = 7;
    for (int i = 0; i < count * size; ++i) {
        columns[i] = sn_random_unit(&seed) - 0.5;
    }
}

/* A R = the result, R^T R = 1, the result's columns are orthogonal and ascend. */
static void check(int count, int size, const double *before, const double *columns, const double *rotation)
{
    double last = 0;
    for (int i = 0; i < count; ++i) {
        const double own = dot(columns + i * size, columns + i * size, size);
        assert_true(own >= last);
        last = own;
        for (int j = 0; j < i; ++j) {
            const double other = dot(columns + j * size, columns + j * size, size);
            assert_true(fabs(dot(columns + i * size, columns + j * size, size)) <= 1e-13 * sqrt(own) * sqrt(other));
        }
        for (int j = 0; j <= i; ++j) {
            assert_true(fabs(dot(rotation + i * count, rotation + j * count, count) - (i == j)) < 1e-13);
        }
        for (int k = 0; k < size; ++k) {
            double sum = 0;
            for (int j = 0; j < count; ++j) {
                sum += rotation[i * count + j] * before[j * size + k];
            }
            assert_true(fabs(sum - columns[i * size + k]) < 1e-13 * size);
        }
    }
}

static void test_columns_become_orthogonal(void **state)
{
    (void)state;
    static double before[MOST * MOST], columns[MOST * MOST], rotation[MOST * MOST];
    const int sizes[][2] = {{1, 1}, {2, 5}, {7, 7}, {31, 48}, {48, 48}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const int count = sizes[i][0], size = sizes[i][1];
        fill(count, size, before);
        memcpy(columns, before, sizeof before);
        sn_jacobi_orthogonalise(count, size, columns, rotation);
        check(count, size, before, columns, rotation);
    }
}

/* The second difference on n points has the eigenvalues 2 - 2 cos(k pi / (n + 1)); of a symmetric matrix, the lengths
 * are the eigenvalues' sizes. */
static void test_known_eigenvalues(void **state)
{
    (void)state;
    enum { N = 20 };
    double matrix[N * N] = {0}, rotation[N * N];
    for (int i = 0; i < N; ++i) {
        matrix[i * N + i] = 2;
        if (i > 0) {
            matrix[i * N + i - 1] = matrix[(i - 1) * N + i] = -1;
        }
    }
    sn_jacobi_orthogonalise(N, N, matrix, rotation);
    for (int k = 0; k < N; ++k) {
        const double expected = 2 - 2 * cos((k + 1) * 3.14159265358979323846 / (N + 1));
        assert_true(fabs(sqrt(dot(matrix + k * N, matrix + k * N, N)) - expected) < 1e-13);
    }
}

/* Columns that differ by many orders of magnitude keep their digits: A = Q diag(10^-2k), whose A^T A has eigenvalues
 * down to 1e-28 of the largest. */
static void test_small_values_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 8 };
    double columns[N * N], rotation[N * N];
    fill(N, N, columns);
    sn_jacobi_orthogonalise(N, N, columns, rotation);
    for (int k = 0; k < N; ++k) {
        const double length = sqrt(dot(columns + k * N, columns + k * N, N));
        for (int i = 0; i < N; ++i) {
            columns[k * N + i] *= pow(10, -2 * k) / length;
        }
    }
    /* mixes each with the next larger one, which hides it */
    for (int k = 1; k < N; ++k) {
        for (int i = 0; i < N; ++i) {
            columns[k * N + i] += 1e-3 * columns[(k - 1) * N + i];
        }
    }
    double product = 1;
    sn_jacobi_orthogonalise(N, N, columns, rotation);
    for (int k = 0; k < N; ++k) {
        product *= sqrt(dot(columns + k * N, columns + k * N, N)) / pow(10, -2 * (N - 1 - k));
    }
    assert_true(fabs(product - 1) < 1e-11); /* the determinant, which the mixing leaves */
}

static void test_dependent_columns(void **state)
{
    (void)state;
    enum { COUNT = 6, SIZE = 4 };
    double before[COUNT * SIZE], columns[COUNT * SIZE], rotation[COUNT * COUNT];
    fill(COUNT, SIZE, before);
    memset(before + 3 * SIZE, 0, SIZE * sizeof *before);
    memcpy(columns, before, sizeof before);
    sn_jacobi_orthogonalise(COUNT, SIZE, columns, rotation);
    for (int k = 0; k < COUNT; ++k) {
        const double length = sqrt(dot(columns + k * SIZE, columns + k * SIZE, SIZE));
        assert_true(k < COUNT - SIZE ? length < 1e-14 : length > 0.05);
    }
}

int test_jacobi(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_become_orthogonal),
        cmocka_unit_test(test_known_eigenvalues),
        cmocka_unit_test(test_small_values_keep_their_digits),
        cmocka_unit_test(test_dependent_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
