/* SPDX-License-Identifier: MIT */
/* Comparison subspaces on a bar: against beam theory, finite differences and exact rotations; what each can represent.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/baselines/baseline_bar.h"

/* ---- displacement modes ---- */

/* A clamped beam without Poisson's ratio: bending by Euler and Bernoulli, with Timoshenko's shear; stretching exactly.
 * Linear tets are too stiff in bending, by the square of their size. */
static void test_modes_of_a_beam(void **state)
{
    (void)state;
    const double side = 0.1, inertia = pow(side, 4) / 12, speed = STIFFNESS / DENSITY;
    const double bending = pow(1.8751, 4) * speed * inertia / (side * side), stretching = pow(acos(-1) / 2, 2) * speed;
    double found[2][8];
    for (int fine = 0; fine < 2; ++fine) {
        fixture f;
        sn_subspace modes;
        const int cells = fine ? 4 : 2;
        start(&f, 10 * cells, cells, cells, side / cells);
        pin_end(&f);
        assert_int_equal(sn_displacement_modes(&f.body, 8, &f.arena, found[fine], &modes), SN_OK);
        assert_orthonormal(&f, &modes);
        for (int i = 0; i < 8; ++i) { /* which one stretches */
            double along = 0;
            for (int v = 0; v < f.n; ++v) {
                along += f.body.mass[v] * pow(modes.basis[3 * (size_t)f.n * (size_t)i + 3 * (size_t)v], 2);
            }
            if (along > 0.9) {
                assert_true(fabs(found[fine][i] / stretching - 1) < 2e-3);
                found[fine][7] = -1;
            }
        }
        assert_true(found[fine][7] == -1);
        stop(&f);
    }
    for (int i = 0; i < 2; ++i) { /* bending in two planes */
        const double limit = found[1][i] + (found[1][i] - found[0][i]) / 3;
        assert_true(found[0][i] > found[1][i] && found[1][i] > bending);
        assert_true(fabs(limit / bending - 1) < 0.05);
    }
}

/* Free, six rigid motions come first. */
static void test_free_body_has_six_rigid_modes(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[12];
    start(&f, 8, 3, 3, 0.1);
    assert_int_equal(sn_displacement_modes(&f.body, 12, &f.arena, eigenvalues, &modes), SN_OK);
    assert_true(eigenvalues[5] < 1e-5 * eigenvalues[6]);
    const double w[3] = {0.3, -0.2, 0.5};
    const double *u = turn_linearly(&f, w);
    double *nearest = SN_NEW(&f.arena, double, 3 * f.n);
    modes.dimension = 6;
    assert_true(sn_subspace_fit(&modes, f.body.mass, f.n, u, nearest) < 1e-5);
    stop(&f);
}

/* Lambda stiffens what changes volume, as bending and stretching do, but not twisting. */
static void test_volumetric_term_stiffens(void **state)
{
    (void)state;
    double eigenvalues[2][6], again[6];
    for (int i = 0; i < 2; ++i) {
        fixture f;
        sn_subspace modes;
        start(&f, 8, 3, 3, 0.1);
        pin_end(&f);
        double *lame = SN_NEW(&f.arena, double, f.body.mesh.tet_count);
        for (int t = 0; t < f.body.mesh.tet_count; ++t) {
            lame[t] = i * STIFFNESS;
        }
        f.body.tet_lame = lame;
        assert_int_equal(sn_displacement_modes(&f.body, 6, &f.arena, eigenvalues[i], &modes), SN_OK);
        assert_int_equal(sn_subspace_eigenvalues(&f.body, &modes, again), SN_OK);
        for (int k = 0; k < 6; ++k) {
            assert_true(fabs(again[k] / eigenvalues[i][k] - 1) < 1e-6);
        }
        stop(&f);
    }
    double stiffest = 0, softest = INFINITY;
    for (int i = 0; i < 6; ++i) {
        stiffest = fmax(stiffest, eigenvalues[1][i] / eigenvalues[0][i]);
        softest = fmin(softest, eigenvalues[1][i] / eigenvalues[0][i]);
    }
    assert_true(stiffest > 1.2 && softest > 1 && softest < 1.05);
}

/* ---- modal derivatives ---- */

