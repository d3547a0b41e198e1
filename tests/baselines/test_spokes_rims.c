/* SPDX-License-Identifier: MIT */
/* Deformation without dynamics: its energy against the definition by edges, its minima against rigid motions and finite
 * differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "research/baselines/spokes_rims.h"
#include "tests/support/bar.h"

typedef struct fixture {
    sn_arena arena;
    sn_baseline_body body;
    int n;
    double *positions;
} fixture;

static void start(fixture *f, bool is_flat)
{
    *f = (fixture){.n = 0};
    f->body.mesh = is_flat ? sn_test_sheet(&f->arena, 8, 3, 0.25, 0) : sn_test_bar(&f->arena, 6, 2, 2, 0.25);
    const sn_tet_mesh *mesh = &f->body.mesh;
    const size_t n = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count;
    double *gradients = SN_NEW(&f->arena, double, 12 * tets), *volumes = SN_NEW(&f->arena, double, tets);
    sn_tet_gradients(mesh, gradients, volumes);
    f->body.gradients = gradients;
    f->body.volumes = volumes;
    f->n = (int)n;
    f->positions = SN_NEW(&f->arena, double, 3 * n);
    memcpy(f->positions, mesh->positions, 3 * n * sizeof(double));
}

/* Both ends in x: *count of them. */
static int32_t *find_ends(fixture *f, int *count)
{
    int32_t *ends = SN_NEW(&f->arena, int32_t, f->n);
    double low[3], high[3];
    sn_tet_mesh_box(&f->body.mesh, low, high);
    *count = 0;
    for (int v = 0; v < f->n; ++v) {
        const double x = f->body.mesh.positions[3 * v];
        if (x < low[0] + 1e-9 || x > high[0] - 1e-9) {
            ends[(*count)++] = v;
        }
    }
    return ends;
}

static const double motion[12] = {0.6, -0.8, 0, 0.3, 0.8, 0.6, 0, -0.2, 0, 0, 1, 0};

/* ---- as rigid as possible ---- */

static void a_rigid_motion_costs_nothing(bool is_flat)
{
    fixture f;
    sn_arap *arap;
    int count;
    start(&f, is_flat);
    const int32_t *ends = find_ends(&f, &count);
    double *targets = SN_NEW(&f.arena, double, 3 * count);
    for (int i = 0; i < count; ++i) {
        sn_affine_apply(motion, f.body.mesh.positions + 3 * ends[i], targets + 3 * i);
    }
    assert_int_equal(sn_arap_create(&f.body, ends, count, &arap), SN_OK);
    assert_in_range(sn_arap_solve(arap, targets, 5000, 1e-13, f.positions), 2, 4999);
    assert_true(sn_arap_energy(arap, f.positions) < 1e-20);
    for (int v = 0; v < f.n; ++v) {
        double expected[3];
        sn_affine_apply(motion, f.body.mesh.positions + 3 * v, expected);
        assert_true(sn_distance3(expected, f.positions + 3 * v) < 1e-9);
    }
    sn_arap_destroy(&arap);
    sn_arena_finish(&f.arena);
}

static void test_rigid_motions_cost_nothing(void **state)
{
    (void)state;
    a_rigid_motion_costs_nothing(false);
    a_rigid_motion_costs_nothing(true);
}

/* The ends come nearer by a fifth, and one turns. */
static void squeeze(const fixture *f, const int32_t *ends, int count, double *targets)
{
    for (int i = 0; i < count; ++i) {
        const double *rest = f->body.mesh.positions + 3 * ends[i];
        const double turned[3] = {0.8 * rest[0] - 0.4 * rest[1] * (rest[0] > 0.5), rest[1] * 0.9 + 0.2 * rest[0],
                                  rest[2]};
        memcpy(targets + 3 * i, turned, sizeof turned);
    }
}

static void test_every_iteration_lowers_the_energy_to_where_its_slope_is_zero(void **state)
{
    (void)state;
    for (int is_flat = 0; is_flat < 2; ++is_flat) {
        fixture f;
        sn_arap *arap;
        int count;
        start(&f, is_flat);
        const int32_t *ends = find_ends(&f, &count);
        double *targets = SN_NEW(&f.arena, double, 3 * count);
        squeeze(&f, ends, count, targets);
        assert_int_equal(sn_arap_create(&f.body, ends, count, &arap), SN_OK);
        sn_arap_solve(arap, targets, 1, 0, f.positions);
        double before = INFINITY;
        for (int i = 0; i < 400; ++i) {
            const double energy = sn_arap_energy(arap, f.positions);
            assert_true(energy <= before * (1 + 1e-12));
            before = energy;
            sn_arap_solve(arap, targets, 20, 0, f.positions);
        }
        assert_true(before > 1e-3);
        for (int v = 0; v < f.n; ++v) {
            bool is_end = false;
            for (int i = 0; i < count; ++i) {
                is_end = is_end || ends[i] == v;
            }
            for (int d = 0; d < (is_flat ? 2 : 3) && !is_end; ++d) {
                const double h = 1e-5;
                f.positions[3 * v + d] += h;
                const double more = sn_arap_energy(arap, f.positions);
                f.positions[3 * v + d] -= 2 * h;
                const double less = sn_arap_energy(arap, f.positions);
                f.positions[3 * v + d] += h;
                assert_true(fabs(more - less) / (2 * h) < 1e-6);
            }
        }
        sn_arap_destroy(&arap);
        sn_arena_finish(&f.arena);
    }
}

