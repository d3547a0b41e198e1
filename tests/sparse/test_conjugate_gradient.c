/* SPDX-License-Identifier: MIT */
/* Conjugate gradients against a factor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/modes/large_body.h"

static void test_conjugate_gradients(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 20, 10, 10, 0.25);
    prepare(&b.model);
    pose_problem(&b);
    const sn_sparse *matrix = &b.problem.matrix;
    const size_t n = (size_t)matrix->size;
    double *x = SN_NEW(&b.model.arena, double, n), *y = SN_NEW(&b.model.arena, double, n);
    uint64_t random = 5;
    for (size_t i = 0; i < n; ++i) {
        x[i] = y[i] = 2 * sn_random_unit(&random) - 1;
    }
    sn_factor *factor = NULL;
    bool is_solved = true;
    assert_int_equal(sn_factor_create(matrix, "test", &factor), SN_OK);
    assert_int_equal(sn_factor_solve(factor, 1, x), SN_OK);
    sn_factor_destroy(&factor);
    double *z = SN_NEW(&b.model.arena, double, n);
    memcpy(z, y, n * sizeof *z);
    assert_int_equal(sn_sparse_solve(matrix, 1e-12, 3, z, &is_solved), SN_OK);
    assert_false(is_solved);
    assert_int_equal(sn_sparse_solve(matrix, 1e-12, 500, y, &is_solved), SN_OK);
    assert_true(is_solved);
    for (size_t i = 0; i < n; ++i) {
        assert_near(x[i], y[i], 1e-10);
    }
    finish(&b.model);
}

int test_conjugate_gradient(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conjugate_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
