/* SPDX-License-Identifier: MIT */
/* The cycle of two grids as a preconditioner. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/modes/two_grid_fixture.h"

/* T x, of four columns beside four others. */
static void apply_cycle(two_grid *g)
{
    const size_t n = g->b.problem.unknowns.count;
    for (size_t i = 0; i < 8 * n; ++i) {
        g->grid.residual[i] = (float)(i % 8 < 4 ? g->x[i / 8 * 4 + i % 8] : 3);
    }
    assert_int_equal(sn_two_grid_apply(&g->grid, 8), SN_OK);
    for (size_t i = 0; i < 4 * n; ++i) {
        g->y[i] = (double)g->grid.solution[i / 4 * 8 + i % 4];
    }
}

static void test_a_cycle_is_symmetric_and_positive(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count;
    fill_randomly(4 * n, 3, g.x);
    apply_cycle(&g);
    for (size_t i = 0; i < 4; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double one = 0, two = 0, square = 0;
            for (size_t v = 0; v < n; ++v) {
                one += g.x[4 * v + i] * g.y[4 * v + j];
                two += g.x[4 * v + j] * g.y[4 * v + i];
                square += g.x[4 * v + i] * g.y[4 * v + i];
            }
            assert_near(one, two, 1e-6 * square); /* but for a float's rounding */
            assert_true(i != j || one > 0);
        }
    }
    finish_two_grid(&g);
}

/* Each column by itself, in blocks of any width, to the bit. */
static void test_a_cycle_keeps_columns_apart(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count;
    sn_two_grid wide;
    assert_int_equal(sn_two_grid_init(&g.k, &g.space, g.factor, 28, &g.b.model.arena, &wide), SN_OK);
    fill_randomly(4 * n, 9, g.x);
    for (size_t i = 0; i < 4 * n; ++i) {
        g.grid.residual[i] = (float)g.x[i];
    }
    assert_int_equal(sn_two_grid_apply(&g.grid, 4), SN_OK);
    for (size_t width = 8; width <= 28; width += 4) {
        for (size_t i = 0; i < width * n; ++i) {
            wide.residual[i] = (float)g.x[i / width * 4 + i % width % 4] * (i % width < 4 ? 1 : 2);
        }
        assert_int_equal(sn_two_grid_apply(&wide, width), SN_OK);
        for (size_t i = 0; i < width * n; ++i) {
            const float one = g.grid.solution[i / width * 4 + i % width % 4];
            assert_true(wide.solution[i] == one * (i % width < 4 ? 1 : 2));
        }
    }
    finish_two_grid(&g);
}

/* As where slivers are: a chain, whose eigenvalues end at 1.9, and in it four unknowns that pull each other, which
 * alone have one of 2.5. */
static void test_an_eigenvalue_of_few_unknowns(void **state)
{
    (void)state;
    enum { SIZE = 20000, FIRST = 1000, LAST = 1003 };
    sn_arena arena = {0};
    sn_sparse lower = {.size = SIZE,
                       .column_starts = SN_NEW(&arena, int32_t, SIZE + 1),
                       .rows = SN_NEW(&arena, int32_t, 4 * SIZE),
                       .values = SN_NEW(&arena, double, 4 * SIZE)};
    int32_t filled = 0;
    for (int32_t j = 0; j < SIZE; ++j) {
        const bool is_strong = j >= FIRST && j <= LAST;
        for (int32_t i = j; i < SIZE && i <= (is_strong && j < LAST ? LAST : j + 1); ++i, ++filled) {
            lower.rows[filled] = i;
            lower.values[filled] = i == j ? 1 : is_strong && i <= LAST ? 0.5 : -0.45;
        }
        lower.column_starts[j + 1] = filled;
    }
    sn_matrix_rows k;
    sn_two_grid grid;
    const sn_coarse_space space = {.size = SIZE, .coarse_size = 1};
    assert_int_equal(sn_matrix_rows_build(&lower, &arena, &k), SN_OK);
    assert_int_equal(sn_two_grid_init(&k, &space, NULL, 4, &arena, &grid), SN_OK);
    assert_true(grid.high > 2.5 && grid.high < 3);
    sn_arena_finish(&arena);
}

/* What remains of a solution's error after a cycle is less than a third, in the norm of K. */
static void test_a_cycle_converges(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count;
    double *error = SN_NEW(&g.b.model.arena, double, 4 * n), before = 0, after = 0;
    fill_randomly(4 * n, 7, error);
    sn_matrix_rows_multiply(&g.k, 0, n, 4, error, 4, g.x);
    for (size_t i = 0; i < 4 * n; ++i) {
        before += error[i] * g.x[i];
    }
    apply_cycle(&g);
    for (size_t i = 0; i < 4 * n; ++i) {
        error[i] -= g.y[i];
    }
    sn_matrix_rows_multiply(&g.k, 0, n, 4, error, 4, g.x);
    for (size_t i = 0; i < 4 * n; ++i) {
        after += error[i] * g.x[i];
    }
    assert_true(after > 0 && after < before / 9);
    finish_two_grid(&g);
}

int test_two_grid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cycle_is_symmetric_and_positive),
        cmocka_unit_test(test_a_cycle_keeps_columns_apart),
        cmocka_unit_test(test_an_eigenvalue_of_few_unknowns),
        cmocka_unit_test(test_a_cycle_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
