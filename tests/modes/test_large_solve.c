/* SPDX-License-Identifier: MIT */
/* Responses of large meshes without a factor, against those with one, and the modes that become of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/constraint/projection.h"
#include "author/modes/eigen/large.h"
#include "author/modes/reduced/added_modes.h"
#include "author/modes/reduced/target_modes.h"
#include "tests/modes/large_body.h"
#include "tests/support/log.h"
#include "tests/support/two_bones.h"

/* solved (unknowns x count) = P x, by a factor */
static void solve_directly(body *b, size_t count, const double *x, double *solved)
{
    sn_projected_problem problem = {.size = (int)b->problem.unknowns.count, .constraints = b->problem.constraints};
    sn_projection op;
    assert_int_equal(sn_factor_create(&b->problem.matrix, "test", &problem.factor), SN_OK);
    assert_int_equal(sn_projection_init(&problem, (int)count, &b->model.arena, &op), SN_OK);
    assert_int_equal(sn_projection_apply(&op, (int)count, x, solved), SN_OK);
    sn_factor_destroy(&problem.factor);
}

/* x^T K x */
static double energy(const sn_sparse *k, const double *x)
{
    double sum = 0;
    for (int j = 0; j < k->size; ++j) {
        for (int32_t e = k->column_starts[j]; e < k->column_starts[j + 1]; ++e) {
            sum += (k->rows[e] == j ? 1 : 2) * k->values[e] * x[j] * x[k->rows[e]];
        }
    }
    return sum;
}

/* Loads of bumps, in another place each, and one of nothing; more than a block of them. */
static double *lay_loads(body *b, size_t count)
{
    const size_t n = b->problem.unknowns.count;
    double *x = SN_NEW(&b->model.arena, double, n *count);
    for (size_t c = 0; c + 1 < count; ++c) {
        const double centre[3] = {0.5 * (double)c, 0.3 * (double)(c % 5), 0.2 * (double)(c % 7)};
        for (size_t i = 0; i < n; ++i) {
            const double *at = b->model.mesh.positions + 3 * (size_t)b->problem.unknowns.vertices[i];
            double square = 0;
            for (size_t d = 0; d < 3; ++d) {
                square += (at[d] - centre[d]) * (at[d] - centre[d]);
            }
            x[c * n + i] = 1e-5 * sqrt(b->problem.unknowns.mass[i]) * exp(-square);
        }
    }
    return x;
}

static void test_responses(void **state)
{
    (void)state;
    enum { COUNT = 27 };
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 48, 14, 14, 0.25);
    shuffle(&b.model);
    prepare(&b.model);
    sn_test_constrain_two_bones(&b.model.mesh, b.model.mass, 12, &b.model.arena, &b.model.constraint);
    pose_problem(&b);
    const size_t n = b.problem.unknowns.count, rows = (size_t)b.problem.constraints.column_count;
    double *x = lay_loads(&b, COUNT), *direct = SN_NEW(&b.model.arena, double, n *COUNT);
    double *q = SN_NEW(&b.model.arena, double, n *rows);
    bool is_solved = false;
    solve_directly(&b, COUNT, x, direct);
    assert_int_equal(sn_modes_solve_large(&b.problem, b.model.mesh.positions, COUNT, x, &is_solved), SN_OK);
    assert_true(is_solved);
    sn_columns_expand(&b.problem.constraints, (int)n, q);
    for (size_t c = 0; c < COUNT; ++c) {
        const double whole = energy(&b.problem.matrix, direct + c * n);
        for (size_t r = 0; r < rows; ++r) {
            double along = 0;
            for (size_t i = 0; i < n; ++i) {
                along += q[r * n + i] * x[c * n + i];
            }
            assert_near(along, 0, 1e-10 * sqrt(whole));
        }
        for (size_t i = 0; i < n; ++i) {
            direct[c * n + i] -= x[c * n + i];
        }
        assert_true(energy(&b.problem.matrix, direct + c * n) <= 1e-11 * whole);
        assert_true((whole > 0) == (c + 1 < COUNT));
    }
    finish(&b.model);
}

#define FIELDS 2
#define MODES 4
#define MOST 5

