/* SPDX-License-Identifier: MIT */
/* Grids of signed distances: of a sphere against the sphere collider, normals that do not jump, the bound outside, what
 * the lattice cuts, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/contact/collider.h"
#include "host/contact/grid.h"
#include "host/math/vec3.h"
#include "tests/support/log.h"

#define NODES 33
#define RADIUS 0.7

/* The same numbers each time, in [-1, 1]. */
static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

typedef double field_function(const double *at);

static double sphere(const double *at)
{
    return sn_length3(at) - RADIUS;
}

static double slope(const double *at)
{
    return 0.6 * at[0] + 0.8 * at[1] + 0.1;
}

/* Over the cube from -1 to 1. */
static sn_grid *make(field_function *field)
{
    sn_grid_desc desc = {.counts = {NODES, NODES, NODES}, .origin = {-1, -1, -1}, .spacing = 2.0 / (NODES - 1)};
    float *distances = malloc((size_t)NODES * NODES * NODES * sizeof *distances);
    sn_grid *grid = NULL;
    assert_non_null(distances);
    for (int i = 0; i < NODES * NODES * NODES; ++i) {
        const int index[3] = {i % NODES, i / NODES % NODES, i / NODES / NODES};
        double at[3];
        for (int d = 0; d < 3; ++d) {
            at[d] = desc.origin[d] + desc.spacing * index[d];
        }
        distances[i] = (float)field(at);
    }
    desc.distances = distances;
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    free(distances); /* it was copied */
    return grid;
}

static sn_collider collider_of(const sn_grid *grid)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = grid ? SN_COLLIDER_GRID : SN_COLLIDER_SPHERE;
    desc.grid = grid;
    desc.radius = RADIUS;
    /* a turn by .3 about y, and a shift */
    desc.transform =
        (sn_mat3x4){{{0.955336489F, 0, 0.295520207F, 3}, {0, 1, 0, -2}, {-0.295520207F, 0, 0.955336489F, 1}}};
    assert_int_equal(sn_collider_init(&desc, &c), SN_OK);
    return c;
}

static void test_a_sphere_is_a_sphere(void **state)
{
    (void)state;
    sn_grid *grid = make(sphere);
    const sn_collider a = collider_of(grid), b = collider_of(NULL);
    const double cell = grid->spacing;
    uint32_t seed = 1;
    double worst = 0, worst_normal = 0;
    for (int i = 0; i < 20000; ++i) {
        const double direction[3] = {noise(&seed), noise(&seed), noise(&seed)};
        const double length = sn_length3(direction), radius = RADIUS + 3 * cell * noise(&seed);
        double point[3], normal[3], expected[3];
        if (length < 0.1) {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            point[d] = b.transform[4 * d + 3] + direction[d] / length * radius;
        }
        const double distance = sn_collider_distance(&a, point, normal);
        worst = fmax(worst, fabs(distance - sn_collider_distance(&b, point, expected)));
        worst_normal = fmax(worst_normal, sn_distance3(normal, expected));
        assert_true(fabs(sn_length3(normal) - 1) < 1e-12);
        assert_true(sn_collider_distance(&a, point, NULL) == distance);
    }
    /* an interpolant's error is an eighth of the second derivative, 1 / radius in two directions, times the square */
    assert_true(worst < 0.25 * cell * cell / (RADIUS - 3 * cell) + 1e-6);
    assert_true(worst > 0.01 * cell * cell); /* it is a grid */
    assert_true(worst_normal < cell * cell * 2 + 1e-6);
    sn_grid_destroy(&grid);
    assert_null(grid);
}

/* Along lines through many cells: neither jumps, and a straight field has neither error nor bend. */
static void test_distance_and_normal_are_continuous(void **state)
{
    (void)state;
    field_function *const fields[] = {sphere, slope};
    const int steps = 20000;
    uint32_t seed = 2;
    for (int f = 0; f < 2; ++f) {
        sn_grid *grid = make(fields[f]);
        for (int line = 0; line < 20; ++line) {
            const double from[3] = {1.3 * noise(&seed), 1.3 * noise(&seed), 1.3 * noise(&seed)};
            const double to[3] = {1.3 * noise(&seed), 1.3 * noise(&seed), 1.3 * noise(&seed)};
            const double stride = sn_distance3(from, to) / steps;
            double before = 0, normal_before[3] = {0};
            for (int i = 0; i <= steps; ++i) {
                double at[3], normal[3];
                for (int d = 0; d < 3; ++d) {
                    at[d] = from[d] + (to[d] - from[d]) * i / steps;
                }
                const double distance = sn_grid_distance(grid, at, normal);
                assert_true(i == 0 || fabs(distance - before) < 1.05 * stride + 1e-9);
                const bool is_in_the_open = f == 0 && fabs(distance) < 0.15;
                assert_true(i == 0 || !is_in_the_open || sn_distance3(normal, normal_before) < 40 * stride);
                if (f == 1 && fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2]))) < 0.5 && distance > -0.4) {
                    assert_true(fabs(distance - slope(at)) < 1e-6);
                    assert_true(sn_distance3(normal, (const double[]){0.6, 0.8, 0}) < 1e-5);
                }
                before = distance;
                memcpy(normal_before, normal, sizeof normal);
            }
        }
        sn_grid_destroy(&grid);
    }
}

