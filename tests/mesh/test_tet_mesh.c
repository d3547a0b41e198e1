/* SPDX-License-Identifier: MIT */
/* Tet meshes against what is known of them exactly: a regular tet, a cube in five tets and one in six. */
#include "host/mesh/tet_mesh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Corner i of the unit cube is (i & 1, i >> 1 & 1, i >> 2). */
static const double cube_corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t five_tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};
/* Kuhn's: along every path of edges from corner 0 to corner 7. */
static const int32_t six_tets[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                       {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};

typedef struct fixture {
    double positions[16 * 3];
    int32_t tets[16 * 4];
    sn_tet_mesh mesh;
    sn_arena arena;
} fixture;

static void make(fixture *f, const double (*positions)[3], int vertex_count, const int32_t (*tets)[4], int tet_count)
{
    memset(f, 0, sizeof *f);
    memcpy(f->positions, positions, sizeof(double) * 3 * (size_t)vertex_count);
    memcpy(f->tets, tets, sizeof(int32_t) * 4 * (size_t)tet_count);
    f->mesh = (sn_tet_mesh){vertex_count, tet_count, f->positions, f->tets, false};
    begin_log();
}

static void finish(fixture *f)
{
    sn_arena_finish(&f->arena);
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void expect_error(fixture *f, const char *words)
{
    assert_int_equal(sn_tet_mesh_validate(&f->mesh, "box", &f->arena, NULL), SN_ERROR_FORMAT);
    assert_one_error("box");
    assert_one_error(words);
    finish(f);
}

static void check_gradients(const sn_tet_mesh *mesh)
{
    double gradients[12 * 16], volumes[16];
    const double slope[3] = {.7, -1.3, 2.1};
    sn_tet_gradients(mesh, gradients, volumes);
    for (int t = 0; t < mesh->tet_count; t++) {
        double sum[3] = {0}, total[3] = {0};
        for (int k = 0; k < 4; k++) {
            const double *p = mesh->positions + 3 * mesh->tets[4 * t + k];
            const double value = 5 + slope[0] * p[0] + slope[1] * p[1] + slope[2] * p[2];
            for (int d = 0; d < 3; d++) {
                sum[d] += value * gradients[12 * t + 3 * k + d];
                total[d] += gradients[12 * t + 3 * k + d];
            }
        }
        for (int d = 0; d < 3; d++) {
            assert_near(sum[d], slope[d], 1e-13);
            assert_near(total[d], 0, 1e-13);
        }
        assert_near(volumes[t], sn_tet_volume(mesh, t), 1e-16);
    }
}

static void regular_tet(void **state)
{
    (void)state;
    const double corners[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}; /* edge 2 sqrt 2 */
    const int32_t tet[1][4] = {{0, 1, 2, 3}};
    fixture f;
    make(&f, corners, 4, tet, 1);
    assert_int_equal(sn_tet_mesh_validate(&f.mesh, "tet", &f.arena, NULL), SN_OK);
    assert_near(sn_tet_volume(&f.mesh, 0), 8.0 / 3, 1e-15);
    check_gradients(&f.mesh);
    double gradients[12], volumes[1], mass[4];
    sn_tet_gradients(&f.mesh, gradients, volumes);
    for (int k = 0; k < 12; k++) { /* a gradient points to its corner, 1 / height long */
        assert_near(gradients[k], corners[k / 3][k % 3] / 4, 1e-15);
    }
    sn_tet_lumped_mass(&f.mesh, volumes, NULL, mass);
    for (int k = 0; k < 4; k++) {
        assert_near(mass[k], 2.0 / 3, 1e-15);
    }
    finish(&f);
}

static void check_boundary(fixture *f, int expected_count)
{
    int32_t neighbours[64], *triangles = NULL;
    int count = 0;
    const sn_tet_mesh *mesh = &f->mesh;
    assert_int_equal(sn_tet_neighbours(mesh, &f->arena, neighbours), SN_OK);
    for (int i = 0; i < 4 * mesh->tet_count; i++) { /* symmetric, and across the face there is not the own corner */
        int back = 0;
        for (int k = 0; neighbours[i] >= 0 && k < 4; k++) {
            back += neighbours[4 * neighbours[i] + k] == i / 4;
            assert_int_not_equal(mesh->tets[4 * neighbours[i] + k], mesh->tets[i]);
        }
        assert_int_equal(back, neighbours[i] >= 0);
    }
    assert_int_equal(sn_tet_boundary(mesh, neighbours, &f->arena, &triangles, &count), SN_OK);
    assert_int_equal(count, expected_count);
    double volume = 0;
    for (int t = 0; t < count; t++) { /* outwards: the normal points away from the centre; the divergence theorem */
        const double *a = mesh->positions + 3 * triangles[3 * t], *b = mesh->positions + 3 * triangles[3 * t + 1];
        const double *c = mesh->positions + 3 * triangles[3 * t + 2];
        double part = 0, outward = 0;
        for (int d = 0; d < 3; d++) {
            const int e = (d + 1) % 3, g = (d + 2) % 3;
            const double normal = (b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e]);
            part += a[d] * normal / 6;
            outward += (a[d] - .5) * normal;
        }
        assert_true(outward > 0);
        volume += part;
    }
    assert_near(volume, 1, 1e-15);
}

static void check_cube(const int32_t (*tets)[4], int tet_count)
{
    fixture f;
    make(&f, cube_corners, 8, tets, tet_count);
    assert_int_equal(sn_tet_mesh_validate(&f.mesh, "cube", &f.arena, NULL), SN_OK);
    assert_int_equal(logged.warnings, 0);
    double gradients[12 * 16], volumes[16], mass[16], scale[16], total = 0, scaled = 0;
    sn_tet_gradients(&f.mesh, gradients, volumes);
    check_gradients(&f.mesh);
    sn_tet_lumped_mass(&f.mesh, volumes, NULL, mass);
    for (int v = 0; v < 8; v++) {
        total += mass[v];
    }
    assert_near(total, 1, 1e-15);
    for (int t = 0; t < tet_count; t++) {
        scale[t] = t == 2 ? 10 : 0;
    }
    sn_tet_lumped_mass(&f.mesh, volumes, scale, mass);
    for (int v = 0; v < 8; v++) {
        scaled += mass[v];
    }
    assert_near(scaled, 10 * volumes[2], 1e-15);
    check_boundary(&f, 12);
    finish(&f);
}

static void cube_of_five(void **state)
{
    (void)state;
    check_cube(five_tets, 5);
    fixture f;
    make(&f, cube_corners, 8, five_tets, 5);
    int32_t neighbours[20];
    assert_int_equal(sn_tet_neighbours(&f.mesh, &f.arena, neighbours), SN_OK);
    for (int t = 0; t < 4; t++) { /* the corner tets touch the middle one only, across the face opposite the corner */
        assert_int_equal(neighbours[4 * t], 4);
        assert_int_equal(neighbours[4 * t + 1], -1);
    }
    const int32_t middle[4] = {3, 2, 1, 0}; /* opposite 1, 2, 4, 7 lie the tets of corners 6, 5, 3, 0 */
    assert_memory_equal(neighbours + 16, middle, sizeof middle);
    finish(&f);
}

static void cube_of_six(void **state)
{
    (void)state;
    check_cube(six_tets, 6);
}

static void no_tet(void **state)
{
    (void)state;
    fixture f;
    make(&f, cube_corners, 8, five_tets, 0);
    expect_error(&f, "no tet");
}

static void flat_tet(void **state)
{
    (void)state;
    fixture f;
    const int32_t tets[2][4] = {{0, 1, 2, 4}, {0, 1, 2, 3}};
    make(&f, cube_corners, 8, tets, 2);
    expect_error(&f, "tet 1 has no volume");
    make(&f, cube_corners, 8, five_tets, 5);
    f.positions[4] = NAN;
    expect_error(&f, "no volume");
}

static void inverted_tets(void **state)
{
    (void)state;
    fixture f;
    const int32_t one[2][4] = {{0, 1, 2, 4}, {3, 1, 2, 7}};
    make(&f, cube_corners, 8, one, 2);
    expect_error(&f, "1 of 2 tets are inverted, the first is tet 1");
    make(&f, cube_corners, 8, one + 1, 1);
    expect_error(&f, "inverted");
    make(&f, cube_corners, 8, five_tets, 5);
    for (int t = 0; t < 5; t++) {
        f.tets[4 * t] = five_tets[t][1];
        f.tets[4 * t + 1] = five_tets[t][0];
    }
    assert_int_equal(sn_tet_mesh_validate(&f.mesh, "box", &f.arena, NULL), SN_OK);
    assert_one_warning("flipped");
    for (int t = 0; t < 5; t++) {
        assert_true(sn_tet_volume(&f.mesh, t) > 0);
    }
    finish(&f);
}

static void bad_corners(void **state)
{
    (void)state;
    fixture f;
    const int32_t repeated[2][4] = {{0, 1, 2, 4}, {0, 1, 2, 1}};
    make(&f, cube_corners, 8, repeated, 2);
    expect_error(&f, "tet 1 repeats a vertex");
    const int32_t outside[1][4] = {{0, 1, 2, 8}};
    make(&f, cube_corners, 8, outside, 1);
    expect_error(&f, "vertex 8 of 8");
    const int32_t twice[3][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {1, 2, 0, 4}};
    make(&f, cube_corners, 8, twice, 3);
    expect_error(&f, "tets 0 and 2 are the same");
}

static void unused_vertices(void **state)
{
    (void)state;
    fixture f;
    const int32_t tet[1][4] = {{3, 1, 7, 0}}, expected_tet[4] = {2, 1, 3, 0}, expected_old[4] = {0, 1, 3, 7};
    int32_t *old_index = NULL;
    make(&f, cube_corners, 8, tet, 1);
    assert_int_equal(sn_tet_mesh_validate(&f.mesh, "box", &f.arena, &old_index), SN_OK);
    assert_one_warning("removed 4 vertices");
    assert_int_equal(f.mesh.vertex_count, 4);
    assert_memory_equal(f.tets, expected_tet, sizeof expected_tet);
    assert_memory_equal(old_index, expected_old, sizeof expected_old);
    for (int v = 0; v < 4; v++) {
        assert_memory_equal(f.positions + 3 * v, cube_corners[expected_old[v]], sizeof cube_corners[0]);
    }
    finish(&f);
}

static void shared_face(void **state)
{
    (void)state;
    fixture f;
    const double corners[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, -1}};
    const int32_t tets[3][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 2, 1, 5}};
    int32_t neighbours[12];
    make(&f, corners, 6, tets, 3);
    assert_int_equal(sn_tet_neighbours(&f.mesh, &f.arena, neighbours), SN_ERROR_FORMAT);
    assert_one_error("share one face");
    finish(&f);
}

