/* SPDX-License-Identifier: MIT */
/* Neighbours, test poses, and weights that are smoothed until the rig stretches no edge far. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "author/mesher/smooth.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"

#define LENGTH 60 /* cells of the bar; its edges are 1 */
#define WIDTH 5
#define STEP 30.5 /* where the second bone begins */
#define POSE_COUNT 12

static const int32_t parents[2] = {-1, 0};
static const double origins[6] = {0, 2.5, 2.5, 30, 12, 2.5}; /* the second joint is far off the bar */

typedef struct fixture {
    sn_arena arena;
    sn_tet_mesh mesh;
    sn_node_graph graph;
    double *weights; /* (vertex_count x 2) */
} fixture;

static void start_fixture(fixture *f)
{
    *f = (fixture){.mesh = {.vertex_count = 0}};
    f->mesh = sn_test_bar(&f->arena, LENGTH, WIDTH, WIDTH, 1);
    f->weights = SN_NEW(&f->arena, double, 2 * f->mesh.vertex_count);
    assert_non_null(f->weights);
    assert_int_equal(sn_node_graph_build(&f->mesh, &f->arena, &f->graph), SN_OK);
}

static void smooth(fixture *f)
{
    const sn_smoothing smoothing = {&f->mesh, &f->graph, {2, parents, origins}, f->weights, 0};
    assert_int_equal(sn_weights_smooth(&smoothing), SN_OK);
}

static void set_weight(fixture *f, int v, double second)
{
    f->weights[2 * v] = 1 - second;
    f->weights[2 * v + 1] = second;
}

static void pose(const fixture *f, const double *bones, int v, double *result)
{
    double x[2][3];
    for (int b = 0; b < 2; ++b) {
        sn_affine_apply(bones + 12 * b, f->mesh.positions + 3 * v, x[b]);
    }
    for (int d = 0; d < 3; ++d) {
        result[d] = f->weights[2 * v] * x[0][d] + f->weights[2 * v + 1] * x[1][d];
    }
}

/* The largest stretch of an edge over poses that the smoothing does not know. */
static double largest_stretch(const fixture *f)
{
    const sn_skeleton skeleton = {2, parents, origins};
    double bones[12 * 2 * POSE_COUNT], most = 0;
    assert_int_equal(sn_test_poses(&skeleton, 99, POSE_COUNT, bones), SN_OK);
    for (int p = 0; p < POSE_COUNT; ++p) {
        for (int v = 0; v < f->mesh.vertex_count; ++v) {
            for (int32_t i = f->graph.starts[v]; i < f->graph.starts[v + 1]; ++i) {
                const int32_t other = f->graph.others[i];
                double a[3], b[3];
                pose(f, bones + 24 * p, v, a);
                pose(f, bones + 24 * p, other, b);
                const double rest = sn_distance3(f->mesh.positions + 3 * v, f->mesh.positions + 3 * other);
                most = fmax(most, sn_distance3(a, b) / rest);
            }
        }
    }
    return most;
}

static void test_neighbours_are_mutual(void **state)
{
    (void)state;
    fixture f;
    start_fixture(&f);
    for (int v = 0; v < f.mesh.vertex_count; ++v) {
        for (int32_t i = f.graph.starts[v]; i < f.graph.starts[v + 1]; ++i) {
            const int32_t other = f.graph.others[i];
            int count = 0;
            for (int32_t j = f.graph.starts[other]; j < f.graph.starts[other + 1]; ++j) {
                count += f.graph.others[j] == v;
            }
            assert_true(other != v);
            assert_int_equal(count, 1);
        }
    }
    assert_int_equal(f.graph.starts[1] - f.graph.starts[0], 7); /* a corner of a cube of six tets, on the diagonal */
    sn_arena_finish(&f.arena);
}

