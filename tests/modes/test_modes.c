/* SPDX-License-Identifier: MIT */
/* Leak, constraint and modes on grids of cubes, where the answers are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "author/modes/constraint/bone_groups.h"
#include "tests/modes/modes_test.h"
#include "tests/support/log.h"

/* Appends nx x ny x nz cubes of edge `size` from `origin` on, each in six tets along its diagonal. */
static void add_grid(model *m, const int cubes[3], const double origin[3], double size)
{
    static const int paths[6][2] = {{1, 3}, {5, 1}, {3, 2}, {2, 6}, {4, 5}, {6, 4}};
    const int base = m->mesh.vertex_count, nx = cubes[0] + 1, ny = cubes[1] + 1, nz = cubes[2] + 1;
    for (int i = 0; i < nx * ny * nz; i++) {
        const int place[3] = {i % nx, i / nx % ny, i / (nx * ny)};
        for (int d = 0; d < 3; d++) {
            m->mesh.positions[3 * (base + i) + d] = origin[d] + size * place[d];
        }
    }
    m->mesh.vertex_count += nx * ny * nz;
    for (int c = 0; c < cubes[0] * cubes[1] * cubes[2]; c++) {
        const int x = c % cubes[0], y = c / cubes[0] % cubes[1], z = c / (cubes[0] * cubes[1]);
        int corners[8];
        for (int k = 0; k < 8; k++) {
            corners[k] = base + x + (k & 1) + nx * (y + (k >> 1 & 1) + ny * (z + (k >> 2)));
        }
        for (int t = 0; t < 6; t++) {
            int32_t *tet = m->mesh.tets + 4 * (size_t)m->mesh.tet_count++;
            tet[0] = corners[0];
            tet[1] = corners[paths[t][0]];
            tet[2] = corners[paths[t][1]];
            tet[3] = corners[7];
        }
    }
}

static void make_grids(model *m, int count, const int cubes[3], double size)
{
    *m = (model){0};
    const int vertices = (cubes[0] + 1) * (cubes[1] + 1) * (cubes[2] + 1), tets = 6 * cubes[0] * cubes[1] * cubes[2];
    m->mesh.positions = SN_NEW(&m->arena, double, 3 * vertices * count);
    m->mesh.tets = SN_NEW(&m->arena, int32_t, 4 * tets * count);
    for (int i = 0; i < count; i++) {
        const double origin[3] = {2 * size * cubes[0] * i, 0, 0};
        add_grid(m, cubes, origin, size);
    }
    assert_int_equal(sn_tet_mesh_validate(&m->mesh, "grid", &m->arena, NULL), SN_OK);
    prepare(m);
}

static void constant_first_mode(void **state)
{
    (void)state;
    const int sizes[2][3] = {{3, 3, 3}, {8, 7, 6}}; /* dense, sparse */
    for (int i = 0; i < 2; i++) {
        model m;
        make_grids(&m, 1, sizes[i], .25);
        assert_int_equal(build_modes(&m, 10), SN_OK);
        check_modes(&m);
        assert_near(m.modes.eigenvalues[0], 0, 1e-9);
        assert_true(m.modes.eigenvalues[1] > 1);
        double volume = 0;
        for (int t = 0; t < m.mesh.tet_count; t++) {
            volume += m.volumes[t];
        }
        for (int v = 0; v < m.mesh.vertex_count; v++) {
            assert_near(m.modes.weights[10 * v], 1 / sqrt(volume), 1e-7);
        }
        finish(&m);
    }
}

/* A long bar: E_1 nears (pi / length)^2; the eigenvalues scale with length^-2, whatever the size. */
static void bar_eigenvalue(void **state)
{
    (void)state;
    const int cubes[3] = {40, 4, 4};
    const double sizes[3] = {1, .01, 300};
    for (int i = 0; i < 3; i++) {
        model m;
        make_grids(&m, 1, cubes, sizes[i]);
        const double pi = 3.14159265358979323846, length = 40 * sizes[i];
        assert_int_equal(build_modes(&m, 4), SN_OK);
        check_modes(&m);
        assert_near(m.modes.eigenvalues[0] * length * length, 0, 1e-7);
        assert_near(m.modes.eigenvalues[1] * length * length, pi * pi, 2e-2);
        finish(&m);
    }
}

static void expect_null_modes(int components, const int cubes[3])
{
    model m;
    make_grids(&m, components, cubes, .2);
    assert_int_equal(build_modes(&m, 4 * components + 2), SN_OK);
    check_modes(&m);
    for (int i = 0; i < components; i++) {
        assert_near(m.modes.eigenvalues[i], 0, 1e-8);
    }
    assert_true(m.modes.eigenvalues[components] > .1);
    /* Equal components: every eigenvalue comes as often as there are components. */
    for (int i = 0; i < 4 * components; i++) {
        const int first = i / components * components;
        assert_true(fabs(m.modes.eigenvalues[i] - m.modes.eigenvalues[first]) <= 1e-8 * (1 + m.modes.eigenvalues[i]));
    }
    finish(&m);
}

