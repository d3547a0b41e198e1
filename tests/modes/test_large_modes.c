/* SPDX-License-Identifier: MIT */
/* Modes without a factor of the mesh's matrix, against those with one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/large.h"
#include "tests/modes/large_body.h"
#include "tests/support/log.h"
#include "tests/support/two_bones.h"

/* Both ways: values, vectors' span, constraint. */
static void compare(body *b, int wanted)
{
    sn_pair_list large, direct;
    sn_projected_problem projected = {.size = (int)b->problem.unknowns.count, .constraints = b->problem.constraints};
    const size_t n = b->problem.unknowns.count, count = (size_t)wanted;
    bool is_found = false;
    assert_int_equal(
        sn_modes_of_large(&b->problem, b->model.mesh.positions, wanted, &b->model.arena, &large, &is_found), SN_OK);
    assert_true(is_found);
    assert_int_equal(sn_factor_create(&b->problem.matrix, "test", &projected.factor), SN_OK);
    assert_int_equal(sn_lanczos_largest(&projected, wanted, &b->model.arena, &direct), SN_OK);
    sn_factor_destroy(&projected.factor);
    const size_t rows = (size_t)projected.constraints.column_count;
    double *q = SN_NEW(&b->model.arena, double, n *rows);
    sn_columns_expand(&projected.constraints, (int)n, q);
    for (size_t i = 0; i < count; ++i) {
        const double *x = large.vectors + i * n;
        double inside = 0, square = 0;
        assert_near(large.values[i], direct.values[i], 1e-6 * direct.values[i]);
        for (size_t j = 0; j < count; ++j) {
            double dot = 0;
            for (size_t v = 0; v < n; ++v) {
                dot += x[v] * direct.vectors[j * n + v];
            }
            inside += dot * dot;
        }
        for (size_t v = 0; v < n; ++v) {
            square += x[v] * x[v];
        }
        assert_near(square, 1, 1e-9);
        assert_near(inside, 1, 1e-5); /* but for what mixes with the modes after the last */
        for (size_t r = 0; r < rows; ++r) {
            double along = 0;
            for (size_t v = 0; v < n; ++v) {
                along += x[v] * q[r * n + v];
            }
            assert_near(along, 0, 1e-10);
        }
    }
}

static void test_bar(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 48, 14, 14, 0.25);
    prepare(&b.model);
    pose_problem(&b);
    compare(&b, 5);
    finish(&b.model);
}

static void test_rig(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 40, 16, 14, 25);
    prepare(&b.model);
    sn_test_constrain_two_bones(&b.model.mesh, b.model.mass, 1000, &b.model.arena, &b.model.constraint);
    pose_problem(&b);
    compare(&b, 6);
    finish(&b.model);
}

/* The arms are one cell apart, closer than lattice nodes: functions over both would stop the iteration early. */
static void test_horseshoe(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 60, 13, 12, 0.25);
    cut_slot(&b.model, 1, 1.5, 1.75);
    assert_int_equal(sn_tet_mesh_validate(&b.model.mesh, "horseshoe", &b.model.arena, NULL), SN_OK);
    prepare(&b.model);
    pose_problem(&b);
    compare(&b, 6);
    finish(&b.model);
}

/* The constraint's rows follow, and the modes come back to their vertices. */
static void test_a_shuffled_mesh(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 40, 16, 14, 25);
    shuffle(&b.model);
    prepare(&b.model);
    sn_test_constrain_two_bones(&b.model.mesh, b.model.mass, 1000, &b.model.arena, &b.model.constraint);
    pose_problem(&b);
    compare(&b, 6);
    finish(&b.model);
}

/* A box's diagonal, thinner than any lattice of that box: it is found, or left to the direct way, without a word. */
static void test_filament(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_pair_list pairs;
    bool is_found = false;
    b.model.mesh = sn_test_bar(&b.model.arena, 4000, 1, 1, 0.25);
    for (int v = 0; v < b.model.mesh.vertex_count; ++v) { /* shear keeps volumes */
        double *x = b.model.mesh.positions + 3 * v;
        x[1] += x[0];
        x[2] += x[0];
    }
    prepare(&b.model);
    pose_problem(&b);
    assert_int_equal(sn_modes_of_large(&b.problem, b.model.mesh.positions, 4, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_int_equal(logged.lines, 0);
    finish(&b.model);
}

/* A row of zeros has no Schur complement: left to the direct way, without a word. */
static void test_a_singular_constraint(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_pair_list pairs;
    bool is_found = false;
    b.model.mesh = sn_test_bar(&b.model.arena, 48, 14, 14, 0.25);
    prepare(&b.model);
    const size_t n = (size_t)b.model.mesh.vertex_count;
    b.model.constraint = (sn_constraint){.row_count = 1, .rows = SN_NEW(&b.model.arena, double, 2 * n)};
    memcpy(b.model.constraint.rows, b.model.mass, n * sizeof *b.model.mass);
    pose_problem(&b);
    assert_int_equal(sn_modes_of_large(&b.problem, b.model.mesh.positions, 4, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_true(is_found);
    b.model.constraint.row_count = 2;
    pose_problem(&b);
    assert_int_equal(sn_modes_of_large(&b.problem, b.model.mesh.positions, 4, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_false(is_found);
    assert_int_equal(logged.lines, 0);
    finish(&b.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar),       cmocka_unit_test(test_rig),
        cmocka_unit_test(test_horseshoe), cmocka_unit_test(test_a_shuffled_mesh),
        cmocka_unit_test(test_filament),  cmocka_unit_test(test_a_singular_constraint),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