/* Gradient of the St. Venant-Kirchhoff energy at u. */
static void nonlinear_forces(const fixture *f, const double *u, double *forces)
{
    memset(forces, 0, 3 * (size_t)f->n * sizeof *forces);
    for (int t = 0; t < f->body.mesh.tet_count; ++t) {
        const int32_t *tet = f->body.mesh.tets + 4 * (size_t)t;
        const double *g = f->body.gradients + 12 * (size_t)t;
        double d[3][3] = {{0}}, e[3][3], p[3][3] = {{0}}, trace = 0;
        for (int i = 0; i < 9; ++i) {
            d[i / 3][i % 3] = i % 4 == 0;
            for (int c = 0; c < 4; ++c) {
                d[i / 3][i % 3] += u[3 * (size_t)tet[c] + (size_t)(i / 3)] * g[3 * c + i % 3];
            }
        }
        for (int i = 0; i < 9; ++i) {
            const int a = i / 3, b = i % 3;
            e[a][b] = 0.5 * (d[0][a] * d[0][b] + d[1][a] * d[1][b] + d[2][a] * d[2][b] - (a == b));
            trace += a == b ? e[a][b] : 0;
        }
        for (int i = 0; i < 27; ++i) {
            const int a = i / 9, b = i / 3 % 3, k = i % 3;
            const double lame = f->body.tet_lame ? f->body.tet_lame[t] : 0;
            p[a][b] += d[a][k] * (f->body.tet_mu[t] * e[k][b] + (k == b ? lame * trace : 0));
        }
        for (int i = 0; i < 12; ++i) {
            const int c = i / 3, a = i % 3;
            forces[3 * (size_t)tet[c] + (size_t)a] +=
                f->body.volumes[t] * (p[a][0] * g[3 * c] + p[a][1] * g[3 * c + 1] + p[a][2] * g[3 * c + 2]);
        }
    }
}

/* How far forces at s phi + s^2/2 derivative are from s K phi = s E M phi, where nothing is pinned. */
static double curve_residual(fixture *f, double s, double eigenvalue, const double *phi, const double *derivative)
{
    double *u = SN_NEW(&f->arena, double, 3 * f->n), *forces = SN_NEW(&f->arena, double, 3 * f->n), square = 0;
    for (int i = 0; i < 3 * f->n; ++i) {
        u[i] = s * phi[i] + 0.5 * s * s * derivative[i];
    }
    nonlinear_forces(f, u, forces);
    for (int i = 0; i < 3 * f->n; ++i) {
        const double left = forces[i] - s * eigenvalue * f->body.mass[i / 3] * phi[i];
        square += f->body.constraint.is_pinned[i / 3] ? 0 : left * left;
    }
    return sqrt(square);
}

/* The first derivative of a clamped bar's first mode bends the straight path of the mode: what is left falls with the
 * cube of the amplitude, where the mode alone leaves a square. */
static void test_derivatives_follow_the_curve(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes, both;
    double eigenvalues[4];
    start(&f, 10, 2, 2, 0.1);
    pin_end(&f);
    double *lame = SN_NEW(&f.arena, double, f.body.mesh.tet_count);
    for (int t = 0; t < f.body.mesh.tet_count; ++t) {
        lame[t] = 0.4 * STIFFNESS;
    }
    f.body.tet_lame = lame;
    assert_int_equal(sn_displacement_modes(&f.body, 1, &f.arena, eigenvalues, &modes), SN_OK);
    assert_int_equal(sn_modal_derivatives(&f.body, &modes, eigenvalues, 2, &f.arena, &both), SN_OK);
    assert_int_equal(both.dimension, 2);
    assert_orthonormal(&f, &both);
    /* Orthonormal, its length and its part along the mode are gone: they are found again by least squares. */
    const size_t size = 3 * (size_t)f.n;
    double most = 0;
    for (size_t i = 0; i < size; ++i) {
        most = fmax(most, fabs(modes.basis[i]));
    }
    const double s = 0.002 / most;
    double *zero = SN_NEW(&f.arena, double, size), *mixed = SN_NEW(&f.arena, double, size);
    double *up = SN_NEW(&f.arena, double, size), *down = SN_NEW(&f.arena, double, size);
    double *small = SN_NEW(&f.arena, double, size);
    for (size_t i = 0; i < size; ++i) {
        up[i] = s * modes.basis[i];
        down[i] = -up[i];
        small[i] = 1e-6 * both.basis[size + i];
    }
    double second = 0, stiffness = 0, across = 0;
    nonlinear_forces(&f, up, zero);
    nonlinear_forces(&f, down, mixed);
    for (size_t i = 0; i < size; ++i) {
        second += (zero[i] + mixed[i]) / (s * s) * both.basis[size + i];
    }
    nonlinear_forces(&f, small, zero);
    for (size_t i = 0; i < size; ++i) {
        stiffness += 1e6 * zero[i] * both.basis[size + i];
    }
    nonlinear_forces(&f, up, zero);
    for (size_t i = 0; i < size; ++i) {
        across += (zero[i] - mixed[i]) / (2 * s * eigenvalues[0]) * modes.basis[i];
        mixed[i] = -second / stiffness * both.basis[size + i];
    }
    memset(zero, 0, size * sizeof *zero);
    assert_true(fabs(across - 1) < 0.1);
    const double plain = curve_residual(&f, s, eigenvalues[0], modes.basis, zero);
    const double curved = curve_residual(&f, s, eigenvalues[0], modes.basis, mixed);
    const double curved_half = curve_residual(&f, s / 2, eigenvalues[0], modes.basis, mixed);
    assert_true(curved < 0.1 * plain);
    assert_true(curved_half < curved / 6);
    stop(&f);
}

