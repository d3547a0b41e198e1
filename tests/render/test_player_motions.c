/* SPDX-License-Identifier: MIT */
/* The player's motions: where clips begin again, expressions, arrays, the hop. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/io/source.h"
#include "runtime/session/loop.h"
#include "runtime/session/motion.h"
#include "tests/render/player_test.h"

enum { FRAME_COUNT = 9, BONE_COUNT = 2 };

static float clip_frames[FRAME_COUNT][BONE_COUNT][12], binds[BONE_COUNT][12];
static const int32_t frame_counts[1] = {FRAME_COUNT};
static const double frame_rates[1] = {30};

/* The root walks and turns by these in every frame, the other bone swings about it; at the end it is off by `offset`.
 */
static sn_model make_clip(double speed, double turn, double swing, double offset)
{
    for (int f = 0; f < FRAME_COUNT; ++f) {
        for (int b = 0; b < BONE_COUNT; ++b) {
            const double phase = 2 * PI * f / (FRAME_COUNT - 1), angle = turn * f + (b ? swing * sin(phase) : 0);
            const float c = (float)cos(angle), s = (float)sin(angle);
            const float x = (float)(speed * f), y = (float)(b && f == FRAME_COUNT - 1 ? offset : 0);
            memcpy(clip_frames[f][b], (float[12]){c, 0, s, x, 0, 1, 0, y, -s, 0, c, 0}, sizeof clip_frames[f][b]);
        }
    }
    for (int b = 0; b < BONE_COUNT; ++b) {
        memcpy(binds[b], (float[12]){1, 0, 0, 0, 0, 1, 0, (float)(b * 0.5), 0, 0, 1, 0}, sizeof binds[b]);
    }
    return (sn_model){.counts = {.bone_count = BONE_COUNT, .clip_count = 1, .clip_frame_total = FRAME_COUNT},
                      .diagonal = 1,
                      .bone_bind = binds[0],
                      .clip_frame_counts = frame_counts,
                      .clip_frame_rates = frame_rates,
                      .clip_transforms = clip_frames[0][0]};
}

static void a_clip_that_closes_flows_on(void **state)
{
    (void)state;
    sn_model model = make_clip(0, 0, 0.3, 0);
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_CONTINUOUS);
    model = make_clip(0, 0, 0, 0); /* nothing moves */
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_CONTINUOUS);
    model = make_clip(0, 2 * PI / FRAME_COUNT, 0, 0); /* a turn whose last frame is left out */
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_CONTINUOUS);
}

static void a_clip_that_walks_away_is_moved_back(void **state)
{
    (void)state;
    const sn_model model = make_clip(0.2, 0.1, 0.3, 0);
    const sn_loop loop = sn_loop_plan(&model, 0);
    assert_int_equal(loop.type, SN_LOOP_TELEPORT);
    for (int b = 0; b < BONE_COUNT; ++b) { /* jump * last = first */
        const float *last = clip_frames[FRAME_COUNT - 1][b], *first = clip_frames[0][b];
        for (int i = 0; i < 12; ++i) {
            double sum = i % 4 == 3 ? (double)loop.jump.m[i / 4][3] : 0;
            for (int k = 0; k < 3; ++k) {
                sum += (double)loop.jump.m[i / 4][k] * (double)last[4 * k + i % 4];
            }
            check_near(sum, (double)first[i], 1e-5);
        }
    }
}

static void a_clip_that_ends_in_another_pose_starts_at_rest(void **state)
{
    (void)state;
    sn_model model = make_clip(0.2, 0.1, 0.1, 0);
    for (int f = 0; f < FRAME_COUNT; ++f) { /* the other bone sinks, a little in each frame */
        clip_frames[f][1][7] = -0.3F * (float)f;
    }
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_RESET);
    model = make_clip(0.2, 0, 0, 0);
    for (int f = 0; f < FRAME_COUNT; ++f) { /* grows: no rigid jump */
        clip_frames[f][0][0] = 1 + 0.1F * (float)f;
    }
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_RESET);
    clip_frames[FRAME_COUNT - 1][0][0] = clip_frames[FRAME_COUNT - 1][0][8] = 0; /* and no singular one */
    clip_frames[FRAME_COUNT - 1][0][2] = 0;
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_RESET);
}

