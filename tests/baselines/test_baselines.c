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

#include "author/baselines/baselines.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"

#define STIFFNESS 1e4
#define DENSITY 1e3

typedef struct fixture {
    sn_arena arena;
    sn_baseline_body body;
    double *leak, *rig_weights;
    int n;
} fixture;

static void start(fixture *f, int nx, int ny, int nz, double cell)
{
    *f = (fixture){.n = 0};
    f->body.mesh = sn_test_bar(&f->arena, nx, ny, nz, cell);
    const sn_tet_mesh *mesh = &f->body.mesh;
    const size_t n = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count;
    double *gradients = SN_NEW(&f->arena, double, 12 * tets), *volumes = SN_NEW(&f->arena, double, tets);
    double *mu = SN_NEW(&f->arena, double, tets), *mass = SN_NEW(&f->arena, double, n);
    f->leak = SN_NEW(&f->arena, double, n);
    f->rig_weights = SN_NEW(&f->arena, double, n);
    f->n = (int)n;
    sn_tet_gradients(mesh, gradients, volumes);
    sn_tet_lumped_mass(mesh, volumes, NULL, mass);
    for (size_t t = 0; t < tets; ++t) {
        mu[t] = STIFFNESS;
    }
    for (size_t v = 0; v < n; ++v) {
        mass[v] *= DENSITY;
        f->leak[v] = f->rig_weights[v] = 1;
    }
    f->body.gradients = gradients;
    f->body.volumes = volumes;
    f->body.tet_mu = mu;
    f->body.mass = mass;
}

static void stop(fixture *f)
{
    sn_arena_finish(&f->arena);
}

/* The end at x = 0. */
static void pin_end(fixture *f)
{
    bool *is_pinned = SN_NEW(&f->arena, bool, f->n);
    for (int v = 0; v < f->n; ++v) {
        is_pinned[v] = f->body.mesh.positions[3 * v] == 0;
    }
    f->body.constraint = (sn_constraint){.is_pinned = is_pinned};
}

static void hold_by_rig(fixture *f)
{
    assert_int_equal(sn_baseline_rig_rows(&f->body, f->leak, f->rig_weights, 1, &f->arena, &f->body.constraint), SN_OK);
    assert_int_equal(f->body.constraint.row_count, 4);
}

static double mass_dot(const fixture *f, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * f->n; ++i) {
        sum += f->body.mass[i / 3] * a[i] * b[i];
    }
    return sum;
}

static void assert_orthonormal(const fixture *f, const sn_subspace *s)
{
    for (int i = 0; i < s->dimension; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double dot =
                mass_dot(f, s->basis + 3 * (size_t)f->n * (size_t)i, s->basis + 3 * (size_t)f->n * (size_t)j);
            assert_true(fabs(dot - (i == j)) < 1e-7);
        }
    }
}

/* J^T M D u = 0 of every column. */
static void assert_complementary(const fixture *f, const sn_subspace *s)
{
    for (int c = 0; c < s->dimension; ++c) {
        const double *u = s->basis + 3 * (size_t)f->n * (size_t)c;
        for (int row = 0; row < 12; ++row) {
            double sum = 0, size = 0;
            for (int v = 0; v < f->n; ++v) {
                const double x = row / 3 < 3 ? f->body.mesh.positions[3 * v + row / 3] : 1;
                sum += f->body.mass[v] * f->leak[v] * x * u[3 * v + row % 3];
                size += fabs(f->body.mass[v] * f->leak[v] * x * u[3 * v + row % 3]);
            }
            assert_true(fabs(sum) <= 1e-9 * size + 1e-12);
        }
    }
}

/* u = w x position */
static double *turn_linearly(fixture *f, const double *w)
{
    double *u = SN_NEW(&f->arena, double, 3 * f->n);
    for (int v = 0; v < f->n; ++v) {
        sn_cross3(w, f->body.mesh.positions + 3 * v, u + 3 * v);
    }
    return u;
}

/* R x - x by Rodrigues' formula. */
static void turn(const double *w, const double *x, double *u)
{
    const double angle = sn_length3(w);
    const double axis[3] = {w[0] / angle, w[1] / angle, w[2] / angle};
    double once[3], twice[3];
    sn_cross3(axis, x, once);
    sn_cross3(axis, once, twice);
    for (int d = 0; d < 3; ++d) {
        u[d] = sin(angle) * once[d] + (1 - cos(angle)) * twice[d];
    }
}

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

/* ---- the step, and what turns with its input ---- */

static double *place_rig(fixture *f, double angle, double shift)
{
    double *positions = SN_NEW(&f->arena, double, 3 * f->n);
    const double w[3] = {0, 0, angle};
    for (int v = 0; v < f->n; ++v) {
        const double *x = f->body.mesh.positions + 3 * v;
        double moved[3] = {0};
        if (angle != 0) {
            turn(w, x, moved);
        }
        for (int d = 0; d < 3; ++d) {
            positions[3 * v + d] = x[d] + moved[d];
        }
        positions[3 * v] -= shift * sin(angle);
        positions[3 * v + 1] += shift * cos(angle);
    }
    return positions;
}