/* Chao et al. 2010, equation 12, for triangles: all edges of a vertex's triangles, with half cotangents. */
static double energy_by_edges(const fixture *f)
{
    const size_t room = 9 * sn_rotation_capacity(f->n);
    double *sums = calloc(room, sizeof *sums), *rotations = calloc(room, sizeof *rotations), energy = 0;
    sn_spokes_rims_accumulate(&f->body, f->positions, sums);
    sn_nearest_rotations(sums, f->n, true, rotations);
    for (int t = 0; t < f->body.mesh.tet_count; ++t) {
        const int32_t *corners = f->body.mesh.tets + 4 * t;
        for (int e = 0; e < 3; ++e) {
            const int32_t from = corners[e], to = corners[(e + 1) % 3], apex = corners[(e + 2) % 3];
            double a[3], b[3], rest[3], now[3], normal[3];
            sn_subtract3(f->body.mesh.positions + 3 * from, f->body.mesh.positions + 3 * apex, a);
            sn_subtract3(f->body.mesh.positions + 3 * to, f->body.mesh.positions + 3 * apex, b);
            sn_subtract3(f->body.mesh.positions + 3 * to, f->body.mesh.positions + 3 * from, rest);
            sn_subtract3(f->positions + 3 * to, f->positions + 3 * from, now);
            sn_cross3(a, b, normal);
            const double weight = 0.5 * sn_dot3(a, b) / sn_length3(normal);
            for (int c = 0; c < 3; ++c) {
                const double *r = rotations + 9 * corners[c];
                for (int d = 0; d < 3; ++d) {
                    const double left = now[d] - sn_dot3(r + 3 * d, rest);
                    energy += 0.5 * weight / 3 * left * left;
                }
            }
        }
    }
    free(sums);
    free(rotations);
    return energy;
}

static void test_the_energy_is_that_of_spokes_and_rims(void **state)
{
    (void)state;
    fixture f;
    sn_arap *arap;
    int count;
    start(&f, true);
    const int32_t *ends = find_ends(&f, &count);
    assert_int_equal(sn_arap_create(&f.body, ends, count, &arap), SN_OK);
    for (int v = 0; v < f.n; ++v) {
        f.positions[3 * v] += 0.1 * sin(5.0 * v);
        f.positions[3 * v + 1] += 0.1 * cos(3.0 * v);
    }
    const double energy = sn_arap_energy(arap, f.positions), expected = energy_by_edges(&f);
    assert_true(expected > 0.01);
    assert_true(fabs(energy - expected) < 1e-12);
    sn_arap_destroy(&arap);
    sn_arena_finish(&f.arena);
}

/* ---- FAST ---- */

#define HANDLES 3

/* Hats along x, unlike at any two vertices: as many clusters as vertices are then one each. */
static void hat_weights(const fixture *f, double *weights, double *pivots)
{
    double low[3], high[3];
    sn_tet_mesh_box(&f->body.mesh, low, high);
    for (int v = 0; v < f->n; ++v) {
        const double at = (f->body.mesh.positions[3 * v] - low[0]) / (high[0] - low[0]) * (HANDLES - 1);
        for (int k = 0; k < HANDLES; ++k) {
            weights[HANDLES * v + k] = fmax(0, 1 - fabs(at - k));
        }
        const double odd = 0.01 * sin(2.4 * v);
        weights[HANDLES * v] += odd;
        weights[HANDLES * v + 1] -= odd;
    }
    for (int k = 0; k < HANDLES; ++k) {
        pivots[3 * k] = low[0] + k * (high[0] - low[0]) / (HANDLES - 1);
        pivots[3 * k + 1] = 0.5 * (low[1] + high[1]);
        pivots[3 * k + 2] = 0.5 * (low[2] + high[2]);
    }
}

