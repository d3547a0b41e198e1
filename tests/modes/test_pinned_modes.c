/* SPDX-License-Identifier: MIT */
/* Modes under a user's rows and pins: against the dense problem with both eliminated, on bars where the answers are
 * known, and what becomes of rows that say nothing new. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/modes.h"
#include "host/base/random.h"
#include "host/platform/platform.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct model {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass, *leak, *weights, *stiffness;
    bool *is_pinned;
    sn_constraint constraint;
    sn_modes modes;
    uint64_t random;
} model;

static void prepare(model *m)
{
    const size_t n = (size_t)m->mesh.vertex_count, t = (size_t)m->mesh.tet_count;
    m->gradients = SN_NEW(&m->arena, double, 12 * t);
    m->volumes = SN_NEW(&m->arena, double, t);
    m->stiffness = SN_NEW(&m->arena, double, t);
    m->mass = SN_NEW(&m->arena, double, n);
    m->leak = SN_NEW(&m->arena, double, n);
    m->weights = SN_NEW(&m->arena, double, 2 * n);
    m->is_pinned = SN_NEW(&m->arena, bool, n);
    m->constraint.is_pinned = m->is_pinned;
    m->random = 7;
    for (size_t i = 0; i < t; i++) {
        m->stiffness[i] = 1;
    }
    for (size_t v = 0; v < n; v++) {
        m->leak[v] = 1;
    }
    sn_tet_gradients(&m->mesh, m->gradients, m->volumes);
    sn_tet_lumped_mass(&m->mesh, m->volumes, NULL, m->mass);
}

static void make_bar(model *m, int nx, int ny, int nz, double size)
{
    *m = (model){.modes = {0}};
    m->mesh = sn_test_bar(&m->arena, nx, ny, nz, size);
    prepare(m);
}

/* Everything up to x. */
static int pin_end(model *m, double x)
{
    int count = 0;
    for (int v = 0; v < m->mesh.vertex_count; v++) {
        m->is_pinned[v] = m->mesh.positions[3 * v] < x + 1e-9;
        m->leak[v] = m->is_pinned[v] ? 0 : 1;
        count += m->is_pinned[v];
    }
    return count;
}

/* Two bones: up to x = split, and beyond. */
static void add_rig(model *m, double split)
{
    for (int v = 0; v < m->mesh.vertex_count; v++) {
        m->weights[2 * v] = m->mesh.positions[3 * v] < split + 1e-9 ? 1 : 0;
        m->weights[2 * v + 1] = 1 - m->weights[2 * v];
    }
    assert_int_equal(sn_constraint_build(&m->mesh, m->mass, m->leak, &(sn_constraint_rig){2, m->weights, NULL},
                                         &m->arena, &m->constraint),
                     SN_OK);
    m->constraint.is_pinned = m->is_pinned;
}

static double *random_rows(model *m, int count)
{
    const size_t total = (size_t)count * (size_t)m->mesh.vertex_count;
    double *rows = SN_NEW(&m->arena, double, total);
    for (size_t i = 0; i < total; i++) {
        rows[i] = 2 * sn_random_unit(&m->random) - 1;
    }
    return rows;
}

static sn_result add_rows(model *m, const double *rows, int count)
{
    return sn_constraint_add(m->mesh.vertex_count, m->mass, rows, count, &m->arena, &m->constraint);
}

static sn_result build_modes(model *m, int count)
{
    return sn_modes_build(&m->mesh, m->gradients, m->volumes, m->mass, m->stiffness, &m->constraint, count, &m->arena,
                          &m->modes);
}

