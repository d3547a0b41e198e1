/* SPDX-License-Identifier: MIT */
/* Modes for morph targets: what they span, what they leave alone, and when there are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/reduced/target_modes.h"
#include "tests/modes/modes_test.h"
#include "tests/support/bar.h"

#define FIELDS 3
#define MODES 4

/* A bar of one bone with three fields of displacements: at one end along x, at the other along z, and one turning about
 * the middle. */
static double *start(model *m, double **bone)
{
    *m = (model){.mesh = {0}};
    m->mesh = sn_test_bar(&m->arena, 6, 3, 3, 0.25);
    prepare(m);
    assert_int_equal(build_leak(m), SN_OK);
    const size_t n = (size_t)m->mesh.vertex_count;
    double *fields = SN_NEW(&m->arena, double, n * 3 * FIELDS);
    *bone = SN_NEW(&m->arena, double, n);
    assert_true(fields && *bone);
    for (size_t v = 0; v < n; ++v) {
        const double *x = m->mesh.positions + 3 * v;
        const double square = x[1] * x[1] + x[2] * x[2];
        (*bone)[v] = 1;
        fields[9 * v] = exp(-9 * (x[0] * x[0] + square));
        fields[9 * v + 5] = exp(-9 * ((x[0] - 1.5) * (x[0] - 1.5) + square));
        fields[9 * v + 7] = -x[2] * exp(-4 * (x[0] - 0.75) * (x[0] - 0.75));
        fields[9 * v + 8] = x[1] * exp(-4 * (x[0] - 0.75) * (x[0] - 0.75));
    }
    const sn_constraint_rig rig = {1, *bone, NULL};
    assert_int_equal(sn_constraint_build(&m->mesh, m->mass, m->leak, &rig, &m->arena, &m->constraint), SN_OK);
    return fields;
}

static int add(model *m, const double *fields, const double *importance, int max_count)
{
    const int before = m->modes.mode_count;
    const sn_target_modes_input input = {&m->mesh, m->volumes, m->mass, fields, importance, FIELDS, max_count};
    assert_int_equal(sn_modes_add_targets(&input, &m->constraint, &m->arena, &m->modes), SN_OK);
    return m->modes.mode_count - before;
}

/* y (vertex_count) = (s H + M) x, s the squared diagonal */
static void apply(const model *m, const double *x, double *y)
{
    const sn_sparse *h = &m->modes.hessian;
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(&m->mesh, low, high);
    for (int v = 0; v < h->size; ++v) {
        y[v] = m->mass[v] * x[v];
    }
    for (int j = 0; j < h->size; ++j) {
        for (int32_t k = h->column_starts[j]; k < h->column_starts[j + 1]; ++k) {
            const double value = diagonal * diagonal * h->values[k];
            y[h->rows[k]] += value * x[j];
            y[j] += h->rows[k] == j ? 0 : value * x[h->rows[k]];
        }
    }
}

static double product(const double *a, const double *b, size_t stride, size_t n)
{
    double sum = 0;
    for (size_t v = 0; v < n; ++v) {
        sum += a[v * stride] * b[v];
    }
    return sum;
}

/* How far the span of the modes is from w with v^T (s H + M) w = v^T M e for all v that the constraint allows (which
 * `all` are), in the energy's norm, of its own: w is what flesh does. The span's best, by Galerkin, is as good as what
 * it catches of the work e^T M w. */
static double missed(model *m, const sn_modes *all, const double *fields, size_t component)
{
    const size_t n = (size_t)m->mesh.vertex_count;
    const sn_modes *spans[2] = {&m->modes, all};
    double work[2] = {0}, *load = SN_NEW(&m->arena, double, n), low[3], high[3];
    const double diagonal = sn_tet_mesh_box(&m->mesh, low, high);
    for (size_t v = 0; v < n; ++v) {
        load[v] = m->mass[v] * fields[v * 3 * FIELDS + component];
    }
    /* in modes the matrix is s E + 1, for they are orthogonal in H and M */
    for (int i = 0; i < 2; ++i) {
        const size_t stride = (size_t)spans[i]->mode_count;
        for (size_t j = 0; j < stride; ++j) {
            const double along = product(spans[i]->weights + j, load, stride, n);
            work[i] += along * along / (diagonal * diagonal * spans[i]->eigenvalues[j] + 1);
        }
    }
    return 1 - work[0] / work[1];
}

/* Eigenmodes stay as they are, and first; all are orthonormal, allowed, in the order of their energies, and orthogonal
 * in these; and together they give way to a field as flesh does, where before they did not, and to several nearly so.
 */
