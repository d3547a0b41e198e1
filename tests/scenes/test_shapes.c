/* SPDX-License-Identifier: MIT */
/* Meshes of shapes: closed or with the right border, turned the right way, of the right size, without thin triangles.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/builtin/demos.h"
#include "scenes/shapes/shape.h"

#define PI 3.14159265358979323846

static sn_shape_mesh build(const sn_scene_shape *shape)
{
    const char *says = NULL;
    sn_shape_mesh mesh;
    assert_int_equal(sn_shape_build(shape, &mesh, &says), SN_OK);
    assert_null(says);
    return mesh;
}

static const double *at(const sn_shape_mesh *mesh, int triangle, int corner)
{
    return mesh->positions + 3 * (size_t)mesh->triangles[3 * triangle + corner];
}

static void area_vector(const sn_shape_mesh *mesh, int triangle, double area[3])
{
    const double *a = at(mesh, triangle, 0), *b = at(mesh, triangle, 1), *c = at(mesh, triangle, 2);
    for (int d = 0; d < 3; ++d) {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        area[d] = 0.5 * ((b[d1] - a[d1]) * (c[d2] - a[d2]) - (b[d2] - a[d2]) * (c[d1] - a[d1]));
    }
}

/* Twice the area over the square of the longest side: .87 of an equilateral triangle. */
static double worst_triangle(const sn_shape_mesh *mesh)
{
    double worst = 1;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double area[3], longest = 0;
        area_vector(mesh, t, area);
        for (int k = 0; k < 3; ++k) {
            const double *a = at(mesh, t, k), *b = at(mesh, t, (k + 1) % 3);
            longest = fmax(longest, pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
        }
        worst = fmin(worst, 2 * sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]) / longest);
    }
    return worst;
}

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int32_t));
}

/* Edges of one triangle alone; every other edge must be of two that run along it in opposite directions. */
static int count_border(const sn_shape_mesh *mesh)
{
    const int count = 3 * mesh->triangle_count;
    int32_t(*edges)[2] = malloc((size_t)count * sizeof *edges);
    int border = 0;
    assert_non_null(edges);
    for (int i = 0; i < count; ++i) {
        edges[i][0] = mesh->triangles[i];
        edges[i][1] = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; ++i) {
        const int32_t back[2] = {edges[i][1], edges[i][0]};
        assert_true(i == 0 || compare_edges(edges[i - 1], edges[i]) != 0);
        border += bsearch(back, edges, (size_t)count, sizeof *edges, compare_edges) == NULL;
    }
    free(edges);
    return border;
}

static double flat_area(const sn_shape_mesh *mesh)
{
    double sum = 0, area[3];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        area_vector(mesh, t, area);
        assert_true(area[2] > 0);
        sum += area[2];
    }
    return sum;
}

static double volume(const sn_shape_mesh *mesh)
{
    double sum = 0, area[3];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const double *a = at(mesh, t, 0);
        area_vector(mesh, t, area);
        sum += (a[0] * area[0] + a[1] * area[1] + a[2] * area[2]) / 3;
    }
    return sum;
}

static void test_a_disc_and_a_ring(void **state)
{
    (void)state;
    double points[128][2];
    const int lengths[2] = {64, 64};
    for (int i = 0; i < 128; ++i) {
        const double radius = i < 64 ? 1 : 0.4, angle = 2 * PI * i / 64;
        points[i][0] = radius * cos(angle);
        points[i][1] = radius * sin(angle);
    }
    sn_scene_shape shape = {.type = SN_SHAPE_OUTLINE, .edge_length = 0.1, .points = points, .point_count = 64};
    for (int loops = 1; loops <= 2; ++loops) {
        shape.point_count = 64 * loops;
        shape.loop_lengths = lengths;
        shape.loop_count = loops;
        sn_shape_mesh mesh = build(&shape);
        const double expected = PI * (loops == 1 ? 1 : 1 - 0.16);
        const int border = count_border(&mesh), edges = (3 * mesh.triangle_count + border) / 2;
        assert_true(fabs(flat_area(&mesh) - expected) < 0.01);
        assert_true(worst_triangle(&mesh) > 0.12);
        assert_int_equal(mesh.vertex_count - edges + mesh.triangle_count, 2 - loops); /* one hole less each */
        sn_shape_mesh_finish(&mesh);
        assert_null(mesh.positions);
    }
}