static void finish(model *m)
{
    sn_arena_finish(&m->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* C w = 0 where C has unit rows in M^-1, w = 0 at pins, W^T M W = 1. */
static void check_modes(const model *m, const double *rows, int row_count)
{
    const size_t n = (size_t)m->mesh.vertex_count, r = (size_t)m->modes.mode_count;
    for (size_t i = 0; i < r; i++) {
        const double *w = m->modes.weights + i;
        for (size_t v = 0; v < n; v++) {
            assert_true(!m->is_pinned[v] || fabs(w[v * r]) <= 1e-12);
        }
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t v = 0; v < n; v++) {
                sum += m->mass[v] * w[v * r] * m->modes.weights[v * r + j];
            }
            assert_near(sum, i == j, 1e-10);
        }
        for (size_t k = 0; k < (size_t)row_count; k++) {
            double sum = 0, square = 0;
            for (size_t v = 0; v < n; v++) {
                sum += rows[k * n + v] * w[v * r];
                square += rows[k * n + v] * rows[k * n + v] / m->mass[v];
            }
            assert_true(fabs(sum) <= 1e-10 * sqrt(square));
        }
        assert_true(m->modes.eigenvalues[i] >= (i > 0 ? m->modes.eigenvalues[i - 1] : 0));
    }
}

/* ---- the dense problem ---- */

/* M^-1/2 H M^-1/2 of the free vertices, of which there are `free_count`. */
static double *dense_hessian(model *m, const int32_t *places, size_t free_count)
{
    sn_sparse hessian;
    double *dense = SN_NEW(&m->arena, double, free_count *free_count);
    assert_int_equal(sn_laplacian_build(&m->mesh, m->gradients, m->volumes, m->stiffness, NULL, &m->arena, &hessian),
                     SN_OK);
    for (int c = 0; c < hessian.size; c++) {
        for (int32_t i = hessian.column_starts[c]; i < hessian.column_starts[c + 1]; i++) {
            const int32_t r = hessian.rows[i];
            if (places[c] >= 0 && places[r] >= 0) {
                const double value = hessian.values[i] / sqrt(m->mass[c] * m->mass[r]);
                dense[(size_t)places[c] * free_count + (size_t)places[r]] = value;
                dense[(size_t)places[r] * free_count + (size_t)places[c]] = value;
            }
        }
    }
    return dense;
}

/* All eigenvalues with pins struck out and rows, independent on the free vertices, eliminated by QR. */
static const double *dense_eigenvalues(model *m, const double *rows, int row_count)
{
    const size_t n = (size_t)m->mesh.vertex_count;
    int32_t *places = SN_NEW(&m->arena, int32_t, n);
    size_t size = 0;
    for (size_t v = 0; v < n; v++) {
        places[v] = m->is_pinned[v] ? -1 : (int32_t)size++;
    }
    const int kept = (int)size - row_count;
    double *hessian = dense_hessian(m, places, size), *columns = SN_NEW(&m->arena, double, size *(size_t)row_count);
    double *basis = SN_NEW(&m->arena, double, size *(size_t)kept), *product = SN_NEW(&m->arena, double, size *size);
    double *small = SN_NEW(&m->arena, double, kept *kept), *values = SN_NEW(&m->arena, double, kept);
    for (size_t i = 0; i < (size_t)row_count * n; i++) {
        if (places[i % n] >= 0) {
            columns[i / n * size + (size_t)places[i % n]] = rows[i] / sqrt(m->mass[i % n]);
        }
    }
    assert_int_equal(sn_dense_complement((int)size, row_count, columns, basis), SN_OK);
    sn_dense_product(hessian, (int)size, (int)size, basis, kept, product);
    sn_dense_gram(basis, product, (int)size, kept, small);
    assert_int_equal(sn_symmetric_eigen(kept, small, values), SN_OK);
    return values;
}

static void compare_dense(model *m, const double *rows, int row_count, int mode_count)
{
    const double *expected = dense_eigenvalues(m, rows, row_count);
    assert_int_equal(build_modes(m, mode_count), SN_OK);
    check_modes(m, rows, row_count);
    for (int i = 0; i < mode_count; i++) {
        assert_near(m->modes.eigenvalues[i], expected[i], 1e-9 * expected[mode_count - 1]);
    }
}