/* ---- warping, rotation-strain ---- */

static void test_linear_rotations_are_mended(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6, 3, 3, 0.1);
    const double w[3] = {0.5, -0.9, 1.1};
    const double *u = turn_linearly(&f, w);
    double *warped = SN_NEW(&f.arena, double, 3 * f.n), *mended = SN_NEW(&f.arena, double, 3 * f.n);
    sn_modal_warp(&f.body, u, warped);
    assert_int_equal(sn_rotation_strain(&f.body, u, mended), SN_OK);
    double centre[3] = {0}, mass = 0;
    for (int v = 0; v < f.n; ++v) {
        double exact[3];
        turn(w, f.body.mesh.positions + 3 * v, exact);
        assert_true(sn_distance3(exact, warped + 3 * v) < 1e-10);
        mass += f.body.mass[v];
        for (int d = 0; d < 3; ++d) { /* rotation-strain keeps the centre of what it is given */
            centre[d] += f.body.mass[v] * (mended[3 * v + d] - exact[d]);
        }
    }
    for (int v = 0; v < f.n; ++v) {
        double exact[3];
        turn(w, f.body.mesh.positions + 3 * v, exact);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(mended[3 * v + d] - exact[d] - centre[d] / mass) < 1e-5);
        }
    }
    stop(&f);
}

/* A real turn is not a linear displacement: of a quarter turn about z, the target collapses the x-y plane. */
static void test_rotation_strain_collapses_a_quarter_turn(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6, 3, 3, 0.1);
    const double w[3] = {0, 0, acos(-1) / 2};
    double *u = SN_NEW(&f.arena, double, 3 * f.n), *mended = SN_NEW(&f.arena, double, 3 * f.n), extent[3][2];
    for (int v = 0; v < f.n; ++v) {
        turn(w, f.body.mesh.positions + 3 * v, u + 3 * v);
    }
    assert_int_equal(sn_rotation_strain(&f.body, u, mended), SN_OK);
    for (int i = 0; i < 3 * f.n; ++i) {
        const double x = f.body.mesh.positions[i] + mended[i];
        extent[i % 3][0] = i < 3 ? x : fmin(extent[i % 3][0], x);
        extent[i % 3][1] = i < 3 ? x : fmax(extent[i % 3][1], x);
    }
    assert_true(extent[0][1] - extent[0][0] < 1e-3 && extent[1][1] - extent[1][0] < 1e-3);
    assert_true(fabs(extent[2][1] - extent[2][0] - 0.3) < 1e-3);
    stop(&f);
}

static void test_rotation_strain_keeps_pins(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[3];
    start(&f, 10, 3, 3, 0.1);
    pin_end(&f);
    assert_int_equal(sn_displacement_modes(&f.body, 3, &f.arena, eigenvalues, &modes), SN_OK);
    double *mended = SN_NEW(&f.arena, double, 3 * f.n);
    assert_int_equal(sn_rotation_strain(&f.body, modes.basis, mended), SN_OK);
    for (int v = 0; v < f.n; ++v) {
        assert_true(!f.body.constraint.is_pinned[v] || sn_length3(mended + 3 * v) < 1e-6);
    }
    stop(&f);
}

