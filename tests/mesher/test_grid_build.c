/* SPDX-License-Identifier: MIT */
/* Surfaces to grids of signed distances: exact beside closed ones, whatever way they are turned; hollow, overlapping,
 * open ones; refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/import/character.h"
#include "host/contact/grid.h"
#include "host/math/vec3.h"
#include "sinew/author.h"
#include "tests/support/log.h"

#define RINGS 24
#define SIDES 32
#define VERTEX_LIMIT 4096
#define TRIANGLE_LIMIT 8192

static double positions[3 * VERTEX_LIMIT];
static int32_t triangles[3 * TRIANGLE_LIMIT];
static int vertex_count, triangle_count;

static void begin(void)
{
    vertex_count = triangle_count = 0;
    begin_log();
}

static void add_triangle(int a, int b, int c, bool is_turned)
{
    const int32_t corners[3] = {a, is_turned ? c : b, is_turned ? b : c};
    memcpy(triangles + 3 * triangle_count++, corners, sizeof corners);
}

/* Rings from `first` on: 0 is closed at the top, more leaves a hole there. */
static void add_sphere(const double *centre, double radius, int first, bool is_turned)
{
    const int start = vertex_count;
    for (int i = 0; i <= RINGS; ++i) {
        for (int j = 0; j < SIDES; ++j) {
            const double a = 3.14159265358979 * i / RINGS, b = 6.28318530717959 * j / SIDES;
            const double ring = i == 0 || i == RINGS ? 0 : sin(a); /* the poles are one place */
            positions[3 * vertex_count] = centre[0] + radius * ring * cos(b);
            positions[3 * vertex_count + 1] = centre[1] + radius * cos(a);
            positions[3 * vertex_count++ + 2] = centre[2] - radius * ring * sin(b);
        }
    }
    for (int i = first; i < RINGS; ++i) {
        for (int j = 0; j < SIDES; ++j) {
            const int a = start + SIDES * i + j, b = start + SIDES * i + (j + 1) % SIDES;
            if (i > 0) {
                add_triangle(a, a + SIDES, b, is_turned);
            }
            if (i < RINGS - 1) {
                add_triangle(b, a + SIDES, b + SIDES, is_turned);
            }
        }
    }
}

static sn_result build(int resolution, sn_grid **grid)
{
    const sn_grid_surface surface = {"thing", vertex_count, triangle_count, positions, triangles};
    return sn_grid_build(&surface, resolution, grid);
}

static sn_grid *built(int resolution)
{
    sn_grid *grid = NULL;
    assert_int_equal(build(resolution, &grid), SN_OK);
    assert_int_equal(logged.errors, 0);
    return grid;
}

static double at(const sn_grid *grid, double x, double y, double z)
{
    return sn_grid_distance(grid, (const double[]){x, y, z}, NULL);
}

/* Neighbours differ by no more than their distance, or a little: no jumps anywhere. */
static void check_slopes(const sn_grid *grid, double most)
{
    const size_t strides[3] = {1, (size_t)grid->counts[0], (size_t)(grid->counts[0] * grid->counts[1])};
    for (size_t i = 0; i < grid->node_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            if ((int)(i / strides[d]) % grid->counts[d] + 1 < grid->counts[d]) {
                const double difference = (double)grid->distances[i + strides[d]] - (double)grid->distances[i];
                assert_true(fabs(difference) <= most * grid->spacing);
            }
        }
    }
}

static const double middle[3] = {5, -3, 2};

static void test_a_sphere_either_way(void **state)
{
    (void)state;
    float *first = NULL;
    for (int turn = 0; turn < 2; ++turn) {
        begin();
        add_sphere(middle, 2, 0, turn == 1);
        sn_grid *grid = built(24);
        assert_int_equal(logged.warnings, 0);
        check_slopes(grid, 1.001);
        double worst = 0, worst_far = 0;
        for (size_t i = 0; i < grid->node_count; ++i) {
            const double x[3] = {
                grid->origin[0] + grid->spacing * (double)(i % (size_t)grid->counts[0]),
                grid->origin[1] + grid->spacing * (double)(i / (size_t)grid->counts[0] % (size_t)grid->counts[1]),
                grid->origin[2] + grid->spacing * (double)(i / (size_t)(grid->counts[0] * grid->counts[1]))};
            const double expected = sn_distance3(x, middle) - 2;
            const double error = fabs((double)grid->distances[i] - expected);
            worst = fabs(expected) < 2 * grid->spacing ? fmax(worst, error) : worst;
            worst_far = fmax(worst_far, error);
        }
        assert_true(worst < 2 * (1 - cos(3.14159265 / RINGS)) + 1e-6); /* the facets' own */
        assert_true(worst_far < 1.5 * grid->spacing);                  /* the sweep is of first order */
        for (size_t i = 0; i < grid->node_count && first; ++i) {
            assert_true(fabsf(grid->distances[i] - first[i]) < 1e-5F);
        }
        if (!first) {
            first = malloc(grid->node_count * sizeof *first);
            assert_non_null(first);
            memcpy(first, grid->distances, grid->node_count * sizeof *first);
        }
        sn_grid_destroy(&grid);
    }
    free(first);
}