static void weights_that_jump_back_start_at_rest_where_they_are_felt(void **state)
{
    (void)state;
    static const int32_t track = 0;
    float weights[FRAME_COUNT];
    sn_model model = make_clip(0, 0, 0.3, 0);
    model.counts.morph_track_count = model.counts.morph_count = 1;
    model.morph_tracks = &track;
    model.clip_morphs = weights;
    for (int f = 0; f < FRAME_COUNT; ++f) {
        weights[f] = 0.1F * (float)f;
    }
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_CONTINUOUS); /* drawn alone */
    model.counts.morph_pair_count = 1;
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_RESET);
    weights[FRAME_COUNT - 1] = 0.05F;
    assert_int_equal(sn_loop_plan(&model, 0).type, SN_LOOP_CONTINUOUS);
}

/* Away where a second begins and ends, there in its middle, within a tenth of a second each, and still bones. */
static void an_expression_comes_and_goes(void **state)
{
    (void)state;
    static const sn_expression expressions[2] = {{0, 1, .is_binary = 0}, {1, 1, .is_binary = 0}};
    static const sn_expression_bind binds_of_it[2] = {{0, 1}, {1, 0.5F}};
    static const float rest[2] = {0.25F, 0};
    sn_model model = make_clip(0.2, 0, 0, 0);
    model.counts.morph_count = model.counts.expression_count = model.counts.expression_bind_count = 2;
    model.expressions = expressions;
    model.expression_binds = binds_of_it;
    model.morph_default_weights = rest;
    const sn_motion motion = {.model = &model, .clip = -1, .has_expression = true, .expression = 1};
    const struct {
        double seconds, weight;
    } expected[] = {{0, 0}, {0.2, 0}, {0.3, 0.25}, {0.5, 0.5}, {0.7, 0.5}, {0.8, 0.25}, {1, 0}, {1.3, 0.25}};
    assert_true(fabs(sn_motion_seconds(&motion, 0.1) - 1) < 1e-12);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        float weights[2];
        double pose[12 * BONE_COUNT];
        sn_motion_morphs(&motion, expected[i].seconds, weights);
        check_near((double)weights[0], 0.25, 1e-6);
        check_near((double)weights[1], expected[i].weight, 1e-6);
        sn_motion_pose(&motion, 3, expected[i].seconds, pose);
        assert_true(pose[0] == 1 && pose[3] == 0 && pose[12] == 1);
    }
}

static void arrays_are_linear_between_rows_and_hold(void **state)
{
    (void)state;
    const sn_model model = {.counts.bone_count = 1};
    double poses[3][12] = {{0}}, pose[12];
    for (int i = 0; i < 36; ++i) {
        poses[i / 12][i % 12] = i / 12 * i / 12;
    }
    const sn_motion motion = {.model = &model, .poses = poses[0], .frame_count = 3, .clip = -1};
    check_near(sn_motion_seconds(&motion, 0.1), 0.2, 1e-12);
    static const double times[] = {0, 0.025, 0.1, 0.175, 0.2, 1e9};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        sn_motion_pose_at(&motion, 0.1, times[i], pose);
        const double at = fmin(times[i] / 0.1, 2);
        const int row = at < 2 ? (int)(at + 1e-9) : 1;
        for (int k = 0; k < 12; ++k) {
            check_near(pose[k], poses[row][k] + (at - row) * (poses[row + 1][k] - poses[row][k]), 1e-6);
        }
    }
}

static void the_hop_closes(void **state)
{
    (void)state;
    const sn_model model = {.counts.bone_count = 1, .diagonal = 1};
    const sn_motion hop = {.model = &model, .clip = -1, .is_hop = true}, rest = {.model = &model, .clip = -1};
    double first[12], last[12];
    const double seconds = sn_motion_seconds(&hop, 1);
    sn_motion_pose_at(&hop, 1, 0, first);
    sn_motion_pose_at(&hop, 1, nextafter(seconds, 0), last);
    for (int i = 0; i < 12; ++i) {
        check_near(first[i], last[i], 1e-9);
    }
    check_near(sn_motion_seconds(&rest, 1), 0, 0);
}

int test_player_motions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_that_closes_flows_on),
        cmocka_unit_test(a_clip_that_walks_away_is_moved_back),
        cmocka_unit_test(a_clip_that_ends_in_another_pose_starts_at_rest),
        cmocka_unit_test(weights_that_jump_back_start_at_rest_where_they_are_felt),
        cmocka_unit_test(an_expression_comes_and_goes),
        cmocka_unit_test(arrays_are_linear_between_rows_and_hold),
        cmocka_unit_test(the_hop_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
