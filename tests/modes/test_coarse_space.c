/* SPDX-License-Identifier: MIT */
/* The lattice's functions and its matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/modes/two_grid_fixture.h"

/* No function is on both arms, which are closer than lattice nodes. */
static void test_functions_keep_to_a_part(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_matrix_rows k;
    sn_coarse_space space;
    b.model.mesh = sn_test_bar(&b.model.arena, 60, 13, 12, 0.25);
    cut_slot(&b.model, 1, 1.5, 1.75);
    prepare(&b.model);
    pose_problem(&b);
    assert_int_equal(sn_matrix_rows_build(&b.problem.matrix, &b.model.arena, &k), SN_OK);
    assert_int_equal(sn_coarse_space_build(&b.problem, b.model.mesh.positions, &k, b.problem.unknowns.count / 22,
                                           &b.model.arena, &space),
                     SN_OK);
    bool *has_low = SN_NEW(&b.model.arena, bool, space.coarse_size),
         *has_high = SN_NEW(&b.model.arena, bool, space.coarse_size);
    for (size_t i = 0; i < space.size * SN_CORNERS; ++i) {
        const double *x = b.model.mesh.positions + 3 * (size_t)b.problem.unknowns.vertices[i / SN_CORNERS];
        if (x[0] > 3 && space.weights[i] != 0) {
            (x[1] < 1.6 ? has_low : has_high)[space.nodes[i]] = true;
        }
    }
    for (size_t i = 0; i < space.coarse_size; ++i) {
        assert_true(!(has_low[i] && has_high[i]));
    }
    finish(&b.model);
}

/* p^T (K - 1) p + 1 */
static void test_the_matrix_of_the_lattice(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count, coarse_count = 8 * g.space.coarse_size;
    double *small = SN_NEW(&g.b.model.arena, double, coarse_count),
           *product = SN_NEW(&g.b.model.arena, double, coarse_count);
    fill_randomly(coarse_count, 5, small);
    float *fine = SN_NEW(&g.b.model.arena, float, 8 * n);
    double *x = SN_NEW(&g.b.model.arena, double, 8 * n), *y = SN_NEW(&g.b.model.arena, double, 8 * n);
    sn_coarse_space_prolong(&g.space, 8, small, fine);
    for (size_t i = 0; i < 8 * n; ++i) {
        x[i] = (double)fine[i];
    }
    sn_matrix_rows_multiply(&g.k, 0, n, 8, x, 8, y);
    for (size_t i = 0; i < 8 * n; ++i) {
        fine[i] = (float)(y[i] - x[i]);
    }
    sn_coarse_space_restrict(&g.space, 8, fine, product);
    for (int j = 0; j < g.coarse.size; ++j) {
        for (int32_t e = g.coarse.column_starts[j]; e < g.coarse.column_starts[j + 1]; ++e) {
            const size_t i = (size_t)g.coarse.rows[e], other = (size_t)j;
            for (size_t c = 0; c < 8; ++c) {
                product[8 * i + c] -= g.coarse.values[e] * small[8 * other + c];
                product[8 * other + c] -= i != other ? g.coarse.values[e] * small[8 * i + c] : 0;
            }
        }
    }
    for (size_t i = 0; i < coarse_count; ++i) {
        assert_near(product[i] + small[i], 0, 1e-5 * g.coarse.values[0]);
    }
    finish_two_grid(&g);
}

int test_coarse_space(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_keep_to_a_part),
        cmocka_unit_test(test_the_matrix_of_the_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