static void test_hollow_and_overlapping(void **state)
{
    (void)state;
    begin();
    add_sphere(middle, 2, 0, false);
    add_sphere(middle, 1, 0, true); /* the wall of a hollow looks inwards */
    sn_grid *grid = built(32);
    assert_int_equal(logged.warnings, 0);
    check_slopes(grid, 1.001);
    assert_true(at(grid, 5, -3, 2) > 0.8);
    assert_true(fabs(at(grid, 6.5, -3, 2) + 0.5) < 0.05);
    sn_grid_destroy(&grid);
    begin();
    const double beside[3] = {7, -3, 2};
    add_sphere(middle, 2, 0, false);
    add_sphere(beside, 2, 0, true); /* inside out, by mistake */
    grid = built(32);
    assert_true(at(grid, 4, -3, 2) < -0.8 && at(grid, 8, -3, 2) < -0.8 && at(grid, 6, -3, 2) < 0);
    sn_grid_destroy(&grid);
}

/* A bowl: its solid ends in a lid where the winding number is a half, without a jump of the distance. */
static void test_an_open_sphere(void **state)
{
    (void)state;
    begin();
    add_sphere(middle, 2, 5, false);
    sn_grid *grid = built(32);
    assert_one_warning("thing: 32 edges are open");
    check_slopes(grid, 1.25);
    assert_true(at(grid, 5, -3, 2) < -1.2 && at(grid, 5, -4.5, 2) < -0.4);
    assert_true(at(grid, 5, -0.8, 2) > 0.1);
    double height = -3; /* of the lid above the middle: about that of the rim, -3 + 2 cos(5 / 24 pi) */
    while (at(grid, 5, height, 2) < 0) {
        height += 0.01;
    }
    assert_true(height > -1.6 && height < -1);
    sn_grid_destroy(&grid);
}

/* Scans and downloads: open, of many pieces, with triangles that overlap, cross or are turned. */
static void test_dirty_surfaces(void **state)
{
    (void)state;
    static const char *const names[] = {"dirty_suzanne.obj", "dirty_teapot.obj", "dirty_truck.obj", "dirty_soup.stl",
                                        "dirty_bunny_nonmanifold.ply"};
    for (int i = 0; i < 5; ++i) {
        sn_arena arena = {0};
        sn_scene_file scene;
        sn_character c;
        char path[1024];
        snprintf(path, sizeof path, SN_SHARED_DATA "/surface/%s", names[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: no test data at %s\n", path);
            return;
        }
        begin();
        assert_int_equal(sn_scene_file_read(path, &arena, &scene), SN_OK);
        assert_int_equal(sn_character_build(&scene, path, &arena, &c), SN_OK);
        const sn_grid_surface surface = {path, c.vertex_count, c.triangle_count, c.positions, c.triangles};
        sn_grid *grid = NULL;
        assert_int_equal(sn_grid_build(&surface, 40, &grid), SN_OK);
        check_slopes(grid, 1.6);
        /* its own vertices lie at its surface, or inside */
        double farthest = 0;
        for (int v = 0; v < c.vertex_count; ++v) {
            farthest = fmax(farthest, sn_grid_distance(grid, c.positions + 3 * v, NULL) / grid->spacing);
        }
        assert_true(farthest < 1);
        sn_grid_destroy(&grid);
        sn_arena_finish(&arena);
    }
}

static void refuse(sn_result code, int resolution, const char *says)
{
    sn_grid *grid = NULL;
    begin_log();
    assert_int_equal(build(resolution, &grid), code);
    assert_null(grid);
    assert_one_error(says);
}

static void test_refusals(void **state)
{
    (void)state;
    begin();
    add_sphere(middle, 2, 0, false);
    refuse(SN_ERROR_ARGUMENT, 1, "thing: grid resolution 1 is out of range");
    refuse(SN_ERROR_ARGUMENT, 100000, "thing: grid resolution 100000 is out of range");
    positions[4] = NAN;
    refuse(SN_ERROR_ARGUMENT, 16, "thing: vertex 1: position is not finite");
    positions[4] = 0;
    triangles[5] = vertex_count;
    char says[64];
    snprintf(says, sizeof says, "thing: triangle 1: vertex %d does not exist", vertex_count);
    refuse(SN_ERROR_ARGUMENT, 16, says);
    triangles[5] = -1;
    refuse(SN_ERROR_ARGUMENT, 16, "thing: triangle 1: vertex -1 does not exist");
    begin();
    refuse(SN_ERROR_FORMAT, 16, "thing: no triangle has an area");
    /* a sheet has no inside */
    begin();
    for (int i = 0; i < 4; ++i) {
        memcpy(positions + 3 * vertex_count++, (const double[]){i % 2, 0, i / 2}, 3 * sizeof *positions);
    }
    add_triangle(0, 2, 1, false);
    add_triangle(1, 2, 3, false);
    refuse(SN_ERROR_FORMAT, 16, "thing: encloses no volume");
}

static int start(void **state)
{
    (void)state;
    begin_log();
    return 0;
}

static int check_memory(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

int test_grid_build(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sphere_either_way),
        cmocka_unit_test(test_hollow_and_overlapping),
        cmocka_unit_test(test_an_open_sphere),
        cmocka_unit_test(test_dirty_surfaces),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, start, check_memory);
}
