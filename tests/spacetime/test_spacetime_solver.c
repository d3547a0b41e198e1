/* SPDX-License-Identifier: MIT */
/* The solvers against a dense solve of the system, built entry by entry as its definition says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/spacetime/prism.h"
#include "author/spacetime/roots.h"
#include "author/spacetime/solver.h"
#include "host/base/random.h"
#include "tests/spacetime/sequences.h"

/* L, whole. */
static double *expand(sn_arena *arena, const sn_sparse *lower)
{
    const size_t n = (size_t)lower->size;
    double *dense = SN_NEW(arena, double, n *n);
    for (size_t column = 0; column < n; ++column) {
        for (int32_t i = lower->column_starts[column]; i < lower->column_starts[column + 1]; ++i) {
            dense[column * n + (size_t)lower->rows[i]] = dense[(size_t)lower->rows[i] * n + column] = lower->values[i];
        }
    }
    return dense;
}

/* N = sum_s w (a M + b L)^T N (a M + b L) + b^2 M / h^2, with identity rows where nothing is free. */
static double *build(sn_arena *arena, const sn_spacetime_problem *p, const double *l)
{
    const size_t n = (size_t)p->elastic.vertex_count, count = (size_t)p->trajectory.function_count, size = n * count;
    double *matrix = SN_NEW(arena, double, size *size), *row = SN_NEW(arena, double, size);
    const double *m = p->elastic.mass, h = p->desc->regularisation;
    for (int s = 0; s < p->trajectory.sample_count; ++s) {
        int32_t functions[4];
        const sn_spacetime_span span = sn_spacetime_trajectory_span(&p->trajectory, s, functions);
        const double w = sn_spacetime_trajectory_weight(&p->trajectory, s);
        for (size_t v = 0; v < n; ++v) {
            memset(row, 0, size * sizeof *row);
            for (int k = 0; k < 4; ++k) {
                const double a = span.acceleration[k] + p->input->damping * span.velocity[k];
                for (size_t u = 0; u < n; ++u) {
                    row[(size_t)functions[k] * n + u] += (u == v ? a * m[v] : 0) + span.position[k] * l[v * n + u];
                }
            }
            for (size_t i = 0; i < size; ++i) {
                for (size_t j = 0; j < size && row[i] != 0; ++j) {
                    matrix[i * size + j] += w * p->norm[v] * row[i] * row[j];
                }
            }
            for (int k = 0; k < 16 && h > 0; ++k) {
                matrix[((size_t)functions[k / 4] * n + v) * size + (size_t)functions[k % 4] * n + v] +=
                    w * span.position[k / 4] * span.position[k % 4] * m[v] / (h * h);
            }
        }
    }
    for (size_t i = 0; i < size; ++i) {
        for (size_t j = 0; j < size; ++j) {
            if (!p->is_free[i] || !p->is_free[j]) {
                matrix[i * size + j] = i == j;
            }
        }
    }
    return matrix;
}

static void check(held_kind held, bool is_cyclic, sn_spacetime_method method, sn_spacetime_norm norm)
{
    sequence s;
    sequence_start(&s, held, is_cyclic);
    s.desc.method = method;
    s.desc.norm = norm;
    sn_spacetime_problem p;
    sn_spacetime_solver solver = {0};
    assert_int_equal(sn_spacetime_problem_build(&s.input, &s.desc, &s.arena, &p), SN_OK);
    assert_int_equal(sn_spacetime_solver_prepare(&p, &solver), SN_OK);
    assert_int_equal(solver.method, method);
    const size_t size = (size_t)p.trajectory.function_count * (size_t)p.elastic.vertex_count;
    double *matrix = build(&s.arena, &p, expand(&s.arena, &p.stiffness));
    double *expected = SN_NEW(&s.arena, double, size), *x = SN_NEW(&s.arena, double, 2 * size);
    uint64_t random = 5;
    for (size_t i = 0; i < 2 * size; ++i) {
        x[i] = p.is_free[i % size] ? sn_random_unit(&random) - 0.5 : 0;
    }
    memcpy(expected, x + size, size * sizeof *x);
    assert_true(sn_dense_cholesky((int)size, matrix));
    sn_dense_cholesky_solve((int)size, matrix, 1, expected);
    assert_int_equal(sn_spacetime_solver_solve(&solver, 2, x), SN_OK);
    double largest = 0, error = 0;
    for (size_t i = 0; i < size; ++i) {
        largest = fmax(largest, fabs(expected[i]));
        error = fmax(error, fabs(expected[i] - x[size + i]));
        assert_true(p.is_free[i] || x[size + i] == 0);
    }
    assert_true(error < 1e-8 * largest);
    sn_spacetime_solver_finish(&solver);
    sn_arena_finish(&s.arena);
}