/* A rig that jolts sideways, all of it turned by `angle`; the displacements come back turned to 0. */
static double *jolt(fixture *f, const sn_subspace *subspace, double angle)
{
    const sn_subspace_desc desc = {.time_step = 0.02, .iteration_limit = 200, .tolerance = 1e-12};
    sn_subspace_solver *solver = NULL;
    double *u = SN_NEW(&f->arena, double, 3 * f->n);
    assert_int_equal(sn_subspace_solver_create(&f->body, subspace, &desc, place_rig(f, angle, 0), &solver), SN_OK);
    assert_int_equal(sn_subspace_solver_step(solver, place_rig(f, angle, 0)), 1); /* at rest */
    for (int frame = 1; frame < 12; ++frame) {
        sn_subspace_solver_step(solver, place_rig(f, angle, 0.3 * sin(0.5 * frame)));
    }
    sn_subspace_solver_displacements(solver, u);
    assert_true(sn_subspace_solver_potential(solver) > 0);
    sn_subspace_solver_destroy(&solver);
    for (int v = 0; v < f->n; ++v) {
        const double x = u[3 * v], y = u[3 * v + 1];
        u[3 * v] = cos(angle) * x + sin(angle) * y;
        u[3 * v + 1] = cos(angle) * y - sin(angle) * x;
    }
    return u;
}

static double turned_difference(fixture *f, const sn_subspace *subspace)
{
    const double *before = jolt(f, subspace, 0), *after = jolt(f, subspace, 1.3);
    double *difference = SN_NEW(&f->arena, double, 3 * f->n);
    for (int i = 0; i < 3 * f->n; ++i) {
        difference[i] = after[i] - before[i];
    }
    assert_true(sn_mass_norm(f->body.mass, f->n, before) > 1e-3);
    return sn_mass_norm(f->body.mass, f->n, difference) / sn_mass_norm(f->body.mass, f->n, before);
}

static void test_only_weights_turn_with_their_input(void **state)
{
    (void)state;
    fixture f;
    sn_subspace displacement, derivatives, skinning, late; /* late: constrained after its weights */
    sn_constraint constraint;
    sn_modes modes;
    double eigenvalues[24];
    start(&f, 12, 3, 3, 0.1);
    assert_int_equal(sn_momentum_leak(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, &f.arena, f.leak),
                     SN_OK);
    hold_by_rig(&f);
    assert_int_equal(sn_displacement_modes(&f.body, 24, &f.arena, eigenvalues, &displacement), SN_OK);
    sn_subspace primary = {6, displacement.basis};
    assert_int_equal(sn_modal_derivatives(&f.body, &primary, eigenvalues, 24, &f.arena, &derivatives), SN_OK);
    assert_int_equal(sn_constraint_build(&f.body.mesh, f.body.mass, f.leak,
                                         &(sn_constraint_rig){1, f.rig_weights, NULL}, &f.arena, &constraint),
                     SN_OK);
    assert_int_equal(sn_modes_build(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, NULL, &constraint, 2,
                                    &f.arena, &modes),
                     SN_OK);
    assert_int_equal(sn_weight_subspace(&f.body, modes.weights, 2, true, &f.arena, &skinning), SN_OK);
    const sn_constraint none = {.row_count = 0};
    assert_int_equal(
        sn_modes_build(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, NULL, &none, 3, &f.arena, &modes),
        SN_OK);
    assert_int_equal(sn_weight_subspace(&f.body, modes.weights, 3, true, &f.arena, &late), SN_OK);
    assert_int_equal(sn_subspace_constrain(&f.body, &f.arena, &late), SN_OK);
    const sn_subspace *const all[] = {&displacement, &derivatives, &skinning, &late};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(all[i]->dimension, 24);
        assert_orthonormal(&f, all[i]);
        assert_complementary(&f, all[i]);
    }
    assert_true(turned_difference(&f, &skinning) < 1e-8 && turned_difference(&f, &late) < 1e-8);
    assert_true(turned_difference(&f, &displacement) > 1e-2);
    assert_true(turned_difference(&f, &derivatives) > 1e-2);
    stop(&f);
}

/* Under its weight a step of a long time ends where no direction of the subspace lowers the potential. */
static void test_a_long_step_ends_in_equilibrium(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[8], potential[2];
    start(&f, 10, 2, 2, 0.1);
    pin_end(&f);
    assert_int_equal(sn_displacement_modes(&f.body, 8, &f.arena, eigenvalues, &modes), SN_OK);
    for (int more = 0; more < 2; ++more) {
        const sn_subspace_desc desc = {
            .time_step = 1e3, .gravity = {0, -0.002, 0}, .iteration_limit = 20000, .tolerance = more ? 1e-13 : 1e-9};
        sn_subspace_solver *solver = NULL;
        assert_int_equal(sn_subspace_solver_create(&f.body, &modes, &desc, f.body.mesh.positions, &solver), SN_OK);
        sn_subspace_solver_step(solver, f.body.mesh.positions);
        potential[more] = sn_subspace_solver_potential(solver);
        sn_subspace_solver_destroy(&solver);
    }
    /* Linear theory: minus half the work of the weight, q^T E q / 2 = (U^T M g)^2 / (2 E). */
    double linear = 0;
    for (int c = 0; c < 8; ++c) {
        double force = 0;
        for (int v = 0; v < f.n; ++v) {
            force -= 0.002 * f.body.mass[v] * modes.basis[3 * (size_t)f.n * (size_t)c + 3 * (size_t)v + 1];
        }
        linear -= force * force / (2 * eigenvalues[c]);
    }
    assert_true(potential[0] < 0 && fabs(potential[1] / potential[0] - 1) < 1e-4);
    assert_true(fabs(potential[1] / linear - 1) < 0.02);
    stop(&f);
}

int main(void)
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
        cmocka_unit_test(test_only_weights_turn_with_their_input),
        cmocka_unit_test(test_a_long_step_ends_in_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