static void disconnected_cubes(void **state)
{
    (void)state;
    const int small[3] = {2, 2, 2}, medium[3] = {5, 4, 3};
    expect_null_modes(2, small);
    expect_null_modes(2, medium);
    expect_null_modes(7, medium);
}

static double *rig_weights(model *m, int bone_count)
{
    const size_t n = (size_t)m->mesh.vertex_count, b = (size_t)bone_count;
    double *weights = SN_NEW(&m->arena, double, n *b);
    for (size_t i = 0; i < n * b; i++) {
        weights[i] = 1.0 / bone_count;
    }
    return weights;
}

static void constrained_grid(void **state)
{
    (void)state;
    const int cubes[3] = {8, 7, 6};
    model m;
    make_grids(&m, 1, cubes, .1);
    assert_int_equal(build_leak(&m), SN_OK);
    double least = 1, most = 0;
    for (int v = 0; v < m.mesh.vertex_count; v++) {
        least = fmin(least, m.leak[v]);
        most = fmax(most, m.leak[v]);
    }
    assert_true(least == 0 && most == 1);
    /* Bones of equal weights count once. */
    for (int bones = 1; bones <= 3; bones++) {
        assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak,
                                             &(sn_constraint_rig){bones, rig_weights(&m, bones), NULL}, &m.arena,
                                             &m.constraint),
                         SN_OK);
        assert_int_equal(m.constraint.row_count, 10);
        check_constraint(&m);
    }
    assert_int_equal(build_modes(&m, 12), SN_OK);
    check_modes(&m);
    assert_true(m.modes.eigenvalues[0] > 1);
    finish(&m);
}

/* The same pairs from the dense solve (asked for many) and from Lanczos (asked for few). */
static void dense_equals_sparse(void **state)
{
    (void)state;
    const int cubes[3] = {7, 6, 5};
    model m;
    make_grids(&m, 1, cubes, .1);
    assert_int_equal(build_leak(&m), SN_OK);
    assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak, &(sn_constraint_rig){1, rig_weights(&m, 1), NULL},
                                         &m.arena, &m.constraint),
                     SN_OK);
    assert_int_equal(build_modes(&m, 20), SN_OK);
    const sn_modes few = m.modes;
    assert_int_equal(build_modes(&m, m.mesh.vertex_count - m.constraint.row_count), SN_OK);
    check_modes(&m);
    for (int i = 0; i < few.mode_count; i++) {
        assert_near(few.eigenvalues[i] / m.modes.eigenvalues[i], 1, 1e-9);
    }
    finish(&m);
}

static void same_bits(void **state)
{
    (void)state;
    const int cubes[3] = {8, 7, 6};
    model m;
    make_grids(&m, 1, cubes, .1);
    assert_int_equal(build_modes(&m, 8), SN_OK);
    const sn_modes first = m.modes;
    assert_int_equal(build_modes(&m, 8), SN_OK);
    assert_memory_equal(first.eigenvalues, m.modes.eigenvalues, sizeof(double) * 8);
    assert_memory_equal(first.weights, m.modes.weights, sizeof(double) * 8 * (size_t)m.mesh.vertex_count);
    finish(&m);
}

static void uniformly_stiffer(void **state)
{
    (void)state;
    const int cubes[3] = {10, 5, 5};
    model m;
    make_grids(&m, 1, cubes, .1);
    double *stiffness = SN_NEW(&m.arena, double, m.mesh.tet_count);
    for (int t = 0; t < m.mesh.tet_count; t++) {
        stiffness[t] = 3;
    }
    assert_int_equal(build_modes(&m, 6), SN_OK);
    const sn_modes plain = m.modes;
    assert_int_equal(
        sn_modes_build(&m.mesh, m.gradients, m.volumes, m.mass, stiffness, &m.constraint, 6, &m.arena, &m.modes),
        SN_OK);
    for (int i = 1; i < 6; i++) {
        assert_near(m.modes.eigenvalues[i] / plain.eigenvalues[i], 3, 1e-8);
    }
    finish(&m);
}

static void too_many_modes(void **state)
{
    (void)state;
    const int cubes[3] = {3, 3, 3};
    model m;
    make_grids(&m, 1, cubes, 1);
    assert_int_equal(build_leak(&m), SN_OK);
    assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak, &(sn_constraint_rig){1, rig_weights(&m, 1), NULL},
                                         &m.arena, &m.constraint),
                     SN_OK);
    const int kept = m.mesh.vertex_count - m.constraint.row_count;
    assert_in_range(m.constraint.row_count, 1, 8); /* eight vertices are inside */
    begin_log();
    assert_int_equal(build_modes(&m, kept + 1), SN_ERROR_ARGUMENT);
    assert_one_error("64 vertices");
    assert_int_equal(build_modes(&m, 0), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_int_equal(build_modes(&m, kept), SN_OK);
    check_modes(&m);
    finish(&m);
}