static void test_they_span_what_flesh_does(void **state)
{
    (void)state;
    static const double importance[FIELDS] = {0, 1, 0}, alike[FIELDS] = {1, 1, 1};
    model m;
    double *bone, *fields = start(&m, &bone);
    const size_t n = (size_t)m.mesh.vertex_count;
    assert_int_equal(build_modes(&m, m.mesh.vertex_count - m.constraint.row_count), SN_OK);
    const sn_modes all = m.modes;
    assert_int_equal(build_modes(&m, MODES), SN_OK);
    const sn_modes before = m.modes;
    assert_true(missed(&m, &all, fields, 5) > 0.3);
    assert_int_equal(add(&m, fields, importance, 9), 1);
    assert_true(missed(&m, &all, fields, 5) < 1e-9);
    m.modes = before;
    const int added = add(&m, fields, alike, 9);
    const size_t count = (size_t)m.modes.mode_count;
    assert_true(added > 1 && added <= 4); /* a component each at most */
    check_modes(&m);
    for (size_t v = 0; v < n; ++v) {
        assert_memory_equal(m.modes.weights + v * count, before.weights + v * MODES, MODES * sizeof(double));
    }
    double *image = SN_NEW(&m.arena, double, n), *column = SN_NEW(&m.arena, double, n), low[3], high[3];
    const double diagonal = sn_tet_mesh_box(&m.mesh, low, high);
    for (size_t j = 0; j < count; ++j) {
        for (size_t v = 0; v < n; ++v) {
            column[v] = m.modes.weights[v * count + j];
        }
        apply(&m, column, image);
        for (size_t i = 0; i < count; ++i) {
            const double wanted = i == j ? diagonal * diagonal * m.modes.eigenvalues[j] + 1 : 0;
            assert_near(product(m.modes.weights + i, image, count, n), wanted, 1e-7 * (1 + wanted));
        }
    }
    double max_count = 0;
    for (size_t i = 0; i < 4; ++i) {
        max_count = fmax(max_count, missed(&m, &all, fields, (size_t[]){0, 5, 7, 8}[i]));
    }
    assert_true(max_count < 0.2);
    finish(&m);
}

static void test_important_fields_come_first(void **state)
{
    (void)state;
    static const double importance[FIELDS] = {0.1, 1, 0};
    model m;
    double *bone, *fields = start(&m, &bone);
    assert_int_equal(build_modes(&m, m.mesh.vertex_count - m.constraint.row_count), SN_OK);
    const sn_modes all = m.modes;
    assert_int_equal(build_modes(&m, MODES), SN_OK);
    const double other = missed(&m, &all, fields, 7);
    assert_int_equal(add(&m, fields, importance, 1), 1);
    assert_true(missed(&m, &all, fields, 5) < 0.01);
    assert_true(missed(&m, &all, fields, 0) > 0.1);
    assert_true(missed(&m, &all, fields, 7) > 0.9 * other);
    finish(&m);
}

static void test_none_where_there_is_nothing_to_add(void **state)
{
    (void)state;
    static const double importance[FIELDS] = {1, 1, 1};
    model m;
    double *bone, *fields = start(&m, &bone);
    assert_int_equal(build_modes(&m, MODES), SN_OK);
    const sn_modes before = m.modes;
    assert_int_equal(add(&m, fields, importance, 0), 0);
    assert_ptr_equal(m.modes.weights, before.weights);
    double *nothing = SN_NEW(&m.arena, double, (size_t)m.mesh.vertex_count * 3 * FIELDS);
    assert_int_equal(add(&m, nothing, importance, 9), 0);
    assert_int_equal(build_modes(&m, m.mesh.vertex_count - m.constraint.row_count), SN_OK);
    assert_int_equal(add(&m, fields, importance, 9), 0); /* all that is allowed is there */
    finish(&m);
}

/* What is pinned stays so. */
static void test_pinned(void **state)
{
    (void)state;
    static const double importance[FIELDS] = {1, 1, 1};
    model m;
    double *bone, *fields = start(&m, &bone);
    const size_t n = (size_t)m.mesh.vertex_count;
    bool *is_pinned = SN_NEW(&m.arena, bool, n);
    for (size_t v = 0; v < n; ++v) {
        is_pinned[v] = m.mesh.positions[3 * v] < 0.1;
        m.leak[v] = is_pinned[v] ? 0 : m.leak[v];
    }
    const sn_constraint_rig rig = {1, bone, NULL};
    assert_int_equal(sn_constraint_build(&m.mesh, m.mass, m.leak, &rig, &m.arena, &m.constraint), SN_OK);
    m.constraint.is_pinned = is_pinned;
    assert_int_equal(build_modes(&m, MODES), SN_OK);
    const int added = add(&m, fields, importance, 9);
    assert_true(added > 0);
    check_modes(&m);
    for (size_t i = 0; i < n * (size_t)(MODES + added); ++i) {
        assert_true(!is_pinned[i / (size_t)(MODES + added)] || m.modes.weights[i] == 0);
    }
    finish(&m);
}

/* Localised modes have more energy than smooth ones: those that are added come in between. */
static void test_beside_local_modes(void **state)
{
    (void)state;
    static const double importance[FIELDS] = {1, 1, 1};
    model m;
    double *bone, *fields = start(&m, &bone);
    assert_int_equal(build_modes(&m, MODES), SN_OK);
    assert_int_equal(sn_modes_localise(&m.mesh, m.gradients, m.volumes, m.mass, NULL, &m.constraint, 0.5, &m.modes),
                     SN_OK);
    const int all = MODES + add(&m, fields, importance, 9);
    assert_true(all > MODES);
    check_modes(&m);
    for (int i = 1; i < all; ++i) {
        assert_true(m.modes.eigenvalues[i] >= m.modes.eigenvalues[i - 1]);
    }
    finish(&m);
}

int test_target_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_span_what_flesh_does),
        cmocka_unit_test(test_important_fields_come_first),
        cmocka_unit_test(test_none_where_there_is_nothing_to_add),
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_beside_local_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