static void dense_elimination(void **state)
{
    (void)state;
    const int sizes[2][3] = {{12, 5, 4}, {5, 2, 2}}; /* Lanczos, and the dense path */
    for (int i = 0; i < 2; i++) {
        for (int row_count = 0; row_count <= 20; row_count += 10) {
            model m;
            make_bar(&m, sizes[i][0], sizes[i][1], sizes[i][2], .1);
            for (int t = 0; t < m.mesh.tet_count; t++) {
                m.stiffness[t] = .5 + sn_random_unit(&m.random);
            }
            pin_end(&m, .1);
            const double *rows = random_rows(&m, row_count);
            assert_int_equal(add_rows(&m, rows, row_count), SN_OK);
            assert_int_equal(m.constraint.row_count, row_count);
            compare_dense(&m, rows, row_count, 8);
            finish(&m);
        }
    }
}

/* Rig, rows and pins at once. */
static void rig_rows_and_pins(void **state)
{
    (void)state;
    model m;
    make_bar(&m, 12, 5, 4, .1);
    pin_end(&m, 0);
    add_rig(&m, .5);
    const int rig_rows = m.constraint.row_count;
    assert_int_equal(rig_rows, 20);
    double *rows = random_rows(&m, rig_rows + 6);
    memcpy(rows, m.constraint.rows, sizeof *rows * (size_t)rig_rows * (size_t)m.mesh.vertex_count);
    assert_int_equal(add_rows(&m, rows + rig_rows * m.mesh.vertex_count, 6), SN_OK);
    assert_int_equal(m.constraint.row_count, rig_rows + 6);
    compare_dense(&m, rows, rig_rows + 6, 8);
    finish(&m);
}

/* A bone whose flesh is pinned as a whole, or but for a plane, leaves the constraint sound. */
static void pinned_bones(void **state)
{
    (void)state;
    const double splits[3] = {.2, .3, .5};
    const int rows[3] = {10, 16, 20}; /* a plane has six monomials */
    for (int i = 0; i < 3; i++) {
        model m;
        make_bar(&m, 8, 4, 4, .1);
        pin_end(&m, .2);
        add_rig(&m, splits[i]);
        assert_int_equal(m.constraint.row_count, rows[i]);
        assert_int_equal(build_modes(&m, 6), SN_OK);
        check_modes(&m, m.constraint.rows, m.constraint.row_count);
        finish(&m);
    }
}

/* ---- bars ---- */

/* Pinned at one end: E_1 nears (pi / 2 length)^2 as the mesh is refined, by the square of its size. */
static void pinned_bar_converges(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    double before = 0;
    for (int refinement = 1; refinement <= 4; refinement *= 2) {
        model m;
        make_bar(&m, 10 * refinement, refinement, refinement, .1 / refinement);
        assert_int_equal(pin_end(&m, 0), (refinement + 1) * (refinement + 1));
        assert_int_equal(build_modes(&m, 3), SN_OK);
        check_modes(&m, NULL, 0);
        const double error = fabs(m.modes.eigenvalues[0] / (pi * pi / 4) - 1);
        assert_true(error < 4e-3 / (refinement * refinement));
        assert_true(refinement == 1 || (error < before / 3 && error > before / 5));
        before = error;
        finish(&m);
    }
}

/* Courant and Fischer: what is more constrained is no softer, mode by mode. */
static void more_rows_are_stiffer(void **state)
{
    (void)state;
    model m;
    make_bar(&m, 10, 5, 5, .1);
    const double *rows = random_rows(&m, 8);
    double before[10] = {0};
    for (int step = 0; step < 12; step++) {
        if (step > 0 && step <= 8) {
            assert_int_equal(add_rows(&m, rows + (step - 1) * m.mesh.vertex_count, 1), SN_OK);
        } else if (step > 8) {
            pin_end(&m, .1 * (step - 9));
            m.constraint.row_count = 0;
            assert_int_equal(add_rows(&m, rows, 8), SN_OK);
        }
        assert_int_equal(build_modes(&m, 10), SN_OK);
        check_modes(&m, rows, step < 8 ? step : 8);
        for (int i = 0; i < 10; i++) {
            assert_true(m.modes.eigenvalues[i] >= before[i] - 1e-9 * m.modes.eigenvalues[9]);
            before[i] = m.modes.eigenvalues[i];
        }
    }
    finish(&m);
}