/* ---- weights ---- */

static void test_translations_alone_are_skinning_modes(void **state)
{
    (void)state;
    fixture f;
    sn_modes modes, ours;
    const double variances[4] = {0, 0, 0, 1}, wide[4] = {1, 1, 1, 1}, origin[3] = {0.4, 0.15, 0.15};
    start(&f, 8, 3, 3, 0.1);
    const sn_constraint none = {.row_count = 0};
    assert_int_equal(sn_covariance_modes(&f.body, variances, origin, 5, &f.arena, &modes), SN_OK);
    assert_int_equal(
        sn_modes_build(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, NULL, &none, 5, &f.arena, &ours),
        SN_OK);
    for (int i = 1; i < 5; ++i) {
        assert_true(fabs(modes.eigenvalues[i] / (ours.eigenvalues[i] * STIFFNESS) - 1) < 1e-6);
    }
    assert_int_equal(sn_covariance_modes(&f.body, wide, origin, 5, &f.arena, &modes), SN_OK);
    assert_true(modes.eigenvalues[0] > 0.01 * modes.eigenvalues[4]); /* shears and scales: no weight is free */
    stop(&f);
}

static void test_biharmonic_modes(void **state)
{
    (void)state;
    fixture f;
    sn_modes modes;
    start(&f, 20, 2, 2, 0.05);
    assert_int_equal(sn_biharmonic_modes(&f.body, 4, &f.arena, &modes), SN_OK);
    assert_true(modes.eigenvalues[0] < 1e-6 * modes.eigenvalues[1]);
    /* L M^-1 L has the squares of the Laplacian's eigenvalues: (k pi / length)^4 along a bar of length 1. */
    for (int k = 1; k < 4; ++k) {
        assert_true(fabs(modes.eigenvalues[k] / pow(k * acos(-1), 4) - 1) < 0.04);
    }
    stop(&f);
}

static void test_lattice_is_linear(void **state)
{
    (void)state;
    fixture f;
    sn_subspace coarse;
    double *weights;
    int nodes;
    start(&f, 12, 4, 3, 0.1);
    assert_int_equal(sn_lattice_weights(&f.body.mesh, 40, &f.arena, &weights, &nodes), SN_OK);
    assert_true(nodes > 15 && nodes <= 40);
    assert_int_equal(sn_weight_subspace(&f.body, weights, nodes, false, &f.arena, &coarse), SN_OK);
    assert_orthonormal(&f, &coarse);
    double *u = SN_NEW(&f.arena, double, 3 * f.n), *nearest = SN_NEW(&f.arena, double, 3 * f.n);
    for (int v = 0; v < f.n; ++v) {
        const double *x = f.body.mesh.positions + 3 * v;
        double sum = 0;
        for (int k = 0; k < nodes; ++k) {
            sum += weights[v * nodes + k];
            assert_true(weights[v * nodes + k] >= 0);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        u[3 * v] = 1 + 2 * x[0] - x[1];
        u[3 * v + 1] = 3 * x[2] - x[0];
        u[3 * v + 2] = x[0] + x[1] + x[2];
    }
    assert_true(sn_subspace_fit(&coarse, f.body.mass, f.n, u, nearest) < 1e-10);
    assert_int_equal(sn_lattice_weights(&f.body.mesh, 3, &f.arena, &weights, &nodes), SN_ERROR_ARGUMENT);
    stop(&f);
}

int test_baselines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_of_a_beam),
        cmocka_unit_test(test_free_body_has_six_rigid_modes),
        cmocka_unit_test(test_volumetric_term_stiffens),
        cmocka_unit_test(test_derivatives_follow_the_curve),
        cmocka_unit_test(test_linear_rotations_are_mended),
        cmocka_unit_test(test_rotation_strain_collapses_a_quarter_turn),
        cmocka_unit_test(test_rotation_strain_keeps_pins),
        cmocka_unit_test(test_translations_alone_are_skinning_modes),
        cmocka_unit_test(test_biharmonic_modes),
        cmocka_unit_test(test_lattice_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