static void one_tet(void **state)
{
    (void)state;
    double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t tets[4] = {0, 1, 2, 3};
    model m = {.mesh = {.vertex_count = 4, .tet_count = 1, .positions = positions, .tets = tets}};
    prepare(&m);
    assert_int_equal(build_leak(&m), SN_OK);
    for (int v = 0; v < 4; v++) {
        assert_true(m.leak[v] == 0);
    }
    assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak, &(sn_constraint_rig){2, rig_weights(&m, 2), NULL},
                                         &m.arena, &m.constraint),
                     SN_OK);
    assert_int_equal(m.constraint.row_count, 0); /* the leak is zero everywhere */
    assert_int_equal(build_modes(&m, 4), SN_OK);
    check_modes(&m);
    /* L = [3 -1 -1 -1; -1 I] / 6 and M = I / 24: 0, 4, 4, 16. */
    const double expected[4] = {0, 4, 4, 16};
    for (int i = 0; i < 4; i++) {
        assert_near(m.modes.eigenvalues[i], expected[i], 1e-12);
    }
    finish(&m);
}

static void no_bone(void **state)
{
    (void)state;
    const int cubes[3] = {3, 3, 3};
    model m;
    make_grids(&m, 1, cubes, 1);
    assert_int_equal(
        sn_constraint_build(&m.mesh, m.mass, m.leak, &(sn_constraint_rig){0, m.leak, NULL}, &m.arena, &m.constraint),
        SN_OK);
    assert_int_equal(m.constraint.row_count, 0);
    finish(&m);
}

/* Weights of bone_count bones along x, each a hat over its neighbours; every second one moves a tenth as much. */
static double *bar_weights(model *m, int bone_count)
{
    const size_t n = (size_t)m->mesh.vertex_count, b = (size_t)bone_count;
    double *weights = SN_NEW(&m->arena, double, n *b), lower[3], upper[3];
    sn_tet_mesh_box(&m->mesh, lower, upper);
    for (size_t v = 0; v < n; v++) {
        const double at = (m->mesh.positions[3 * v] - lower[0]) / (upper[0] - lower[0]) * (double)(b - 1);
        double sum = 0;
        for (size_t j = 0; j < b; j++) {
            weights[v * b + j] = fmax(0, 1 - fabs(at - (double)j)) * (j % 2 == 0 ? 1 : .1);
            sum += weights[v * b + j];
        }
        for (size_t j = 0; j < b; j++) {
            weights[v * b + j] /= sum;
        }
    }
    return weights;
}

/* Up to the cap every bone has its rows; beyond, rows and time stay bounded, and the whole bar is still one group's
 * worth of motion that no mode undoes. */
static void many_bones(void **state)
{
    (void)state;
    const int cubes[3] = {80, 4, 4}, counts[3] = {3, 240, 600};
    for (int i = 0; i < 3; i++) {
        model m;
        make_grids(&m, 1, cubes, .1);
        const size_t n = (size_t)m.mesh.vertex_count;
        for (size_t v = 0; v < n; v++) {
            m.leak[v] = 1;
        }
        const double *weights = bar_weights(&m, counts[i]);
        assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak, &(sn_constraint_rig){counts[i], weights, NULL},
                                             &m.arena, &m.constraint),
                         SN_OK);
        assert_in_range(m.constraint.row_count, i == 0 ? 20 : 200, i == 0 ? 30 : 10 * SN_CONSTRAINT_GROUP_CAP);
        check_constraint(&m);
        assert_int_equal(build_modes(&m, 16), SN_OK);
        check_modes(&m);
        for (int mode = 0; mode < 16; mode++) { /* moving every bone alike */
            double sum = 0, moment = 0;
            for (size_t v = 0; v < n; v++) {
                const double part = m.mass[v] * m.modes.weights[v * 16 + (size_t)mode];
                sum += part;
                moment += part * m.mesh.positions[3 * v];
            }
            assert_near(sum, 0, 1e-8);
            assert_near(moment, 0, 1e-8);
        }
        finish(&m);
    }
}

static void grouped_bones(void **state)
{
    (void)state;
    /* Four vertices, five bones: the third shares most with the second, the fourth moves nothing, and the first, which
     * shares nothing, joins the lightest. */
    const double mass[4] = {1, 1, 1, 1};
    const double weights[20] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, .5, .2, 0, .3, 0, 0, 0, 0, 1};
    const int32_t separate[5] = {0, 1, 2, -1, 3}, three[5] = {0, 1, 1, -1, 2}, two[5] = {0, 1, 1, -1, 0};
    const int32_t *expected[3] = {two, three, separate};
    for (int most = 2; most <= 4; most++) {
        int32_t groups[5];
        int count = 0;
        assert_int_equal(sn_bone_groups_build(4, 5, mass, weights, most, groups, &count), SN_OK);
        assert_int_equal(count, most);
        assert_memory_equal(groups, expected[most - 2], sizeof groups);
    }
}

int test_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_first_mode),
        cmocka_unit_test(bar_eigenvalue),
        cmocka_unit_test(disconnected_cubes),
        cmocka_unit_test(constrained_grid),
        cmocka_unit_test(dense_equals_sparse),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(uniformly_stiffer),
        cmocka_unit_test(too_many_modes),
        cmocka_unit_test(one_tet),
        cmocka_unit_test(no_bone),
        cmocka_unit_test(many_bones),
        cmocka_unit_test(grouped_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