/* ---- rows that say nothing new ---- */

/* Zero, repeated, scaled by anything, sums of others, on pins alone, and the rig's own again. */
static void dependent_rows(void **state)
{
    (void)state;
    model m;
    make_bar(&m, 10, 5, 4, .1);
    pin_end(&m, 0);
    add_rig(&m, .5);
    const size_t n = (size_t)m.mesh.vertex_count;
    const int rig_rows = m.constraint.row_count;
    double *rows = random_rows(&m, 9);
    for (size_t v = 0; v < n; v++) {
        rows[v] = 0;
        rows[2 * n + v] = -3 * rows[n + v];
        rows[3 * n + v] *= 1e250;
        rows[4 * n + v] = rows[3 * n + v] * 1e-300 * 1e-250;
        rows[5 * n + v] = m.is_pinned[v] ? 1 : 0;
        rows[6 * n + v] = m.constraint.rows[v] + 2 * m.constraint.rows[5 * n + v];
        rows[8 * n + v] = rows[n + v] + .5 * rows[7 * n + v];
    }
    assert_int_equal(add_rows(&m, rows, 9), SN_OK);
    assert_int_equal(m.constraint.row_count, rig_rows + 3); /* 1, 3 and 7 */
    assert_int_equal(build_modes(&m, 8), SN_OK);
    for (size_t i = 3 * n; i < 4 * n; i++) {
        rows[i] *= 1e-250; /* the squares of check_modes overflow */
    }
    check_modes(&m, rows, 4);
    check_modes(&m, rows + 5 * n, 4);
    const int rank = m.constraint.row_count;
    assert_int_equal(add_rows(&m, rows, 4), SN_OK);
    assert_int_equal(m.constraint.row_count, rank);
    assert_int_equal(add_rows(&m, NULL, 0), SN_OK);
    assert_int_equal(m.constraint.row_count, rank);
    finish(&m);
}

/* A row that is 1 at one vertex is a pin. */
static void a_row_is_a_pin(void **state)
{
    (void)state;
    model pinned, held;
    make_bar(&pinned, 8, 4, 4, .1);
    make_bar(&held, 8, 4, 4, .1);
    const int count = pin_end(&pinned, 0);
    double *rows = SN_NEW(&held.arena, double, count *held.mesh.vertex_count);
    for (int v = 0, next = 0; v < held.mesh.vertex_count; v++) {
        if (pinned.is_pinned[v]) {
            rows[held.mesh.vertex_count * next++ + v] = 1;
        }
    }
    assert_int_equal(add_rows(&held, rows, count), SN_OK);
    assert_int_equal(build_modes(&pinned, 6), SN_OK);
    assert_int_equal(build_modes(&held, 6), SN_OK);
    check_modes(&held, rows, count);
    for (int i = 0; i < 6; i++) {
        assert_near(held.modes.eigenvalues[i] / pinned.modes.eigenvalues[i], 1, 1e-9);
    }
    sn_arena_finish(&pinned.arena);
    finish(&held);
}

/* ---- limits ---- */