static void modal_solves(void **state)
{
    (void)state;
    check(HELD_FOOT, false, SN_SPACETIME_MODAL, SN_SPACETIME_INVERSE_MASS);
    check(HELD_APART, false, SN_SPACETIME_MODAL, SN_SPACETIME_INVERSE_MASS);
    check(HELD_APART, true, SN_SPACETIME_MODAL, SN_SPACETIME_INVERSE_MASS);
    check(HELD_NOTHING, false, SN_SPACETIME_MODAL, SN_SPACETIME_INVERSE_MASS);
}

static void sparse_solves(void **state)
{
    (void)state;
    check(HELD_FOOT, false, SN_SPACETIME_SPARSE, SN_SPACETIME_INVERSE_MASS);
    check(HELD_APART, true, SN_SPACETIME_SPARSE, SN_SPACETIME_INVERSE_MASS);
    check(HELD_APART, false, SN_SPACETIME_SPARSE, SN_SPACETIME_IDENTITY);
}

/* The second: velocities alone; the last: a cycle, some of whose roots nearly coincide. */
static void rational_solves(void **state)
{
    (void)state;
    check(HELD_FOOT, false, SN_SPACETIME_RATIONAL, SN_SPACETIME_INVERSE_MASS);
    check(HELD_SHAPES, false, SN_SPACETIME_RATIONAL, SN_SPACETIME_INVERSE_MASS);
    check(HELD_NOTHING, false, SN_SPACETIME_RATIONAL, SN_SPACETIME_INVERSE_MASS);
    check(HELD_FOOT, true, SN_SPACETIME_RATIONAL, SN_SPACETIME_INVERSE_MASS);
}

/* TWIST, with velocities held where positions are: an even cycle, whose roots nearly coincide. */
static void rational_solves_as_the_factor(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_spacetime_input input;
    sn_spacetime_key keys[5];
    double *x[2];
    assert_int_equal(sn_spacetime_prism_build(SN_SPACETIME_TWIST, 0.5, &arena, &input), SN_OK);
    for (int i = 0; i < 5; ++i) {
        keys[i] = input.keys[i];
        keys[i].is_velocity_fixed = keys[i].is_fixed;
    }
    input.keys = keys;
    for (int k = 0; k < 2; ++k) {
        sn_spacetime_desc desc = sn_default_spacetime_desc();
        sn_spacetime_problem p;
        sn_spacetime_solver solver = {0};
        uint64_t random = 7;
        desc.method = k == 0 ? SN_SPACETIME_SPARSE : SN_SPACETIME_BEST;
        assert_int_equal(sn_spacetime_problem_build(&input, &desc, &arena, &p), SN_OK);
        assert_int_equal(sn_spacetime_solver_prepare(&p, &solver), SN_OK);
        assert_int_equal(solver.method, k == 0 ? SN_SPACETIME_SPARSE : SN_SPACETIME_RATIONAL);
        const size_t size = (size_t)p.trajectory.function_count * (size_t)p.elastic.vertex_count;
        x[k] = SN_NEW(&arena, double, size);
        for (size_t i = 0; i < size; ++i) {
            x[k][i] = p.is_free[i] ? sn_random_unit(&random) - 0.5 : 0;
        }
        assert_int_equal(sn_spacetime_solver_solve(&solver, 1, x[k]), SN_OK);
        double largest = 0, error = 0;
        for (size_t i = 0; i < size; ++i) {
            largest = fmax(largest, fabs(x[0][i]));
            error = fmax(error, fabs(x[0][i] - x[k][i]));
        }
        assert_true(largest > 0 && error < 1e-8 * largest);
        sn_spacetime_solver_finish(&solver);
    }
    sn_arena_finish(&arena);
}