static void test_a_ball_and_a_capsule(void **state)
{
    (void)state;
    const sn_scene_blob blob[2] = {{{0, 0, 0}, {0, 0, 0}, 1, 1}, {{0, 0, 0}, {0, 2, 0}, 1, 1}};
    for (int i = 0; i < 2; ++i) {
        const sn_scene_shape shape = {.type = SN_SHAPE_BLOBS, .edge_length = 0.12, .blobs = &blob[i], .blob_count = 1};
        sn_shape_mesh mesh = build(&shape);
        const double expected = 4 * PI / 3 + (i == 1 ? 2 * PI : 0);
        assert_int_equal(count_border(&mesh), 0);
        assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2);
        assert_true(fabs(volume(&mesh) - expected) < 0.02 * expected);
        assert_true(worst_triangle(&mesh) > 0.05);
        sn_shape_mesh_finish(&mesh);
    }
}

static void test_boxes_keep_their_edges(void **state)
{
    (void)state;
    sn_scene_shape shape = {
        .type = SN_SHAPE_BOX, .edge_length = 0.2, .half_extents = {0.5, 0.3, 0.4}, .center = {1, 2, 3}};
    sn_shape_mesh mesh = build(&shape);
    double sum = 0;
    for (int t = 0; t < mesh.tet_count; ++t) {
        double e[3][3];
        for (int k = 0; k < 3; ++k) {
            for (int d = 0; d < 3; ++d) {
                e[k][d] = mesh.positions[3 * mesh.tets[4 * t + k + 1] + d] - mesh.positions[3 * mesh.tets[4 * t] + d];
            }
        }
        const double six = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        assert_true(six > 0);
        sum += six / 6;
    }
    assert_true(fabs(sum - 8 * 0.5 * 0.3 * 0.4) < 1e-12);
    sn_shape_mesh_finish(&mesh);
    shape.is_flat = true;
    mesh = build(&shape);
    assert_true(fabs(flat_area(&mesh) - 4 * 0.5 * 0.3) < 1e-12);
    sn_shape_mesh_finish(&mesh);
}

static void test_demo_shapes(void **state)
{
    (void)state;
    sn_shape_mesh mesh = build(&sn_demo_fish);
    flat_area(&mesh);
    assert_true(worst_triangle(&mesh) > 0.03);
    sn_shape_mesh_finish(&mesh);
    const sn_scene_shape *const solids[] = {&sn_demo_swimmer, &sn_demo_calf};
    for (int i = 0; i < 2; ++i) {
        sn_shape_texture picture;
        mesh = build(solids[i]);
        assert_int_equal(count_border(&mesh), 0);
        assert_true(volume(&mesh) > 0);
        assert_int_equal(sn_shape_paint(&solids[i]->paint, &mesh, &picture), SN_OK);
        for (int v = 0; v < 2 * mesh.vertex_count; ++v) {
            assert_true(picture.uvs[v] > 0 && picture.uvs[v] < 1);
        }
        sn_shape_texture_finish(&picture);
        sn_shape_mesh_finish(&mesh);
    }
}

/* What is drawn of a collider lies on it, with its normals. */
static void test_collider_surfaces(void **state)
{
    (void)state;
    sn_scene_collider collider = {.desc = sn_default_collider_desc()};
    sn_shape_mesh mesh;
    assert_int_equal(sn_collider_surface_build(&collider, &mesh), SN_OK);
    assert_int_equal(mesh.triangle_count, 0);
    collider.desc.shape = SN_COLLIDER_CAPSULE;
    collider.desc.radius = 0.5;
    collider.desc.half_height = 1;
    assert_int_equal(sn_collider_surface_build(&collider, &mesh), SN_OK);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double *p = mesh.positions + 3 * v, *n = mesh.normals + 3 * v;
        const double y = p[1] - fmin(fmax(p[1], -1), 1);
        assert_true(fabs(sqrt(p[0] * p[0] + y * y + p[2] * p[2]) - 0.5) < 1e-12);
        assert_true(fabs(p[0] - 0.5 * n[0]) < 1e-12 && fabs(y - 0.5 * n[1]) < 1e-12);
    }
    assert_true(fabs(volume(&mesh) - (PI / 6 + PI / 2)) < 0.03);
    sn_shape_mesh_finish(&mesh);
    collider.desc.shape = SN_COLLIDER_BOX;
    collider.desc.radius = 0;
    memcpy(collider.desc.half_extents, (double[3]){1, 2, 3}, sizeof collider.desc.half_extents);
    assert_int_equal(sn_collider_surface_build(&collider, &mesh), SN_OK);
    assert_true(fabs(volume(&mesh) - 48) < 1e-9);
    sn_shape_mesh_finish(&mesh);
}

int test_shapes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_disc_and_a_ring),      cmocka_unit_test(test_a_ball_and_a_capsule),
        cmocka_unit_test(test_boxes_keep_their_edges), cmocka_unit_test(test_demo_shapes),
        cmocka_unit_test(test_collider_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