/* Joints turn about themselves, children follow, and a circle of parents is no trap. */
static void test_poses_turn_joints(void **state)
{
    (void)state;
    const int32_t circle[2] = {1, 0};
    const sn_skeleton chain = {2, parents, origins}, ring = {2, circle, origins};
    double bones[24 * POSE_COUNT], again[24 * POSE_COUNT], x[3], y[3];
    assert_int_equal(sn_test_poses(&chain, 7, POSE_COUNT, bones), SN_OK);
    assert_int_equal(sn_test_poses(&chain, 7, POSE_COUNT, again), SN_OK);
    assert_memory_equal(bones, again, sizeof bones);
    for (int p = 0; p < POSE_COUNT; ++p) {
        sn_affine_apply(bones + 24 * p, origins, x);
        assert_true(sn_distance3(x, origins) < 1e-12);
        sn_affine_apply(bones + 24 * p, origins + 3, x);
        sn_affine_apply(bones + 24 * p + 12, origins + 3, y);
        assert_true(sn_distance3(x, y) < 1e-12);
        assert_true(sn_distance3(x, origins + 3) > 1);
    }
    assert_int_equal(sn_test_poses(&ring, 7, POSE_COUNT, bones), SN_OK);
    for (int i = 0; i < 24 * POSE_COUNT; ++i) {
        assert_true(isfinite(bones[i]));
    }
}

/* A step from one bone to the other is drawn out as far as poses ask, and no further. */
static void test_step_is_drawn_out(void **state)
{
    (void)state;
    fixture f;
    start_fixture(&f);
    for (int v = 0; v < f.mesh.vertex_count; ++v) {
        set_weight(&f, v, f.mesh.positions[3 * v] > STEP);
    }
    assert_true(largest_stretch(&f) > 6);
    smooth(&f);
    assert_true(largest_stretch(&f) < 3);
    for (int v = 0; v < f.mesh.vertex_count; ++v) {
        const double x = f.mesh.positions[3 * v], *row = f.weights + 2 * v;
        assert_true(row[0] >= 0 && row[1] >= 0 && fabs(row[0] + row[1] - 1) < 1e-12);
        assert_true(fabs(x - STEP) < LENGTH / 3 || fabs(row[1] - (x > STEP)) < 0.01);
    }
    sn_arena_finish(&f.arena);
}

static double gentle_ramp(double x)
{
    return 0.4 + 0.2 * x / LENGTH;
}

/* Where nothing is stretched, weights move no further than the passes that are for all of them make them. */
static void test_ramp_stays(void **state)
{
    (void)state;
    fixture f;
    start_fixture(&f);
    for (int v = 0; v < f.mesh.vertex_count; ++v) {
        set_weight(&f, v, gentle_ramp(f.mesh.positions[3 * v]));
    }
    smooth(&f);
    for (int v = 0; v < f.mesh.vertex_count; ++v) {
        const double x = f.mesh.positions[3 * v], second = f.weights[2 * v + 1];
        assert_true(second > gentle_ramp(x - 1) && second < gentle_ramp(x + 1));
    }
    sn_arena_finish(&f.arena);
}

/* A vertex that nothing is known of, and one that no tet has, do no harm. */
static void test_rows_without_weight(void **state)
{
    (void)state;
    fixture f;
    start_fixture(&f);
    ++f.mesh.vertex_count;
    double *positions = SN_NEW(&f.arena, double, 3 * f.mesh.vertex_count);
    memcpy(positions, f.mesh.positions, 3 * ((size_t)f.mesh.vertex_count - 1) * sizeof(double));
    f.mesh.positions = positions;
    f.weights = SN_NEW(&f.arena, double, 2 * f.mesh.vertex_count);
    assert_int_equal(sn_node_graph_build(&f.mesh, &f.arena, &f.graph), SN_OK);
    smooth(&f);
    for (int i = 0; i < 2 * f.mesh.vertex_count; ++i) {
        assert_true(f.weights[i] == 0);
    }
    sn_arena_finish(&f.arena);
}

int test_mesher_weights(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_are_mutual), cmocka_unit_test(test_poses_turn_joints),
        cmocka_unit_test(test_step_is_drawn_out),     cmocka_unit_test(test_ramp_stays),
        cmocka_unit_test(test_rows_without_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