/* Held velocities that differ from the positions': the roots know of one set of vertices alone. */
static void rational_is_left_out(void **state)
{
    (void)state;
    sequence s;
    sequence_start(&s, HELD_APART, false);
    s.desc.method = SN_SPACETIME_RATIONAL;
    sn_spacetime_problem p;
    sn_spacetime_solver solver = {0};
    assert_int_equal(sn_spacetime_problem_build(&s.input, &s.desc, &s.arena, &p), SN_OK);
    assert_int_equal(sn_spacetime_solver_prepare(&p, &solver), SN_OK);
    assert_int_equal(solver.method, SN_SPACETIME_SPARSE);
    sn_spacetime_solver_finish(&solver);
    sn_arena_finish(&s.arena);
}

/* One factor's values are 8 bytes each, and as many as vertices at least. */
static void memory_is_limited(void **state)
{
    (void)state;
    static const double limits[3] = {0, 1, 1e9};
    for (int i = 0; i < 3; ++i) {
        sequence s;
        sn_spacetime_problem p;
        sn_spacetime_solver solver = {0};
        sequence_start(&s, HELD_SHAPES, false);
        s.desc.memory_limit = limits[i];
        assert_int_equal(sn_spacetime_problem_build(&s.input, &s.desc, &s.arena, &p), SN_OK);
        sn_captured_log kept = {0}, *const former = sn_capture_log(&kept);
        const sn_result result = sn_spacetime_solver_prepare(&p, &solver);
        sn_capture_log(former);
        assert_int_equal(result, i == 1 ? SN_ERROR_UNSUPPORTED : SN_OK);
        assert_true(i != 1 || (kept.is_captured && strstr(kept.line, "45 vertices and 3 temporal functions need")));
        assert_true(i == 1 || solver.method == SN_SPACETIME_RATIONAL);
        sn_spacetime_solver_finish(&solver);
        sn_arena_finish(&s.arena);
    }
}

/* K(l) = k + l^2: at l = sqrt(k) twice k is no number any more. And a K that is none from the start. */
static void roots_have_to_be_numbers(void **state)
{
    (void)state;
    static const double constants[3] = {4, 1e308, (double)NAN};
    for (int i = 0; i < 3; ++i) {
        double constant = constants[i], linear = 0, square = 1, shape[2], dual[2];
        const sn_spacetime_polynomial polynomial = {1, &constant, &linear, &square};
        sn_spacetime_root root = {.shape = shape, .dual = dual};
        sn_captured_log kept = {0}, *const former = sn_capture_log(&kept);
        const sn_result result = sn_spacetime_roots_find(&polynomial, &root);
        sn_capture_log(former);
        assert_int_equal(result, i == 0 ? SN_OK : SN_ERROR_NUMERIC);
        assert_true(kept.is_captured == (i > 0));
        assert_true(i > 0 || fabs(root.imaginary - 2) < 1e-14);
    }
}

int test_spacetime_solver(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modal_solves),
                                       cmocka_unit_test(sparse_solves),
                                       cmocka_unit_test(rational_solves),
                                       cmocka_unit_test(rational_solves_as_the_factor),
                                       cmocka_unit_test(rational_is_left_out),
                                       cmocka_unit_test(memory_is_limited),
                                       cmocka_unit_test(roots_have_to_be_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
