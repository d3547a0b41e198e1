/* SPDX-License-Identifier: MIT */
/* The vertices of a surface in a mesh with another order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/surface.h"

/* A grid of 20 x 20 positions on a bent sheet. At each position are three vertices: two differ in texture coordinates,
 * as at a seam, and two in the normal, as at a sharp edge. */
enum { SIDE = 20, COPIES = 3, COUNT = SIDE * SIDE * COPIES };

static float positions[3 * COUNT], normals[3 * COUNT], uvs[4 * COUNT];
static const sn_surface sheet = {
    .vertex_count = COUNT, .diagonal = 1.5, .positions = positions, .normals = normals, .uvs = uvs};

static int make_sheet(void **state)
{
    (void)state;
    for (int v = 0; v < COUNT; ++v) {
        const int position_index = v / COPIES, copy = v % COPIES;
        const float x = (float)(position_index % SIDE) / (SIDE - 1), y = (float)(position_index / SIDE) / (SIDE - 1);
        const float position[3] = {x - 0.5F, y - 0.5F, 0.3F * x * y}, normal[3] = {0, copy == 2 ? 1 : 0, copy != 2};
        memcpy(positions + 3 * v, position, sizeof position);
        memcpy(normals + 3 * v, normal, sizeof normal);
        uvs[4 * v] = copy == 1 ? 1 - x : x;
        uvs[4 * v + 1] = copy == 1 ? 0.1F * y + 0.9F : 0.1F * y;
    }
    return 0;
}

/* The sheet's vertices in another order, moved by `noise`. */
static void shuffle(float noise, int32_t *order, float *x, float *n, float *uv)
{
    for (int i = 0; i < COUNT; ++i) {
        const int v = i * 7 % COUNT;
        order[i] = v;
        for (int d = 0; d < 3; ++d) {
            x[3 * i + d] = positions[3 * v + d] + ((i + d) % 2 ? noise : -noise);
            n[3 * i + d] = normals[3 * v + d];
        }
        uv[2 * i] = uvs[4 * v] + noise;
        uv[2 * i + 1] = uvs[4 * v + 1];
    }
}

static void the_order_is_found(void **state)
{
    (void)state;
    static int32_t order[COUNT], found[COUNT];
    static float x[3 * COUNT], n[3 * COUNT], uv[2 * COUNT];
    shuffle(3e-5F, order, x, n, uv);
    const sn_mesh_vertices mesh = {.count = COUNT, .positions = x, .normals = n, .uvs = uv};
    assert_int_equal(sn_surface_find_vertices(&sheet, &mesh, found), SN_OK);
    assert_memory_equal(found, order, sizeof found);
}

static void positions_are_enough(void **state)
{
    (void)state;
    static int32_t order[COUNT], found[COUNT];
    static float x[3 * COUNT], n[3 * COUNT], uv[2 * COUNT];
    shuffle(0, order, x, n, uv);
    const sn_mesh_vertices mesh = {.count = COUNT, .positions = x};
    assert_int_equal(sn_surface_find_vertices(&sheet, &mesh, found), SN_OK);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(found[i] / COPIES, order[i] / COPIES);
    }
}

static void other_vertices_are_not_found(void **state)
{
    (void)state;
    const float x[] = {-0.5F, -0.5F, 2e-3F, NAN, 0, 0, 1e30F, 0, 0, -INFINITY, 0, 0, -0.5F, -0.5F, 0};
    const sn_mesh_vertices mesh = {.count = 5, .positions = x}, empty = {.count = 0};
    const int32_t expected[5] = {-1, -1, -1, -1, 0};
    int32_t found[5];
    assert_int_equal(sn_surface_find_vertices(&sheet, &mesh, found), SN_OK);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(sn_surface_find_vertices(&sheet, &empty, found), SN_OK);
}

int test_skin_find_vertices(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_order_is_found), cmocka_unit_test(positions_are_enough),
                                       cmocka_unit_test(other_vertices_are_not_found)};
    return cmocka_run_group_tests(tests, make_sheet, NULL);
}
