/* SPDX-License-Identifier: MIT */
/* Displacement modes without a factor, against those with one: values, span, residuals; all at once, and some at a
 * time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "research/baselines/pencil.h"
#include "tests/baselines/baseline_bar.h"
#include "tests/support/log.h"

/* Sides of three lengths: no mode is double, but for what symmetry makes so. */
static void start_thick(fixture *f)
{
    start(f, 30, 9, 7, 0.1);
}

static const double *column(const fixture *f, const sn_subspace *s, int i)
{
    return s->basis + 3 * (size_t)f->n * (size_t)i;
}

/* K u - E M u is less than a hundredth of E M u, in the norm of M^-1, and its work, which bounds what E is off by, less
 * than 1e-6 of E. Without rows. */
static void assert_solved(fixture *f, const double *eigenvalues, const sn_subspace *modes)
{
    const size_t size = 3 * (size_t)f->n;
    sn_sparse k;
    double *r = SN_NEW(&f->arena, double, size);
    assert_int_equal(sn_elastic_hessian(&f->body, &f->arena, &k), SN_OK);
    for (int i = 0; i < modes->dimension; ++i) {
        const double *u = column(f, modes, i);
        for (size_t j = 0; j < size; ++j) {
            r[j] = -eigenvalues[i] * f->body.mass[j / 3] * u[j];
        }
        for (size_t j = 0; j < size; ++j) {
            for (int32_t e = k.column_starts[j]; e < k.column_starts[j + 1]; ++e) {
                const size_t row = (size_t)k.rows[e];
                r[row] += k.values[e] * u[j];
                r[j] += row != j ? k.values[e] * u[row] : 0;
            }
        }
        double square = 0, work = 0;
        for (size_t j = 0; j < size; ++j) {
            square += f->body.constraint.is_pinned[j / 3] ? 0 : r[j] * r[j] / f->body.mass[j / 3];
            work += r[j] * u[j];
        }
        assert_true(sqrt(square) < 1e-2 * eigenvalues[i]);
        assert_true(fabs(work) < 1e-6 * eigenvalues[i]);
    }
}

/* P x = x / theta for the constrained inverse P: to 1e-3 of it, in the vector and, squared, in the value. */
static void assert_pairs_of_inverse(fixture *f, const double *eigenvalues, const sn_subspace *modes)
{
    sn_pencil pencil = {.axis_count = 3,
                        .vertex_count = f->n,
                        .mass = f->body.mass,
                        .constraint = &f->body.constraint,
                        .unit = sn_elastic_unit(&f->body)};
    sn_pencil_system system;
    sn_projection inverse;
    const size_t size = 3 * (size_t)f->n;
    double *x = SN_NEW(&f->arena, double, size), *y = SN_NEW(&f->arena, double, size);
    assert_int_equal(sn_elastic_hessian(&f->body, &f->arena, &pencil.matrix), SN_OK);
    assert_int_equal(sn_pencil_factor(&pencil, 1, &f->arena, &system), SN_OK);
    assert_int_equal(sn_projection_init(&system.problem, 1, &f->arena, &inverse), SN_OK);
    for (int i = 0; i < modes->dimension; ++i) {
        const double theta = 1 + pencil.unit * eigenvalues[i];
        double square = 0, along = 0;
        for (size_t j = 0; j < size; ++j) {
            if (system.slots[j] >= 0) {
                x[system.slots[j]] = sqrt(f->body.mass[j / 3]) * column(f, modes, i)[j];
            }
        }
        assert_int_equal(sn_projection_apply(&inverse, 1, x, y), SN_OK);
        for (int j = 0; j < system.problem.size; ++j) {
            square += pow(theta * y[j] - x[j], 2);
            along += theta * y[j] * x[j];
        }
        assert_true(sqrt(square) < 1e-3);
        assert_true(fabs(along - 1) < 1e-6);
    }
    sn_pencil_release(&system);
}

/* Both ways: values, ascending, to 2e-7; of every mode all but 5e-4 lies in the other ones' span. */
static void compare(fixture *f, int wanted, double *eigenvalues, sn_subspace *modes)
{
    sn_subspace direct;
    double *exact = SN_NEW(&f->arena, double, wanted), *nearest = SN_NEW(&f->arena, double, 3 * f->n);
    assert_int_equal(sn_displacement_modes_by(&f->body, SN_EIGEN_LATTICE, wanted, &f->arena, eigenvalues, modes),
                     SN_OK);
    assert_int_equal(sn_displacement_modes_by(&f->body, SN_EIGEN_FACTOR, wanted, &f->arena, exact, &direct), SN_OK);
    assert_orthonormal(f, modes);
    for (int i = 0; i < wanted; ++i) {
        assert_true(fabs(eigenvalues[i] / exact[i] - 1) < 2e-7);
        assert_true(i == 0 || eigenvalues[i] >= eigenvalues[i - 1]);
        const double left = sn_subspace_fit(&direct, f->body.mass, f->n, column(f, modes, i), nearest);
        assert_true(left < 5e-4);
    }
}