static void skin(const fixture *f, const double *weights, const double *transforms, double *positions)
{
    for (int v = 0; v < f->n; ++v) {
        positions[3 * v] = positions[3 * v + 1] = positions[3 * v + 2] = 0;
        for (int k = 0; k < HANDLES; ++k) {
            double at[3];
            sn_affine_apply(transforms + 12 * k, f->body.mesh.positions + 3 * v, at);
            for (int d = 0; d < 3; ++d) {
                positions[3 * v + d] += weights[HANDLES * v + k] * at[d];
            }
        }
    }
}

static void start_fast(fixture *f, bool is_flat, int cluster_count, double **weights, sn_fast **fast)
{
    double pivots[3 * HANDLES];
    start(f, is_flat);
    *weights = SN_NEW(&f->arena, double, HANDLES * f->n);
    hat_weights(f, *weights, pivots);
    assert_int_equal(sn_fast_create(&(sn_fast_desc){.body = &f->body,
                                                    .handle_count = HANDLES,
                                                    .weights = *weights,
                                                    .pivots = pivots,
                                                    .cluster_count = cluster_count},
                                    fast),
                     SN_OK);
}

static void test_one_handle_carries_the_others(void **state)
{
    (void)state;
    for (int is_flat = 0; is_flat < 2; ++is_flat) {
        fixture f;
        sn_fast *fast;
        double *weights, transforms[12 * HANDLES];
        start_fast(&f, is_flat, 5, &weights, &fast);
        const bool held[HANDLES] = {true};
        assert_int_equal(sn_fast_fix(fast, held, held), SN_OK);
        for (int k = 0; k < HANDLES; ++k) {
            sn_affine_identity(transforms + 12 * k);
        }
        memcpy(transforms, motion, sizeof motion);
        assert_in_range(sn_fast_solve(fast, 20000, 1e-13, transforms), 2, 19999);
        skin(&f, weights, transforms, f.positions);
        for (int v = 0; v < f.n; ++v) {
            double expected[3];
            sn_affine_apply(motion, f.body.mesh.positions + 3 * v, expected);
            assert_true(sn_distance3(expected, f.positions + 3 * v) < 1e-8);
        }
        sn_fast_destroy(&fast);
        sn_arena_finish(&f.arena);
    }
}

/* With a rotation for every vertex the minimum is that of the same energy in the skinned places. */
static void test_the_minimum_has_no_slope_along_free_columns(void **state)
{
    (void)state;
    fixture f;
    sn_fast *fast;
    sn_arap *arap;
    double *weights, transforms[12 * HANDLES];
    start_fast(&f, false, 7 * 9, &weights, &fast);
    assert_int_equal(f.n, 7 * 9);
    const bool places[HANDLES] = {true, false, true}, linear[HANDLES] = {true, false, false};
    const int32_t none = 0;
    assert_int_equal(sn_fast_fix(fast, places, linear), SN_OK);
    assert_int_equal(sn_arap_create(&f.body, &none, 0, &arap), SN_ERROR_ARGUMENT); /* nothing holds it */
    assert_int_equal(sn_arap_create(&f.body, &none, 1, &arap), SN_OK);
    for (int k = 0; k < HANDLES; ++k) {
        sn_affine_identity(transforms + 12 * k);
    }
    transforms[24 + 3] = -0.3; /* the last one comes nearer, and up */
    transforms[24 + 7] = 0.4;
    sn_fast_solve(fast, 20000, 1e-14, transforms);
    skin(&f, weights, transforms, f.positions);
    const double least = sn_arap_energy(arap, f.positions);
    assert_true(least > 1e-4);
    for (int k = 1; k < HANDLES; ++k) {
        for (int i = 0; i < 12; ++i) {
            if (k == 2 && i % 4 == 3) {
                continue;
            }
            double slope = 0;
            for (int side = -1; side < 2; side += 2) {
                double moved[12 * HANDLES];
                memcpy(moved, transforms, sizeof moved);
                moved[12 * k + i] += 1e-5 * side;
                if (k == 2 && i % 4 < 3) { /* about its pivot, whose place is held: x = 1.5, y = z = .25 */
                    const double pivot[3] = {1.5, 0.25, 0.25};
                    moved[12 * k + i / 4 * 4 + 3] -= 1e-5 * side * pivot[i % 4];
                }
                skin(&f, weights, moved, f.positions);
                slope += side * sn_arap_energy(arap, f.positions) / 2e-5;
            }
            assert_true(fabs(slope) < 1e-5);
        }
    }
    sn_arap_destroy(&arap);
    sn_fast_destroy(&fast);
    sn_arena_finish(&f.arena);
}

int test_spokes_rims(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_motions_cost_nothing),
        cmocka_unit_test(test_every_iteration_lowers_the_energy_to_where_its_slope_is_zero),
        cmocka_unit_test(test_the_energy_is_that_of_spokes_and_rims),
        cmocka_unit_test(test_one_handle_carries_the_others),
        cmocka_unit_test(test_the_minimum_has_no_slope_along_free_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