/* Beside the modes, out of responses by a factor. */
static void add_directly(body *b, const double *fields, sn_modes *modes)
{
    const size_t n = b->problem.unknowns.count, count = 3 * FIELDS;
    double *loads = SN_NEW(&b->model.arena, double, n *count), *x = SN_NEW(&b->model.arena, double, n *count);
    for (size_t i = 0; i < n * count; ++i) {
        const size_t c = i / n, at = i % n;
        loads[i] = sqrt(b->problem.unknowns.mass[at]) * fields[(size_t)b->problem.unknowns.vertices[at] * count + c];
    }
    solve_directly(b, count, loads, x);
    for (size_t f = 0; f < FIELDS; ++f) { /* each as long as the other */
        double *response = x + 3 * f * n;
        const double length = sqrt(sn_dense_dot(3 * n, response, response));
        for (size_t i = 0; i < 3 * n; ++i) {
            response[i] /= length;
        }
    }
    const sn_added_columns added = {.values = x,
                                    .count = count,
                                    .square = FIELDS,
                                    .max_unexplained = SN_MAX_UNEXPLAINED,
                                    .max_count = MOST,
                                    .is_target = true};
    sn_arena scratch = {0};
    assert_int_equal(sn_modes_add_columns(&b->problem, &added, &scratch, &b->model.arena, modes), SN_OK);
    sn_arena_finish(&scratch);
}

/* The same energies, and the same weights by the largest. */
static void test_target_modes_of_a_large_mesh(void **state)
{
    (void)state;
    static const double importance[FIELDS] = {1, 1};
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 240, 13, 13, 0.25);
    prepare(&b.model);
    const size_t n = (size_t)b.model.mesh.vertex_count;
    sn_test_constrain_two_bones(&b.model.mesh, b.model.mass, 60, &b.model.arena, &b.model.constraint);
    pose_problem(&b);
    assert_true(sn_modes_is_large(&b.problem));
    double *fields = SN_NEW(&b.model.arena, double, n * 3 * FIELDS);
    for (size_t v = 0; v < n; ++v) {
        const double *x = b.model.mesh.positions + 3 * v;
        fields[6 * v] = exp(-(x[0] - 5) * (x[0] - 5)) * x[1];
        fields[6 * v + 1] = exp(-2 * (x[0] - 7) * (x[0] - 7));
        fields[6 * v + 5] = exp(-(x[0] - 40) * (x[0] - 40)) * x[2];
    }
    assert_int_equal(build_modes(&b.model, MODES), SN_OK);
    sn_modes direct = b.model.modes, *large = &b.model.modes;
    add_directly(&b, fields, &direct);
    const sn_target_modes_input input = {&b.model.mesh, b.model.volumes, b.model.mass, fields,
                                         importance,    FIELDS,          MOST};
    assert_int_equal(sn_modes_add_targets(&input, &b.model.constraint, &b.model.arena, large), SN_OK);
    check_modes(&b.model);
    assert_int_equal(large->mode_count, direct.mode_count);
    assert_true(direct.mode_count > MODES + 1);
    for (size_t j = 0, count = (size_t)direct.mode_count; j < count; ++j) {
        double max_count = 0, off = 0;
        assert_near(large->eigenvalues[j], direct.eigenvalues[j], 1e-6 * direct.eigenvalues[j]);
        assert_true(large->is_target[j] == direct.is_target[j]);
        for (size_t v = 0; v < n; ++v) {
            max_count = fmax(max_count, fabs(direct.weights[v * count + j]));
            off = fmax(off, fabs(direct.weights[v * count + j] - large->weights[v * count + j]));
        }
        assert_true(off <= 1e-6 * max_count);
    }
    finish(&b.model);
}

/* Nothing is said of it: the direct way has its turn. */
static void test_a_singular_constraint(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    bool is_solved = true;
    b.model.mesh = sn_test_bar(&b.model.arena, 48, 14, 14, 0.25);
    prepare(&b.model);
    const size_t n = (size_t)b.model.mesh.vertex_count;
    b.model.constraint = (sn_constraint){.row_count = 2, .rows = SN_NEW(&b.model.arena, double, 2 * n)};
    memcpy(b.model.constraint.rows, b.model.mass, n * sizeof *b.model.mass);
    pose_problem(&b);
    double *x = lay_loads(&b, 2);
    assert_int_equal(sn_modes_solve_large(&b.problem, b.model.mesh.positions, 2, x, &is_solved), SN_OK);
    assert_false(is_solved);
    assert_int_equal(logged.lines, 0);
    finish(&b.model);
}

int test_large_solve(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_responses),
        cmocka_unit_test(test_target_modes_of_a_large_mesh),
        cmocka_unit_test(test_a_singular_constraint),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
