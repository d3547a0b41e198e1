/* SPDX-License-Identifier: MIT */
/* Many segments share few targets, and each still moves as it does alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "author/bake/playback.h"
#include "author/bake/shapes.h"
#include "host/math/vec3.h"
#include "research/figures/bending_arm.h"
#include "tests/support/log.h"

#define BEND (100 * ARM_PI / 180)
#define SIZE (3 * ARM_VERTICES)
#define SEGMENTS 16
#define SHAPES 4
#define KEY_ERROR 1e-3
#define HARMONICS 4

static bending_arm arm;
static double shapes[SHAPES][SIZE];
static const int order[SEGMENTS + 1] = {0, 1, 2, 3, 1, 0, 2, 1, 3, 0, 1, 2, 0, 3, 2, 1, 0};

static void start(void)
{
    make_bending_arm(BEND, &arm);
    for (int i = 0; i < SHAPES; ++i) {
        bend_arm(&arm, i / (SHAPES - 1.0), shapes[i]);
    }
}

/* Half a second a segment. */
static void build(int first, int segment_count, bool starts_at_rest, double key_error, sn_arena *arena,
                  sn_scene_file *scene, sn_shapes_report *report)
{
    sn_shape_key keys[SEGMENTS + 1];
    for (int i = 0; i <= segment_count; ++i) {
        const int shape = order[first + i];
        keys[i] = (sn_shape_key){0.5 * i, 0, shape / (SHAPES - 1.0), NULL, shapes[shape]};
    }
    sn_shapes_desc desc = {.scene = &arm.scene,
                           .name = "arm",
                           .character = "arm's file",
                           .key_count = segment_count + 1,
                           .keys = keys,
                           .material = {1, 4, 900, 0.5, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND},
                           .fit = sn_default_fourier_fit_desc(),
                           .starts_at_rest = starts_at_rest,
                           .frame_rate = 30,
                           .key_error = key_error};
    desc.fit.harmonic_count = HARMONICS;
    assert_int_equal(sn_shapes_build(&desc, arena, scene, report), SN_OK);
}

static double compare(sn_playback *a, double a_seconds, sn_playback *b, double b_seconds)
{
    static double here[SIZE], there[SIZE];
    double most = 0;
    sn_playback_evaluate(a, a_seconds, here);
    sn_playback_evaluate(b, b_seconds, there);
    for (int v = 0; v < SIZE; v += 3) {
        most = fmax(most, sn_distance3(here + v, there + v));
    }
    return most;
}

static void test_segments_move_as_they_do_alone(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file whole;
    sn_shapes_report report;
    sn_playback playback;
    start();
    build(0, SEGMENTS, true, KEY_ERROR, &arena, &whole, &report);
    print_message("%d segments of %d modes: %d targets\n", SEGMENTS, HARMONICS + 1, report.target_count);
    /* three ways from shape to shape, of as many modes, and what the rig's poses add to them */
    assert_true(report.target_count >= SHAPES - 1 && report.target_count <= SEGMENTS * (HARMONICS + 1) / 3);
    assert_true(report.at_keys < 2e-6);
    assert_int_equal(sn_playback_init(&whole, 1, &arena, &playback), SN_OK);
    for (int first = 0; first < SEGMENTS; first += 7) {
        sn_arena own = {0};
        sn_scene_file part;
        sn_shapes_report ignored;
        sn_playback alone;
        build(first, 1, true, KEY_ERROR / 10, &own, &part, &ignored);
        assert_int_equal(sn_playback_init(&part, 1, &own, &alone), SN_OK);
        for (int i = 1; i < 8; ++i) {
            assert_true(compare(&playback, 0.5 * first + i / 16.0, &alone, i / 16.0) < KEY_ERROR);
        }
        sn_arena_finish(&own);
    }
    sn_arena_finish(&arena);
}

/* Rates that are carried over joins are made of the same targets; a smaller error takes more of them. */
static void test_carried_rates_stay(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file coarse, fine;
    sn_shapes_report coarse_report, fine_report;
    sn_playback a, b;
    start();
    build(0, SEGMENTS, false, KEY_ERROR, &arena, &coarse, &coarse_report);
    build(0, SEGMENTS, false, KEY_ERROR / 10, &arena, &fine, &fine_report);
    print_message("%d targets, %d for a tenth of the error\n", coarse_report.target_count, fine_report.target_count);
    assert_true(coarse_report.target_count < fine_report.target_count);
    assert_int_equal(sn_playback_init(&coarse, 1, &arena, &a), SN_OK);
    assert_int_equal(sn_playback_init(&fine, 1, &arena, &b), SN_OK);
    for (double seconds = 0.01; seconds < 0.5 * SEGMENTS; seconds += 0.0717) {
        assert_true(compare(&a, seconds, &b, seconds) < 1.1 * KEY_ERROR);
    }
    sn_arena_finish(&arena);
}

/* Of the room for directions: as many as half the targets, each a place and a normal a vertex. */
#define DIRECTION_BYTES ((size_t)SEGMENTS * (HARMONICS + 1) / 2 * 6 * ARM_VERTICES * sizeof(double))

static int refused_count;

static void *refuse_directions(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    if (bytes >= DIRECTION_BYTES && bytes <= DIRECTION_BYTES + 4 * alignment) {
        ++refused_count;
        return NULL;
    }
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void free_it(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

/* It is an optional stage. */
static void test_targets_stay_without_memory(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file scene;
    sn_shapes_report report;
    start();
    begin_log();
    sn_set_allocator(refuse_directions, free_it, NULL);
    build(0, SEGMENTS, true, KEY_ERROR, &arena, &scene, &report);
    sn_arena_finish(&arena);
    sn_set_allocator(NULL, NULL, NULL);
    sn_set_log(NULL, NULL);
    assert_int_equal(refused_count, 1);
    assert_int_equal(logged.errors, 0);
    assert_int_equal(report.target_count, SEGMENTS * (HARMONICS + 1));
}

int test_shape_rank(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_segments_move_as_they_do_alone),
                                       cmocka_unit_test(test_carried_rates_stay),
                                       cmocka_unit_test(test_targets_stay_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
