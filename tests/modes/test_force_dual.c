/* SPDX-License-Identifier: MIT */
/* Force-dual modes of a bar that is anchored at one end: they vanish on the anchors, are orthonormal in mass and
 * stationary in stiffness, and their span contains the responses to the loads that they are made for. */
#include "author/modes/reduced/force_dual_modes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/modes/modes_test.h"
#include "tests/support/bar.h"

#define CELL 0.25
#define MODES 16

typedef struct anchored_bar {
    model m;
    size_t n;
    double *weights, *stiffness;
    bool *is_anchored;
    sn_force_dual_input input;
} anchored_bar;

static const double origin[3] = {0, 0, 0};

static void start(anchored_bar *b)
{
    b->m = (model){.mesh = {0}};
    b->m.mesh = sn_test_bar(&b->m.arena, 12, 4, 3, CELL);
    prepare(&b->m);
    b->n = (size_t)b->m.mesh.vertex_count;
    b->weights = SN_NEW(&b->m.arena, double, b->n);
    b->stiffness = SN_NEW(&b->m.arena, double, b->m.mesh.tet_count);
    b->is_anchored = SN_NEW(&b->m.arena, bool, b->n);
    assert_true(b->weights && b->stiffness && b->is_anchored);
    for (size_t v = 0; v < b->n; ++v) {
        b->weights[v] = 1;
        b->is_anchored[v] = b->m.mesh.positions[3 * v] < 0.5 * CELL;
    }
    for (int t = 0; t < b->m.mesh.tet_count; ++t) {
        b->stiffness[t] = t % 2 ? 0.5 : 1.5;
    }
    b->input = (sn_force_dual_input){.name = "bar",
                                     .mesh = &b->m.mesh,
                                     .gradients = b->m.gradients,
                                     .volumes = b->m.volumes,
                                     .mass = b->m.mass,
                                     .stiffness = b->stiffness,
                                     .is_anchored = b->is_anchored,
                                     .rig_weights = b->weights,
                                     .bone_count = 1,
                                     .bone_origins = origin,
                                     .mode_count = MODES};
}

/* image = L x, 0 on the anchors. */
static void apply(const anchored_bar *b, const double *x, double *image)
{
    memset(image, 0, b->n * sizeof *image);
    for (int t = 0; t < b->m.mesh.tet_count; ++t) {
        const int32_t *tet = b->m.mesh.tets + 4 * t;
        for (int i = 0; i < 16; ++i) {
            const double *p = b->m.gradients + 12 * t + 3 * (i / 4), *q = b->m.gradients + 12 * t + 3 * (i % 4);
            image[tet[i / 4]] +=
                b->stiffness[t] * b->m.volumes[t] * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) * x[tet[i % 4]];
        }
    }
    for (size_t v = 0; v < b->n; ++v) {
        image[v] = b->is_anchored[v] ? 0 : image[v];
    }
}

static double dot(const anchored_bar *b, const double *x, const double *y)
{
    double sum = 0;
    for (size_t v = 0; v < b->n; ++v) {
        sum += x[v] * y[v];
    }
    return sum;
}

/* x = L^-1 load with x = 0 on the anchors, by conjugate gradients. */
static void solve(anchored_bar *b, const double *load, double *x)
{
    double *r = SN_NEW(&b->m.arena, double, 3 * b->n), *p = r + b->n, *image = r + 2 * b->n;
    assert_non_null(r);
    memset(x, 0, b->n * sizeof *x);
    for (size_t v = 0; v < b->n; ++v) {
        r[v] = p[v] = b->is_anchored[v] ? 0 : load[v];
    }
    double square = dot(b, r, r);
    const double target = 1e-26 * square;
    for (int k = 0; k < 2000 && square > target; ++k) {
        apply(b, p, image);
        const double step = square / dot(b, p, image), before = square;
        for (size_t v = 0; v < b->n; ++v) {
            x[v] += step * p[v];
            r[v] -= step * image[v];
        }
        square = dot(b, r, r);
        for (size_t v = 0; v < b->n; ++v) {
            p[v] = r[v] + square / before * p[v];
        }
    }
    assert_true(square <= target);
}

