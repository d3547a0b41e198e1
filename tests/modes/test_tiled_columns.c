/* SPDX-License-Identifier: MIT */
/* Sparse columns a tile of rows at a time, against the full matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/eigen/tiled_columns.h"
#include "host/base/random.h"

#define SIZE 1234 /* four tiles, and what is left */
#define WIDTH 12
#define COUNT 15
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Blocks of 10, 1 and 4 columns: of every row, of few in one tile, of every third in no order. */
typedef struct fixture {
    int32_t all[SIZE], few[5], third[SIZE / 3];
    double of_all[10 * SIZE], of_few[5], of_third[4 * (SIZE / 3)];
    sn_column_block blocks[3];
    sn_sparse_columns columns;
    sn_tiled_columns tiled;
    double dense[COUNT * SIZE];
    sn_arena arena;
} fixture;

static void fill_random(uint64_t *random, size_t count, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] = 2 * sn_random_unit(random) - 1;
    }
}

static fixture *start(void)
{
    fixture *f = calloc(1, sizeof *f);
    uint64_t random = 5;
    for (int32_t i = 0; i < SIZE; ++i) {
        f->all[i] = i;
    }
    for (int32_t i = 0; i < 5; ++i) {
        f->few[i] = 300 + 7 * i;
    }
    for (int32_t i = 0; i < SIZE / 3; ++i) {
        f->third[i] = 3 * (i * 7 % (SIZE / 3));
    }
    fill_random(&random, 10 * SIZE, f->of_all);
    fill_random(&random, 5, f->of_few);
    fill_random(&random, 4 * (SIZE / 3), f->of_third);
    f->blocks[0] = (sn_column_block){10, SIZE, f->all, f->of_all};
    f->blocks[1] = (sn_column_block){1, 5, f->few, f->of_few};
    f->blocks[2] = (sn_column_block){4, SIZE / 3, f->third, f->of_third};
    f->columns = (sn_sparse_columns){COUNT, 3, f->blocks};
    sn_columns_expand(&f->columns, SIZE, f->dense);
    assert_int_equal(sn_tiled_columns_build(&f->columns, SIZE, &f->arena, &f->tiled), SN_OK);
    return f;
}

static void finish(fixture *f)
{
    sn_arena_finish(&f->arena);
    free(f);
}

static void test_gather(void **state)
{
    (void)state;
    fixture *f = start();
    static double x[SIZE * WIDTH], sums[COUNT * WIDTH], packed[SN_TILE_ROWS * WIDTH];
    uint64_t random = 9;
    fill_random(&random, SIZE * WIDTH, x);
    memset(sums, 0, sizeof sums);
    for (size_t t = 0; t < f->tiled.tile_count; ++t) {
        sn_tiled_columns_gather(&f->tiled, t, 0, WIDTH, x + t * SN_TILE_ROWS * WIDTH, packed, sums);
    }
    for (size_t i = 0; i < COUNT * WIDTH; ++i) {
        double expected = 0;
        for (size_t v = 0; v < SIZE; ++v) {
            expected += f->dense[i / WIDTH * SIZE + v] * x[v * WIDTH + i % WIDTH];
        }
        assert_near(sums[i], expected, 1e-12);
    }
    finish(f);
}

/* Blocks that end before `from` keep their sums. */
static void test_gather_of_later_columns(void **state)
{
    (void)state;
    fixture *f = start();
    static double x[SN_TILE_ROWS * WIDTH], sums[COUNT * WIDTH], packed[SN_TILE_ROWS * WIDTH];
    uint64_t random = 9;
    fill_random(&random, SN_TILE_ROWS * WIDTH, x);
    memset(sums, 0, sizeof sums);
    sn_tiled_columns_gather(&f->tiled, 0, 11, WIDTH, x, packed, sums);
    for (size_t i = 0; i < COUNT * WIDTH; ++i) {
        assert_int_equal(sums[i] != 0, i / WIDTH >= 11);
    }
    finish(f);
}

static void test_subtract(void **state)
{
    (void)state;
    for (size_t end = 10; end <= COUNT; end += 5) { /* the first block alone, then all */
        fixture *f = start();
        static double x[SIZE * WIDTH], before[SIZE * WIDTH], coefficients[COUNT * WIDTH], packed[SN_TILE_ROWS * WIDTH];
        uint64_t random = 9;
        fill_random(&random, SIZE * WIDTH, x);
        fill_random(&random, COUNT * WIDTH, coefficients);
        memcpy(before, x, sizeof x);
        for (size_t t = 0; t < f->tiled.tile_count; ++t) {
            sn_tiled_columns_subtract(&f->tiled, t, end, WIDTH, coefficients, packed, x + t * SN_TILE_ROWS * WIDTH);
        }
        for (size_t i = 0; i < SIZE * WIDTH; ++i) {
            double expected = before[i];
            for (size_t c = 0; c < end; ++c) {
                expected -= f->dense[c * SIZE + i / WIDTH] * coefficients[c * WIDTH + i % WIDTH];
            }
            assert_near(x[i], expected, 1e-13);
        }
        finish(f);
    }
}

/* Also beyond the last column. */
static void test_expand(void **state)
{
    (void)state;
    fixture *f = start();
    static double x[SN_TILE_ROWS * WIDTH];
    for (size_t first = 0; first < COUNT; first += WIDTH) {
        for (size_t t = 0; t < f->tiled.tile_count; ++t) {
            sn_tiled_columns_expand(&f->tiled, t, first, WIDTH, x);
            for (size_t i = 0; i < SN_TILE_ROWS * WIDTH && t * SN_TILE_ROWS + i / WIDTH < SIZE; ++i) {
                const size_t column = first + i % WIDTH, row = t * SN_TILE_ROWS + i / WIDTH;
                assert_true(x[i] == (column < COUNT ? f->dense[column * SIZE + row] : 0));
            }
        }
    }
    finish(f);
}

int test_tiled_columns(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_gather_of_later_columns),
        cmocka_unit_test(test_subtract),
        cmocka_unit_test(test_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
