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

/* Of bones in a row, with soft seams: ten rows each. */
static void constrain_bones(model *m, int bone_count, double length)
{
    const size_t n = (size_t)m->mesh.vertex_count, count = (size_t)bone_count;
    double *weights = SN_NEW(&m->arena, double, n *count);
    for (size_t v = 0; v < n; ++v) {
        const double at = m->mesh.positions[3 * v] / length * bone_count - 0.5;
        double sum = 0;
        for (size_t b = 0; b < count; ++b) {
            weights[v * count + b] = fmax(0, 1.5 - fabs(at - (double)b));
            sum += weights[v * count + b];
        }
        for (size_t b = 0; b < count; ++b) {
            weights[v * count + b] /= sum;
        }
        m->leak[v] = 1;
    }
    const sn_constraint_rig rig = {bone_count, weights, NULL};
    assert_int_equal(sn_constraint_build(&m->mesh, m->mass, m->leak, &rig, &m->arena, &m->constraint), SN_OK);
}

/* More rows than the lattice has modes for, with and without slivers, in order and in none. */
static void test_a_rig_of_many_bones(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        body b = {.problem = {0}};
        b.model.mesh = sn_test_bar(&b.model.arena, 64, 16, 14, 0.25);
        for (int v = 0; v < b.model.mesh.vertex_count && i == 1; v += 7) { /* as thin as a fiftieth */
            b.model.mesh.positions[3 * v] += 0.245;
        }
        if (i == 2) {
            shuffle(&b.model);
        }
        prepare(&b.model);
        constrain_bones(&b.model, 22, 16);
        assert_true(b.model.constraint.row_count > 200);
        pose_problem(&b);
        compare_modes(&b, i == 1 ? 1e-5 : 1e-6, 5);
        finish(&b.model);
    }
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
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_rig),
        cmocka_unit_test(test_a_rig_of_many_bones),
        cmocka_unit_test(test_horseshoe),
        cmocka_unit_test(test_a_shuffled_mesh),
        cmocka_unit_test(test_filament),
        cmocka_unit_test(test_a_singular_constraint),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