static void they_are_modes(void **state)
{
    (void)state;
    anchored_bar b;
    start(&b);
    assert_int_equal(sn_modes_build_force_dual(&b.input, &b.m.arena, &b.m.modes), SN_OK);
    check_modes(&b.m);
    const size_t count = (size_t)b.m.modes.mode_count;
    double *columns = SN_NEW(&b.m.arena, double, count *b.n), *image = SN_NEW(&b.m.arena, double, b.n);
    assert_true(columns && image && count > 4 && count <= MODES);
    for (size_t i = 0; i < count * b.n; ++i) {
        columns[i] = b.m.modes.weights[i % b.n * count + i / b.n];
        assert_true(!b.is_anchored[i % b.n] || columns[i] == 0);
    }
    double unit = 0; /* of the eigenvalues */
    for (size_t j = 0; j < count; ++j) {
        apply(&b, columns + j * b.n, image);
        for (size_t i = 0; i <= j; ++i) {
            const double stiffness = dot(&b, columns + i * b.n, image), own = b.m.modes.eigenvalues[j];
            unit = j == 0 ? stiffness / own : unit;
            assert_near(stiffness, i == j ? unit * own : 0, 1e-7 * unit * own);
        }
    }
    finish(&b.m);
}

/* The bone's four loads, and each response as a load once more. */
static void they_contain_the_responses(void **state)
{
    (void)state;
    anchored_bar b;
    start(&b);
    assert_int_equal(sn_modes_build_force_dual(&b.input, &b.m.arena, &b.m.modes), SN_OK);
    const size_t count = (size_t)b.m.modes.mode_count;
    double *load = SN_NEW(&b.m.arena, double, b.n), *x = SN_NEW(&b.m.arena, double, b.n);
    assert_true(load && x);
    for (int k = 0; k < 8; ++k) {
        double missed = 0, whole = 0;
        for (size_t v = 0; v < b.n; ++v) {
            load[v] = b.m.mass[v] * (k % 4 == 3 ? 1 : b.m.mesh.positions[3 * v + (size_t)(k % 4)]);
        }
        if (k >= 4) {
            solve(&b, load, x);
            for (size_t v = 0; v < b.n; ++v) {
                load[v] = b.m.mass[v] * x[v];
            }
        }
        solve(&b, load, x);
        for (size_t v = 0; v < b.n; ++v) {
            whole += b.m.mass[v] * x[v] * x[v];
        }
        for (size_t j = 0; j < count; ++j) {
            double along = 0, square = 0;
            for (size_t v = 0; v < b.n; ++v) {
                const double w = b.m.modes.weights[v * count + j];
                along += w * b.m.mass[v] * x[v];
                square += w * b.m.mass[v] * w;
            }
            for (size_t v = 0; v < b.n; ++v) {
                x[v] -= along / square * b.m.modes.weights[v * count + j];
            }
        }
        for (size_t v = 0; v < b.n; ++v) {
            missed += b.m.mass[v] * x[v] * x[v];
        }
        print_message("load %d: %.2g missed\n", k, sqrt(missed / whole));
        assert_true(sqrt(missed / whole) < 0.002);
    }
    finish(&b.m);
}

static void nothing_is_free(void **state)
{
    (void)state;
    anchored_bar b;
    start(&b);
    for (size_t v = 0; v < b.n; ++v) {
        b.is_anchored[v] = true;
    }
    assert_int_equal(sn_modes_build_force_dual(&b.input, &b.m.arena, &b.m.modes), SN_ERROR_ARGUMENT);
    finish(&b.m);
}

int test_force_dual(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_modes),
        cmocka_unit_test(they_contain_the_responses),
        cmocka_unit_test(nothing_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
