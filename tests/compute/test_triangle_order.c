/* SPDX-License-Identifier: MIT */
/* Reordered triangles are the same triangles, and few vertices miss a small cache. */
#include "compute/skin/triangle_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS = 61, ROWS = 37, GRID = 2 * COLUMNS * ROWS, FIRST = 1000 };

static int32_t grid[3 * GRID], ordered[3 * GRID];

/* A grid whose triangles come in a seeded order. */
static void make_grid(void)
{
    uint32_t seed = 1;
    for (int i = 0; i < COLUMNS * ROWS; ++i) {
        const int32_t a = FIRST + i / COLUMNS * (COLUMNS + 1) + i % COLUMNS, below = a + COLUMNS + 1;
        memcpy(grid + 6 * i, (const int32_t[]){a, below, a + 1, a + 1, below, below + 1}, 6 * sizeof *grid);
    }
    for (int i = GRID - 1; i > 0; --i) {
        seed = 1664525 * seed + 1013904223;
        const int k = (int)(seed / 65536 % (uint32_t)(i + 1));
        int32_t swapped[3];
        memcpy(swapped, grid + 3 * i, sizeof swapped);
        memcpy(grid + 3 * i, grid + 3 * k, sizeof swapped);
        memcpy(grid + 3 * k, swapped, sizeof swapped);
    }
    memcpy(ordered, grid, sizeof grid);
}

static int by_corners(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(int32_t));
}

static void assert_same_triangles(int32_t *a, int32_t *b, int count)
{
    qsort(a, (size_t)count, 3 * sizeof *a, by_corners);
    qsort(b, (size_t)count, 3 * sizeof *b, by_corners);
    assert_memory_equal(a, b, (size_t)count * 3 * sizeof *a);
}

/* Vertices a triangle that miss a cache of first in, first out. */
static double misses(const int32_t *triangles, int count, int cache_size)
{
    int32_t cache[64];
    int miss_count = 0;
    memset(cache, 255, sizeof cache);
    for (int i = 0; i < 3 * count; ++i) {
        int k = 0;
        while (k < cache_size && cache[k] != triangles[i]) {
            ++k;
        }
        if (k == cache_size) {
            cache[miss_count++ % cache_size] = triangles[i];
        }
    }
    return (double)miss_count / count;
}

static void test_grid(void **state)
{
    (void)state;
    make_grid();
    assert_int_equal(sn_order_triangles(ordered, GRID), SN_OK);
    print_message("misses a triangle: %.2f before, %.2f after; %.2f in a cache of 32\n", misses(grid, GRID, 16),
                  misses(ordered, GRID, 16), misses(ordered, GRID, 32));
    assert_true(misses(grid, GRID, 16) > 2.5);
    assert_true(misses(ordered, GRID, 16) < 0.8);
    assert_true(misses(ordered, GRID, 32) < 0.8);
    assert_same_triangles(grid, ordered, GRID);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_odd_triangles(void **state)
{
    (void)state;
    /* apart, doubled, crushed to a line and to a point, more than two at an edge */
    static const int32_t odd[][3] = {{7, 8, 9}, {0, 1, 2}, {0, 1, 2}, {5, 5, 6}, {4, 4, 4}, {1, 0, 9}, {0, 1, 8}};
    enum { COUNT = sizeof odd / sizeof odd[0] };
    for (int count = 0; count <= COUNT; ++count) {
        int32_t before[3 * COUNT], after[3 * COUNT];
        memcpy(before, odd, sizeof odd);
        memcpy(after, odd, sizeof odd);
        assert_int_equal(sn_order_triangles(after, count), SN_OK);
        assert_same_triangles(before, after, COUNT);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_triangle_order(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid), cmocka_unit_test(test_odd_triangles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
