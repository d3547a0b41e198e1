/* SPDX-License-Identifier: MIT */
/* Meshes that are hard on the lattice: its modes are those of the direct way, or this has its turn, without a word. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/eigen/large_grid.h"
#include "tests/modes/compare_modes.h"
#include "tests/support/log.h"
#include "tests/support/two_bones.h"

#define ISLAND 15.0 /* along x, beyond the bar */

static void start(body *b)
{
    *b = (body){.problem = {0}};
    b->model.mesh = sn_test_bar(&b->model.arena, 48, 14, 14, 0.25);
}

/* Another bar beside the mesh, apart from it. */
static void add_bar(model *m, int nx, int ny, int nz, double x)
{
    const sn_tet_mesh one = m->mesh, two = sn_test_bar(&m->arena, nx, ny, nz, 0.25);
    m->mesh = (sn_tet_mesh){.vertex_count = one.vertex_count + two.vertex_count,
                            .tet_count = one.tet_count + two.tet_count,
                            .positions = SN_NEW(&m->arena, double, 3 * (one.vertex_count + two.vertex_count)),
                            .tets = SN_NEW(&m->arena, int32_t, 4 * (one.tet_count + two.tet_count))};
    memcpy(m->mesh.positions, one.positions, 3 * (size_t)one.vertex_count * sizeof *one.positions);
    memcpy(m->mesh.tets, one.tets, 4 * (size_t)one.tet_count * sizeof *one.tets);
    for (int i = 0; i < 3 * two.vertex_count; ++i) {
        m->mesh.positions[3 * one.vertex_count + i] = two.positions[i] + (i % 3 == 0 ? x : 0);
    }
    for (int i = 0; i < 4 * two.tet_count; ++i) {
        m->mesh.tets[4 * one.tet_count + i] = two.tets[i] + one.vertex_count;
    }
}

/* Bones that move what lies below and above two places along x, and nothing between, or nothing below. */
static void constrain_ends(model *m, double low, double high)
{
    const size_t n = (size_t)m->mesh.vertex_count;
    double *weights = SN_NEW(&m->arena, double, 2 * n);
    for (size_t v = 0; v < n; ++v) {
        weights[2 * v] = m->mesh.positions[3 * v] < low;
        weights[2 * v + 1] = m->mesh.positions[3 * v] > high;
        m->leak[v] = 1;
    }
    const sn_constraint_rig rig = {2, weights, NULL};
    assert_int_equal(sn_constraint_build(&m->mesh, m->mass, m->leak, &rig, &m->arena, &m->constraint), SN_OK);
}

static void test_disconnected(void **state)
{
    (void)state;
    body b;
    start(&b);
    add_bar(&b.model, 20, 10, 10, 30);
    add_bar(&b.model, 1, 1, 1, ISLAND);
    prepare(&b.model);
    sn_test_constrain_two_bones(&b.model.mesh, b.model.mass, 40, &b.model.arena, &b.model.constraint);
    pose_problem(&b);
    compare_modes(&b, 2e-7, 5);
    finish(&b.model);
}

/* As thin as a two thousandth of their edges. */
static void test_slivers(void **state)
{
    (void)state;
    body b;
    start(&b);
    for (int v = 0; v < b.model.mesh.vertex_count; v += 7) {
        b.model.mesh.positions[3 * v] += 0.2499;
    }
    prepare(&b.model);
    pose_problem(&b);
    compare_modes(&b, 2e-6, 5);
    finish(&b.model);
}

/* Half of the tets, in a block or here and there, are a million times as stiff as the others. */
static void test_stiffness(void **state)
{
    (void)state;
    for (int is_scattered = 0; is_scattered < 2; ++is_scattered) {
        body b;
        uint64_t random = 3;
        start(&b);
        prepare(&b.model);
        double *stiffness = SN_NEW(&b.model.arena, double, b.model.mesh.tet_count);
        for (int t = 0; t < b.model.mesh.tet_count; ++t) {
            const bool is_beyond = b.model.mesh.positions[3 * b.model.mesh.tets[4 * t]] > 6;
            stiffness[t] = (is_scattered ? sn_random_unit(&random) > 0.5 : is_beyond) ? 1e6 : 1;
        }
        const sn_mode_elements e = {&b.model.mesh, b.model.gradients, b.model.volumes, stiffness, NULL};
        assert_int_equal(sn_mode_problem_build(&e, b.model.mass, &b.model.constraint, &b.model.arena, &b.problem),
                         SN_OK);
        compare_modes(&b, 5e-7, 4); /* the next two are nearly one */
        finish(&b.model);
    }
}

