/* SPDX-License-Identifier: MIT */
/* What the tests of bounded biharmonic weights share: a body, its handles, and the weights that are found for them. */
#ifndef SN_TESTS_WEIGHTS_BIHARMONIC_TEST_H
#define SN_TESTS_WEIGHTS_BIHARMONIC_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/weights/bounded_biharmonic.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define MOST_HANDLES 16

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct rig {
    sn_arena arena;
    sn_tet_mesh tets;
    sn_tri_mesh triangles;
    sn_weight_handle handles[MOST_HANDLES];
    sn_bounded_biharmonic_input input;
    sn_bounded_biharmonic_report report;
    double *weights;
} rig;

static rig r; /* each test's own: empty at its start */

static inline int setup(void **state)
{
    (void)state;
    memset(&r, 0, sizeof r);
    r.input.name = "bar";
    r.input.handles.handles = r.handles;
    begin_log();
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    sn_arena_finish(&r.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

static inline void make_bar(int nx, int ny, int nz, double size)
{
    r.tets = sn_test_bar(&r.arena, nx, ny, nz, size);
    r.input.tets = &r.tets;
}

/* nx x (2 half) squares in the plane, diagonals mirrored about the line y = 0. */
static inline void make_strip(int nx, int half, double size)
{
    const int columns = nx + 1, n = columns * (2 * half + 1);
    double *positions = SN_NEW(&r.arena, double, 3 * n);
    int32_t *triangles = SN_NEW(&r.arena, int32_t, 12 * nx * half), *t = triangles;
    assert_true(positions && triangles);
    for (int v = 0; v < n; ++v) {
        positions[3 * v] = size * (v % columns);
        positions[3 * v + 1] = size * (v / columns - half);
    }
    for (int i = 0; i < 2 * nx * half; ++i, t += 6) {
        const int32_t a = i / nx * columns + i % nx, b = a + 1, c = a + columns, d = c + 1;
        const int32_t lower[6] = {a, b, d, a, d, c}, upper[6] = {a, b, c, b, d, c};
        memcpy(t, i / nx < half ? lower : upper, sizeof lower);
    }
    r.triangles = (sn_tri_mesh){n, 4 * nx * half, positions, triangles};
    r.input.triangles = &r.triangles;
}

static inline void add_handle(sn_weight_handle_type type, double x, double y, double z)
{
    assert_true(r.input.handles.count < MOST_HANDLES);
    r.handles[r.input.handles.count++] = (sn_weight_handle){.type = type, .start = {x, y, z}};
}

static inline void add_bone(double x0, double x1, double y, double z, double radius)
{
    add_handle(SN_WEIGHT_HANDLE_BONE, x0, y, z);
    sn_weight_handle *bone = &r.handles[r.input.handles.count - 1];
    memcpy(bone->end, (double[]){x1, y, z}, sizeof bone->end);
    bone->radius = radius;
}

static inline int vertex_count(void)
{
    return r.input.tets ? r.tets.vertex_count : r.triangles.vertex_count;
}

static inline const double *position(int v)
{
    return (r.input.tets ? r.tets.positions : r.triangles.positions) + 3 * v;
}

static inline double weight(int v, int j)
{
    return r.weights[v * r.input.handles.count + j];
}

static inline sn_result build(void)
{
    r.weights = SN_NEW(&r.arena, double, vertex_count() * (r.input.handles.count + 1));
    assert_non_null(r.weights);
    return sn_bounded_biharmonic(&r.input, r.weights, &r.report);
}

static inline void check_rows(void)
{
    for (int v = 0; v < vertex_count(); ++v) {
        double sum = 0;
        for (int j = 0; j < r.input.handles.count; ++j) {
            assert_true(weight(v, j) >= 0 && weight(v, j) <= 1);
            sum += weight(v, j);
        }
        assert_near(sum, 1, 1e-14);
    }
}

static inline void build_well(void)
{
    assert_int_equal(build(), SN_OK);
    assert_int_equal(logged.lines, 0);
    check_rows();
}

static inline int nearest(double x, double y, double z)
{
    const double at[3] = {x, y, z};
    int best = 0;
    for (int v = 1; v < vertex_count(); ++v) {
        best = sn_distance3(position(v), at) < sn_distance3(position(best), at) ? v : best;
    }
    return best;
}

#endif