/* Of a flat mesh the next of all that share the edge. */
static void shared_edge(void **state)
{
    (void)state;
    fixture f;
    const double corners[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0.5, -1, 0}};
    const int32_t triangles[3][4] = {{0, 1, 2, 2}, {1, 0, 3, 3}, {1, 0, 4, 4}};
    int32_t neighbours[12];
    make(&f, corners, 5, triangles, 3);
    f.mesh.is_flat = true;
    assert_int_equal(sn_tet_neighbours(&f.mesh, &f.arena, neighbours), SN_OK);
    int at = 0, seen = 0;
    for (int step = 0; step < 3; ++step) {
        assert_int_equal(neighbours[4 * at], -1);
        assert_int_equal(neighbours[4 * at + 1], -1);
        at = neighbours[4 * at + 2];
        assert_true(at >= 0 && at < 3);
        seen |= 1 << at;
    }
    assert_int_equal(seen, 7);
    finish(&f);
}

int test_tet_mesh(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_tet), cmocka_unit_test(cube_of_five),    cmocka_unit_test(cube_of_six),
        cmocka_unit_test(no_tet),      cmocka_unit_test(flat_tet),        cmocka_unit_test(inverted_tets),
        cmocka_unit_test(bad_corners), cmocka_unit_test(unused_vertices), cmocka_unit_test(shared_face),
        cmocka_unit_test(shared_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
