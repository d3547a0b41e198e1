/* SPDX-License-Identifier: MIT */
/* Localised modes: against the compressed modes of a rod, which are known in closed form, and under a rig. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/modes.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"
#include "tests/support/two_bones.h"

#define PI 3.14159265358979323846
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct body {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass, volume;
    sn_constraint constraint;
    sn_modes modes;
} body;

static void make_bar(body *b, int nx, int ny, int nz, double size)
{
    *b = (body){.volume = nx * ny * nz * size * size * size};
    b->mesh = sn_test_bar(&b->arena, nx, ny, nz, size);
    b->gradients = SN_NEW(&b->arena, double, 12 * b->mesh.tet_count);
    b->volumes = SN_NEW(&b->arena, double, b->mesh.tet_count);
    b->mass = SN_NEW(&b->arena, double, b->mesh.vertex_count);
    sn_tet_gradients(&b->mesh, b->gradients, b->volumes);
    sn_tet_lumped_mass(&b->mesh, b->volumes, NULL, b->mass);
}

static void finish(body *b)
{
    sn_arena_finish(&b->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void build(body *b, int count)
{
    assert_int_equal(
        sn_modes_build(&b->mesh, b->gradients, b->volumes, b->mass, NULL, &b->constraint, count, &b->arena, &b->modes),
        SN_OK);
}

static sn_result localise(body *b, double sparsity)
{
    return sn_modes_localise(&b->mesh, b->gradients, b->volumes, b->mass, NULL, &b->constraint, sparsity, &b->modes);
}

/* How much of x a mode is not zero over; its first and last x. */
static double extent(const body *b, int mode, double *first, double *last)
{
    *first = INFINITY, *last = -INFINITY;
    for (int v = 0; v < b->mesh.vertex_count; ++v) {
        if (b->modes.weights[v * b->modes.mode_count + mode] != 0) {
            *first = fmin(*first, b->mesh.positions[3 * v]);
            *last = fmax(*last, b->mesh.positions[3 * v]);
        }
    }
    return *last - *first;
}

static int count_filled(const body *b, int mode)
{
    int count = 0;
    for (int v = 0; v < b->mesh.vertex_count; ++v) {
        count += b->modes.weights[v * b->modes.mode_count + mode] != 0;
    }
    return count;
}

static void check_subspace(const body *b, double tolerance)
{
    const int n = b->mesh.vertex_count, r = b->modes.mode_count;
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int v = 0; v < n; ++v) {
                sum += b->mass[v] * b->modes.weights[v * r + i] * b->modes.weights[v * r + j];
            }
            assert_near(sum, i == j, tolerance);
        }
        for (int k = 0; k < b->constraint.row_count; ++k) {
            double sum = 0;
            for (int v = 0; v < n; ++v) {
                sum += b->constraint.rows[(size_t)k * (size_t)n + (size_t)v] * b->modes.weights[v * r + i];
            }
            assert_near(sum, 0, tolerance);
        }
        assert_true(i == 0 || b->modes.eigenvalues[i] >= b->modes.eigenvalues[i - 1]);
    }
}

/* Of a rod with cross section a, functions of x alone: with m = mu a^1/2, -w'' + m = k^2 w has the free-boundary
 * solution w = m / k^2 (1 + cos k x), of length 2 pi / k within the rod, where the norm asks for k^5 = 3 pi m^2, and
 * half of it, pi / k, at an end, where k^5 = 3/2 pi m^2. Its energy is k^2 / 3 either way. */
