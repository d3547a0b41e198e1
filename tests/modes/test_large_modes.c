/* SPDX-License-Identifier: MIT */
/* Modes without a factor of the mesh's matrix, against those with one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/eigen/large_grid.h"
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
    compare_modes(&b, 2e-7, 5);
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
    compare_modes(&b, 2e-7, 6);
    finish(&b.model);
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
        compare_modes(&b, 2e-7, 5);
        finish(&b.model);
    }
}

/* solution (unknowns x 8) = the projected cycle's of noise, its residual being without multipliers. */
static void apply_to_noise(const body *b, sn_large_grid *grid, float *solution)
{
    enum { WIDTH = 8 };
    const size_t n = b->problem.unknowns.count;
    double *noise = malloc(WIDTH * n * sizeof *noise);
    fill_randomly(WIDTH * n, 5, noise);
    sn_complement_begin(&grid->complement, WIDTH);
    for (size_t first = 0; first < n; first += SN_TILE_ROWS) {
        sn_complement_gather(&grid->complement, first, WIDTH, noise + WIDTH * first);
    }
    sn_complement_solve(&grid->complement, WIDTH);
    for (size_t first = 0; first < n; first += SN_TILE_ROWS) {
        sn_complement_subtract(&grid->complement, first, WIDTH, noise + WIDTH * first);
    }
    for (size_t i = 0; i < WIDTH * n; ++i) {
        grid->cycle.residual[i] = (float)noise[i];
    }
    assert_int_equal(sn_complement_apply(&grid->complement, WIDTH), SN_OK);
    memcpy(solution, grid->cycle.solution, WIDTH * n * sizeof *solution);
    free(noise);
}

/* As many columns in all as a rig of many bones has, of which most are pairs that were found: yet the lattice's modes
 * are the start, and T Q is kept, which is the same as the cycle a second time. */
static void test_pairs_that_were_found_before(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_large_grid grid;
    double off = 0, whole = 0;
    b.model.mesh = sn_test_bar(&b.model.arena, 96, 20, 18, 0.25);
    prepare(&b.model);
    constrain_bones(&b.model, 22, 24);
    pose_problem(&b);
    const size_t count = 8 * b.problem.unknowns.count;
    float *solutions = SN_NEW(&b.model.arena, float, 2 * count);
    for (int is_found = 0; is_found < 2; ++is_found) {
        b.problem.known_count = is_found ? b.problem.constraints.column_count - 16 : 0;
        assert_true(sn_large_has_lattice_modes(&b.problem) == is_found);
        assert_int_equal(sn_large_grid_init(&b.problem, b.model.mesh.positions, 8, &grid), SN_OK);
        assert_true(grid.is_suited);
        assert_true(sn_large_has_lattice_modes(&grid.problem) == is_found);
        assert_true((grid.complement.solved != NULL) == is_found);
        apply_to_noise(&b, &grid, solutions + (size_t)is_found * count);
        sn_large_grid_finish(&grid);
    }
    for (size_t i = 0; i < count; ++i) {
        off += pow((double)solutions[i] - (double)solutions[count + i], 2);
        whole += pow((double)solutions[i], 2);
    }
    assert_true(sqrt(off) < 1e-4 * sqrt(whole));
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
    compare_modes(&b, 2e-7, 6);
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
    compare_modes(&b, 2e-7, 6);
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
    assert_int_equal(sn_modes_compute_large(&b.problem, b.model.mesh.positions, 4, &b.model.arena, &pairs, &is_found),
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
    assert_int_equal(sn_modes_compute_large(&b.problem, b.model.mesh.positions, 4, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_true(is_found);
    b.model.constraint.row_count = 2;
    pose_problem(&b);
    assert_int_equal(sn_modes_compute_large(&b.problem, b.model.mesh.positions, 4, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_false(is_found);
    assert_int_equal(logged.lines, 0);
    finish(&b.model);
}

int test_large_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_rig),
        cmocka_unit_test(test_a_rig_of_many_bones),
        cmocka_unit_test(test_pairs_that_were_found_before),
        cmocka_unit_test(test_horseshoe),
        cmocka_unit_test(test_a_shuffled_mesh),
        cmocka_unit_test(test_filament),
        cmocka_unit_test(test_a_singular_constraint),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