static void test_a_region_without_a_bone(void **state)
{
    (void)state;
    body b;
    start(&b);
    prepare(&b.model);
    constrain_ends(&b.model, 2, 10);
    pose_problem(&b);
    compare_modes(&b, 2e-7, 5);
    finish(&b.model);
}

/* A matrix that is not definite has a lattice whose is not. */
static void test_no_factor_of_the_lattice(void **state)
{
    (void)state;
    body b;
    sn_pair_list pairs;
    bool is_found = true, is_solved = true;
    start(&b);
    prepare(&b.model);
    pose_problem(&b);
    for (int j = 0; j < b.problem.matrix.size; ++j) {
        b.problem.matrix.values[b.problem.matrix.column_starts[j]] -= 2;
    }
    double *x = SN_NEW(&b.model.arena, double, b.problem.unknowns.count);
    const double *positions = b.model.mesh.positions;
    logged = (log_count){0};
    assert_int_equal(sn_modes_compute_large(&b.problem, positions, 5, &b.model.arena, &pairs, &is_found), SN_OK);
    assert_int_equal(sn_modes_solve_large(&b.problem, positions, 1, x, &is_solved), SN_OK);
    assert_false(is_found || is_solved);
    assert_int_equal(logged.lines, 0);
    finish(&b.model);
}

/* What a bone has alone is so small that no function of the lattice is on it: there its rows are zero, and Lanczos'
 * method has no start. The direct way finds the modes. */
static void test_no_modes_of_the_lattice(void **state)
{
    (void)state;
    body b;
    sn_pair_list pairs;
    bool is_found = true;
    b = (body){.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 240, 13, 13, 0.25);
    add_bar(&b.model, 1, 1, 1, 60 + ISLAND);
    prepare(&b.model);
    constrain_ends(&b.model, -1, 60.5);
    assert_int_equal(b.model.constraint.row_count, 7); /* of ten, on eight corners of a cube */
    pose_problem(&b);
    assert_true(sn_modes_is_large(&b.problem));
    logged = (log_count){0};
    assert_int_equal(sn_modes_compute_large(&b.problem, b.model.mesh.positions, 3, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_false(is_found);
    assert_int_equal(build_modes(&b.model, 3), SN_OK);
    assert_int_equal(logged.lines, 0);
    check_modes(&b.model);
    finish(&b.model);
}

/* A lattice suits them, but the iteration does not end: slivers as thin as a two thousandth of their edges under a rig
 * of many bones, whose modes are by a factor. */
static void test_no_convergence(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_large_grid grid;
    sn_pair_list pairs;
    bool is_found = true;
    b.model.mesh = sn_test_bar(&b.model.arena, 150, 16, 15, 0.25);
    for (int v = 0; v < b.model.mesh.vertex_count; v += 7) {
        b.model.mesh.positions[3 * v] += 0.2499;
    }
    prepare(&b.model);
    constrain_bones(&b.model, 17, 37.5);
    assert_true(b.model.constraint.row_count > 160);
    pose_problem(&b);
    assert_true(sn_modes_is_large(&b.problem));
    assert_int_equal(sn_large_grid_init(&b.problem, b.model.mesh.positions, 12, &grid), SN_OK);
    assert_true(grid.is_suited);
    sn_large_grid_finish(&grid);
    logged = (log_count){0};
    assert_int_equal(sn_modes_compute_large(&b.problem, b.model.mesh.positions, 5, &b.model.arena, &pairs, &is_found),
                     SN_OK);
    assert_false(is_found);
    assert_int_equal(build_modes(&b.model, 5), SN_OK);
    assert_int_equal(logged.lines, 0);
    check_modes(&b.model);
    finish(&b.model);
}

int test_large_hard_meshes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disconnected),
        cmocka_unit_test(test_slivers),
        cmocka_unit_test(test_stiffness),
        cmocka_unit_test(test_a_region_without_a_bone),
        cmocka_unit_test(test_no_factor_of_the_lattice),
        cmocka_unit_test(test_no_modes_of_the_lattice),
        cmocka_unit_test(test_no_convergence),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
