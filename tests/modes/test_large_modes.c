/* SPDX-License-Identifier: MIT */
/* Modes without a factor of the mesh's matrix, against those with one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/modes/compare_modes.h"
#include "tests/support/log.h"
#include "tests/support/two_bones.h"

static void test_bar(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 48, 14, 14, 0.25);
    prepare(&b.model);
    pose_problem(&b);
    compare_modes(&b, 1e-6, 5);
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
    compare_modes(&b, 1e-6, 6);
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
    compare_modes(&b, 1e-6, 6);
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
    compare_modes(&b, 1e-6, 6);
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