/* Never negative, never more than the true distance, and not useless either. */
static void test_the_bound_outside(void **state)
{
    (void)state;
    sn_grid *grid = make(sphere);
    uint32_t seed = 3;
    int count = 0;
    for (int i = 0; i < 20000; ++i) {
        const double at[3] = {4 * noise(&seed), 4 * noise(&seed), 4 * noise(&seed)};
        double normal[3];
        if (fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2]))) > 1) {
            const double bound = sn_grid_distance(grid, at, normal), distance = sphere(at);
            assert_true(bound >= 0 && bound <= distance + 1e-3 && bound >= 0.5 * distance);
            assert_true(fabs(sn_length3(normal) - 1) < 1e-12 && sn_dot3(normal, at) > 0);
            ++count;
        }
    }
    assert_true(count > 10000);
    sn_grid_destroy(&grid);
}

/* Solid up to the faces of the lattice: there it ends, and the shorter way out is through them. */
static void test_what_the_lattice_cuts(void **state)
{
    (void)state;
    sn_grid *grid = make(slope);
    double normal[3];
    assert_true(fabs(sn_grid_distance(grid, (const double[]){-0.5, -0.98, 0}, normal) + 0.02) < 1e-9);
    assert_true(normal[1] == -1 && normal[0] == 0 && normal[2] == 0);
    assert_true(fabs(sn_grid_distance(grid, (const double[]){-0.5, -1.02, 0}, normal) - 0.02) < 1e-9);
    assert_true(normal[1] == -1);
    assert_true(fabs(sn_grid_distance(grid, (const double[]){-0.1, -0.1, 0}, normal) + 0.04) < 1e-6);
    assert_true(fabs(normal[0] - 0.6) < 1e-5 && fabs(normal[1] - 0.8) < 1e-5);
    sn_grid_destroy(&grid);
}

static void test_odd_places_are_defined(void **state)
{
    (void)state;
    sn_grid *grid = make(sphere);
    const double odd[] = {0, -0.0, 1, -1, 1e9, -1e300, INFINITY, -INFINITY, NAN};
    const int count = sizeof odd / sizeof odd[0];
    for (int i = 0; i < count * count * count; ++i) {
        const double at[3] = {odd[i % count], odd[i / count % count], odd[i / count / count]};
        double normal[3];
        const double distance = sn_grid_distance(grid, at, normal);
        assert_true(distance == distance);
        assert_true(isfinite(sn_length3(normal)));
    }
    sn_grid_destroy(&grid);
}

/* ---- refusals ---- */

static void refuse(const sn_grid_desc *desc, const char *says)
{
    sn_grid *grid = (sn_grid *)(uintptr_t)1;
    begin_log();
    assert_int_equal(sn_grid_create(desc, &grid), SN_ERROR_ARGUMENT);
    assert_null(grid);
    assert_one_error(says);
    assert_int_equal(logged.lines, 1);
}

static void test_bad_grids_are_refused(void **state)
{
    (void)state;
    float distances[3 * 4 * 5] = {0};
    const sn_grid_desc sound = {.counts = {3, 4, 5}, .spacing = 0.5, .distances = distances};
    const double bad_spacings[] = {0, -1, NAN, INFINITY, 1e12};
    const double bad_origins[] = {NAN, INFINITY, -1e10};
    const float bad_distances[] = {NAN, INFINITY, -INFINITY, 2e9F};
    const int bad_counts[] = {1, 0, -3, 1 << 27, 1 << 30};
    sn_grid *grid = NULL;
    for (int d = 0; d < 3; ++d) {
        for (int i = 0; i < 5; ++i) {
            sn_grid_desc desc = sound;
            desc.counts[d] = bad_counts[i];
            refuse(&desc, "nodes");
        }
        for (int i = 0; i < 3; ++i) {
            sn_grid_desc desc = sound;
            desc.origin[d] = bad_origins[i];
            refuse(&desc, "origin");
        }
    }
    for (int i = 0; i < 5; ++i) {
        sn_grid_desc desc = sound;
        desc.spacing = bad_spacings[i];
        refuse(&desc, "spacing");
    }
    for (int i = 0; i < 4; ++i) {
        distances[59] = bad_distances[i];
        refuse(&sound, "node 59");
    }
    distances[59] = 0;
    begin_log();
    assert_int_equal(sn_grid_create(&sound, &grid), SN_OK);
    sn_grid_destroy(&grid);
    sn_grid_destroy(&grid);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider c;
    desc.shape = SN_COLLIDER_GRID;
    assert_int_equal(sn_collider_init(&desc, &c), SN_ERROR_ARGUMENT);
    assert_true(logged.errors == 1 && logged.lines == 1);
    sn_set_log(NULL, NULL);
}

static int check_memory(void **state)
{
    (void)state;
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

int test_grid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sphere_is_a_sphere),   cmocka_unit_test(test_distance_and_normal_are_continuous),
        cmocka_unit_test(test_the_bound_outside),      cmocka_unit_test(test_what_the_lattice_cuts),
        cmocka_unit_test(test_odd_places_are_defined), cmocka_unit_test(test_bad_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, check_memory);
}
