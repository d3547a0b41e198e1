/* SPDX-License-Identifier: MIT */
/* Whose weights vertices take that have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "author/import/fill_missing_weights.h"

/* A strip 0 - 4, whose last triangle hangs on by a seam (5 is where 3 is, 6 where 4 is), and a triangle 7, 8, 0' apart.
 */
static const float positions[3 * 10] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0,
                                        1, 1, 0, 2, 0, 0, 9, 0, 0, 9, 1, 0, 8, 0, 0};
static const int32_t triangles[15] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 5, 6, 5, 7, 8, 9};

static void expect(const float *firsts, const int32_t *expected, int expected_count, int unfilled_count)
{
    float weights[20];
    int32_t joints[20] = {0};
    for (int v = 0; v < 10; ++v) {
        weights[2 * v] = firsts[v];
        weights[2 * v + 1] = 0;
    }
    sn_scene_primitive primitive = {.vertex_count = 10,
                                    .triangle_count = 5,
                                    .positions = (float *)(uintptr_t)positions,
                                    .triangles = (int32_t *)(uintptr_t)triangles,
                                    .influence_count = 2,
                                    .joints = joints,
                                    .weights = weights};
    sn_arena arena = {0};
    sn_weight_sources result;
    assert_int_equal(sn_fill_missing_weights(&primitive, &arena, &result), SN_OK);
    assert_int_equal(result.filled_count, expected_count);
    assert_int_equal(result.unfilled_count, unfilled_count);
    if (expected) {
        assert_non_null(result.weight_vertices);
        assert_memory_equal(result.weight_vertices, expected, 10 * sizeof *result.weight_vertices);
    } else {
        assert_null(result.weight_vertices);
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void all_have_their_own(void **state)
{
    (void)state;
    expect((const float[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, NULL, 0, 0);
}

static void the_nearest_lends(void **state)
{
    (void)state;
    expect((const float[]){1, 0, 1, 0, 0, 1, 0, 1, 1, 1}, (const int32_t[]){0, 0, 2, 5, 2, 5, 2, 7, 8, 9}, 4, 0);
    /* along the strip, one edge after the other, and over the seam */
    expect((const float[]){1, 0, 0, 0, 0, 0, 0, 1, 1, 1}, (const int32_t[]){0, 0, 0, 0, 0, 0, 0, 7, 8, 9}, 6, 0);
}

static void what_hangs_on_nothing_keeps_none(void **state)
{
    (void)state;
    expect((const float[]){1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, 3);
    expect((const float[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, 10);
}

int test_fill_missing_weights(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_have_their_own),
        cmocka_unit_test(the_nearest_lends),
        cmocka_unit_test(what_hangs_on_nothing_keeps_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