/* What nothing holds keeps its constant mode. */
static void free_component(void **state)
{
    (void)state;
    model m = {.modes = {0}};
    sn_tet_mesh one = sn_test_bar(&m.arena, 5, 4, 4, .1);
    const int n = one.vertex_count, t = one.tet_count;
    m.mesh = (sn_tet_mesh){2 * n, 2 * t, SN_NEW(&m.arena, double, 6 * n), SN_NEW(&m.arena, int32_t, 8 * t), false};
    for (int i = 0; i < 6 * n; i++) {
        m.mesh.positions[i] = one.positions[i % (3 * n)] + (i >= 3 * n ? 1 : 0);
    }
    for (int i = 0; i < 8 * t; i++) {
        m.mesh.tets[i] = one.tets[i % (4 * t)] + (i >= 4 * t ? n : 0);
    }
    prepare(&m);
    pin_end(&m, 0);
    assert_int_equal(build_modes(&m, 6), SN_OK);
    check_modes(&m, NULL, 0);
    assert_near(m.modes.eigenvalues[0], 0, 1e-8);
    assert_true(m.modes.eigenvalues[1] > .1);
    for (int v = n; v < 2 * n; v++) {
        assert_near(m.modes.weights[6 * v], m.modes.weights[6 * n], 1e-7 * m.modes.weights[6 * n]);
    }
    finish(&m);
}

static void too_many_modes(void **state)
{
    (void)state;
    model m;
    make_bar(&m, 3, 3, 3, 1);
    assert_int_equal(pin_end(&m, 0), 16);
    assert_int_equal(add_rows(&m, random_rows(&m, 3), 3), SN_OK);
    begin_log();
    assert_int_equal(build_modes(&m, 46), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_one_error("46 modes requested, but 64 vertices minus 16 pinned and 3 constraint rows leave 45");
    assert_int_equal(build_modes(&m, 45), SN_OK);
    check_modes(&m, NULL, 0);
    finish(&m);
}

static void same_bits(void **state)
{
    (void)state;
    model m;
    make_bar(&m, 10, 5, 5, .1);
    pin_end(&m, 0);
    const double *rows = random_rows(&m, 5);
    assert_int_equal(add_rows(&m, rows, 5), SN_OK);
    assert_int_equal(build_modes(&m, 8), SN_OK);
    const sn_modes first = m.modes;
    m.constraint.row_count = 0;
    assert_int_equal(add_rows(&m, rows, 5), SN_OK);
    assert_int_equal(build_modes(&m, 8), SN_OK);
    assert_memory_equal(first.eigenvalues, m.modes.eigenvalues, sizeof(double) * 8);
    assert_memory_equal(first.weights, m.modes.weights, sizeof(double) * 8 * (size_t)m.mesh.vertex_count);
    finish(&m);
}

/* Thousands of pins are fewer unknowns; hundreds of rows a dense block. */
static void many(void **state)
{
    (void)state;
    model m;
    make_bar(&m, 40, 15, 15, .025);
    const double start = sn_now();
    assert_int_equal(build_modes(&m, 16), SN_OK);
    const double built = sn_now();
    const int pins = pin_end(&m, .175);
    assert_in_range(pins, 2000, 2100);
    assert_int_equal(build_modes(&m, 16), SN_OK);
    const double pinned = sn_now();
    check_modes(&m, NULL, 0);
    const double *rows = random_rows(&m, 300);
    const double drawn = sn_now();
    assert_int_equal(add_rows(&m, rows, 300), SN_OK);
    const double added = sn_now();
    assert_int_equal(build_modes(&m, 16), SN_OK);
    print_message("%d vertices: 16 modes %.2f s, with %d pins %.2f s, with 300 rows too %.2f + %.2f s\n",
                  m.mesh.vertex_count, built - start, pins, pinned - built, added - drawn, sn_now() - added);
    check_modes(&m, rows, 300);
    finish(&m);
}

int test_pinned_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_elimination),
        cmocka_unit_test(rig_rows_and_pins),
        cmocka_unit_test(pinned_bones),
        cmocka_unit_test(pinned_bar_converges),
        cmocka_unit_test(more_rows_are_stiffer),
        cmocka_unit_test(dependent_rows),
        cmocka_unit_test(a_row_is_a_pin),
        cmocka_unit_test(free_component),
        cmocka_unit_test(too_many_modes),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