static void test_rod(void **state)
{
    (void)state;
    const double size = 0.0625, area = size * size, mu_rod = 3.26;
    const double k_within = pow(3 * PI * mu_rod * mu_rod, 0.2), k_end = pow(1.5 * PI * mu_rod * mu_rod, 0.2);
    body b;
    make_bar(&b, 128, 1, 1, size);
    build(&b, 3);
    const double mu = mu_rod / sqrt(area);
    assert_int_equal(localise(&b, mu * sqrt(b.volume) / b.modes.eigenvalues[2]), SN_OK);
    check_subspace(&b, 1e-9);
    int end_count = 0;
    for (int mode = 0; mode < 3; ++mode) {
        double first, last;
        const double length = extent(&b, mode, &first, &last);
        const bool is_end = first == 0 || last == 128 * size;
        const double k = is_end ? k_end : k_within;
        end_count += is_end;
        assert_near(length, (is_end ? 1 : 2) * PI / k, 5 * size);
        assert_near(b.modes.eigenvalues[mode], k * k / 3, 0.02 * k * k / 3);
        for (int v = 0; v < b.mesh.vertex_count; ++v) { /* the shape */
            const double x = b.mesh.positions[3 * v];
            const double centre = first == 0 ? 0 : is_end ? 128 * size : (first + last) / 2;
            const double at = fmin(fabs(k * (x - centre)), PI);
            const double exact = mu_rod / (k * k) * (1 + cos(at)) / sqrt(area);
            assert_near(b.modes.weights[3 * v + mode], exact, 0.1 / sqrt(area));
        }
    }
    assert_int_equal(end_count, 2);
    finish(&b);
}

static void test_rig(void **state)
{
    (void)state;
    body b, again;
    make_bar(&b, 40, 4, 4, 0.25);
    sn_test_constrain_two_bones(&b.mesh, b.mass, 10, &b.arena, &b.constraint);
    build(&b, 8);
    const double smooth = b.modes.eigenvalues[0];
    const double first_weight = b.modes.weights[0];
    assert_int_equal(localise(&b, 0), SN_OK);
    assert_true(b.modes.eigenvalues[0] == smooth && b.modes.weights[0] == first_weight);
    assert_int_equal(localise(&b, 3), SN_OK);
    check_subspace(&b, 1e-8);
    assert_true(b.modes.eigenvalues[0] > smooth);
    int filled = 0;
    for (int mode = 0; mode < 8; ++mode) {
        filled += count_filled(&b, mode);
    }
    assert_true(filled < 0.5 * 8 * b.mesh.vertex_count);

    make_bar(&again, 40, 4, 4, 25); /* a sparsity means the same at any size, and the result is the same again */
    sn_test_constrain_two_bones(&again.mesh, again.mass, 1000, &again.arena, &again.constraint);
    build(&again, 8);
    assert_int_equal(localise(&again, 3), SN_OK);
    for (int mode = 0; mode < 8; ++mode) {
        assert_near(1e4 * again.modes.eigenvalues[mode], b.modes.eigenvalues[mode], 1e-3 * b.modes.eigenvalues[mode]);
    }
    sn_arena_finish(&again.arena);
    finish(&b);
}

static void test_pins(void **state)
{
    (void)state;
    body b;
    make_bar(&b, 30, 2, 2, 0.25);
    bool *is_pinned = SN_NEW(&b.arena, bool, b.mesh.vertex_count);
    for (int v = 0; v < b.mesh.vertex_count; ++v) {
        is_pinned[v] = b.mesh.positions[3 * v] < 0.3;
    }
    b.constraint.is_pinned = is_pinned;
    build(&b, 4);
    assert_int_equal(localise(&b, 2), SN_OK);
    check_subspace(&b, 1e-8);
    for (int i = 0; i < 4 * b.mesh.vertex_count; ++i) {
        assert_true(!is_pinned[i / 4] || b.modes.weights[i] == 0);
    }
    finish(&b);
}

/* Modes of a few vertices could not satisfy the rig's rows. */
static void test_too_sparse(void **state)
{
    (void)state;
    body b;
    make_bar(&b, 12, 2, 2, 0.25);
    sn_test_constrain_two_bones(&b.mesh, b.mass, 3, &b.arena, &b.constraint);
    build(&b, 8);
    b.constraint.name = "bar.mesh";
    assert_int_equal(localise(&b, 100), SN_ERROR_ARGUMENT);
    assert_ptr_equal(strstr(logged.last, "bar.mesh: localised mode"), logged.last);
    finish(&b);
}

int test_localised_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod),
        cmocka_unit_test(test_rig),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_too_sparse),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
