/* SPDX-License-Identifier: MIT */
/* Nearest triangles against brute force, tets that hold points, coordinates that reproduce any point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"
#include "tests/support/bar.h"

#define POINT_COUNT 777

static void random_points(double low, double high, double *points)
{
    uint64_t seed = 5;
    for (int i = 0; i < 3 * POINT_COUNT; ++i) {
        points[i] = low + (high - low) * sn_random_unit(&seed);
    }
}

static double distance_to(const sn_tri_mesh *mesh, int triangle, const double *point)
{
    const double *corners[3];
    double barycentric[3];
    for (int k = 0; k < 3; ++k) {
        corners[k] = mesh->positions + 3 * mesh->triangles[3 * triangle + k];
    }
    return sn_triangle_nearest(corners, point, barycentric);
}

static void test_nearest_triangle(void **state)
{
    (void)state;
    sn_arena arena = {0};
    double positions[3 * 300], points[3 * POINT_COUNT], barycentric[3 * POINT_COUNT];
    int32_t triangles[3 * 500], found[POINT_COUNT];
    uint64_t seed = 1;
    for (int i = 0; i < 3 * 300; ++i) {
        positions[i] = sn_random_unit(&seed);
    }
    for (int i = 0; i < 3 * 500; ++i) { /* some have no area */
        triangles[i] = (int32_t)(300 * sn_random_unit(&seed));
    }
    const sn_tri_mesh mesh = {300, 500, positions, triangles};
    random_points(-0.5, 1.5, points);
    assert_int_equal(sn_tri_locate(&mesh, points, POINT_COUNT, found, barycentric), SN_OK);
    for (int i = 0; i < POINT_COUNT; ++i) {
        double least = INFINITY, nearest[3] = {0};
        for (int t = 0; t < 500; ++t) {
            least = fmin(least, distance_to(&mesh, t, points + 3 * i));
        }
        for (int k = 0; k < 3; ++k) {
            assert_true(barycentric[3 * i + k] >= 0 && barycentric[3 * i + k] <= 1);
            for (int d = 0; d < 3; ++d) {
                nearest[d] += barycentric[3 * i + k] * positions[3 * triangles[3 * found[i] + k] + d];
            }
        }
        assert_true(fabs(sn_distance3(nearest, points + 3 * i) - sqrt(least)) < 1e-12);
    }
    sn_arena_finish(&arena);
}

static void test_points_in_and_around_tets(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_tet_mesh mesh = sn_test_bar(&arena, 3, 3, 3, 1.0 / 3);
    int32_t *neighbours = SN_NEW(&arena, int32_t, 4 * mesh.tet_count), *boundary = NULL, tets[POINT_COUNT];
    int boundary_count = 0, inside_count = 0;
    double points[3 * POINT_COUNT], barycentric[4 * POINT_COUNT];
    assert_int_equal(sn_tet_neighbours(&mesh, &arena, neighbours), SN_OK);
    assert_int_equal(sn_tet_boundary(&mesh, neighbours, &arena, &boundary, &boundary_count), SN_OK);
    random_points(-0.2, 1.2, points);
    assert_int_equal(sn_tet_locate(&mesh, boundary, boundary_count, points, POINT_COUNT, tets, barycentric), SN_OK);
    for (int i = 0; i < POINT_COUNT; ++i) {
        double at[3] = {0}, least = INFINITY, sum = 0;
        bool is_inside = true;
        for (int k = 0; k < 4; ++k) {
            const double *corner = mesh.positions + 3 * mesh.tets[4 * tets[i] + k];
            least = fmin(least, barycentric[4 * i + k]);
            sum += barycentric[4 * i + k];
            for (int d = 0; d < 3; ++d) {
                at[d] += barycentric[4 * i + k] * corner[d];
                is_inside &= points[3 * i + d] > 0 && points[3 * i + d] < 1;
            }
        }
        assert_true(sn_distance3(at, points + 3 * i) < 1e-12 && fabs(sum - 1) < 1e-12);
        assert_true(is_inside == (least >= -1e-9));
        inside_count += is_inside;
    }
    assert_true(inside_count > 100 && inside_count < POINT_COUNT - 100);
    sn_arena_finish(&arena);
}

int test_embedding(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest_triangle),
                                       cmocka_unit_test(test_points_in_and_around_tets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