static void test_a_clamped_bar(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[16];
    start_thick(&f);
    pin_end(&f);
    compare(&f, 16, eigenvalues, &modes);
    assert_solved(&f, eigenvalues, &modes);
    assert_pairs_of_inverse(&f, eigenvalues, &modes);
    for (int i = 0; i < 3 * f.n * modes.dimension; ++i) {
        assert_true(!f.body.constraint.is_pinned[i / 3 % f.n] || modes.basis[i] == 0);
    }
    stop(&f);
}

static void test_a_rig(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[16];
    start_thick(&f);
    hold_by_rig(&f);
    compare(&f, 16, eigenvalues, &modes);
    assert_pairs_of_inverse(&f, eigenvalues, &modes);
    assert_complementary(&f, &modes);
    stop(&f);
}

/* Of more rows than the lattice has modes for: the start is noise. */
static void test_a_rig_of_many_bones(void **state)
{
    (void)state;
    enum { BONES = 14 };
    fixture f;
    sn_subspace modes;
    double eigenvalues[6];
    start(&f, 42, 10, 8, 0.1);
    const size_t n = (size_t)f.n;
    double *weights = SN_NEW(&f.arena, double, n *BONES), *leak = SN_NEW(&f.arena, double, n);
    for (size_t v = 0; v < n; ++v) {
        const double at = f.body.mesh.positions[3 * v] / 4.2 * BONES - 0.5;
        double sum = 0;
        for (size_t b = 0; b < BONES; ++b) {
            weights[v * BONES + b] = fmax(0, 1.5 - fabs(at - (double)b));
            sum += weights[v * BONES + b];
        }
        for (size_t b = 0; b < BONES; ++b) {
            weights[v * BONES + b] /= sum;
        }
        leak[v] = 1;
    }
    assert_int_equal(sn_baseline_rig_rows(&f.body, leak, weights, BONES, &f.arena, &f.body.constraint), SN_OK);
    assert_true(3 * f.body.constraint.row_count > 160);
    compare(&f, 6, eigenvalues, &modes);
    assert_pairs_of_inverse(&f, eigenvalues, &modes);
    assert_complementary(&f, &modes);
    stop(&f);
}

/* The material is stiffer along the bar, and keeps volume. */
static void test_a_material(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[12];
    start_thick(&f);
    pin_end(&f);
    double *mu = SN_NEW(&f.arena, double, f.body.mesh.tet_count),
           *lame = SN_NEW(&f.arena, double, f.body.mesh.tet_count);
    for (int t = 0; t < f.body.mesh.tet_count; ++t) {
        mu[t] = STIFFNESS * (1 + 4 * f.body.mesh.positions[3 * f.body.mesh.tets[4 * t]]);
        lame[t] = 0.5 * mu[t];
    }
    f.body.tet_mu = mu;
    f.body.tet_lame = lame;
    compare(&f, 12, eigenvalues, &modes);
    assert_solved(&f, eigenvalues, &modes);
    stop(&f);
}

/* The last eight are sought in the complement of those before. */
static void test_some_at_a_time(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[56];
    start(&f, 36, 14, 12, 0.1);
    hold_by_rig(&f);
    compare(&f, 56, eigenvalues, &modes);
    assert_pairs_of_inverse(&f, eigenvalues, &modes);
    assert_complementary(&f, &modes);
    stop(&f);
}

/* Too small for a lattice. */
static void test_no_lattice(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[4];
    start(&f, 6, 2, 2, 0.1);
    begin_log();
    assert_int_equal(sn_displacement_modes_by(&f.body, SN_EIGEN_LATTICE, 4, &f.arena, eigenvalues, &modes),
                     SN_ERROR_NUMERIC);
    sn_set_log(NULL, NULL);
    assert_int_equal(logged.lines, 1);
    assert_non_null(strstr(logged.last, "comparison modes: no convergence on the lattice"));
    assert_int_equal(sn_displacement_modes(&f.body, 4, &f.arena, eigenvalues, &modes), SN_OK);
    stop(&f);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_pencil_lattice(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_clamped_bar),       cmocka_unit_test(test_a_rig),
        cmocka_unit_test(test_a_rig_of_many_bones), cmocka_unit_test(test_a_material),
        cmocka_unit_test(test_some_at_a_time),      cmocka_unit_test(test_no_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
