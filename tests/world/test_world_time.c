/* SPDX-License-Identifier: MIT */
/* Time in a world: it is cut into steps, at any frame rate, and the rig is where it was posed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/world/posed_bar.h"

static void test_time_is_cut_into_steps(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    int steps = 0;
    for (int i = 0; i < 600; ++i) {
        steps += sn_world_step(world, 1.0 / 60).step_count;
    }
    assert_int_equal(steps, 600);
    steps = 0;
    for (int i = 0; i < 1440; ++i) {
        steps += sn_world_step(world, 1.0 / 144).step_count;
    }
    assert_true(steps == 600 || steps == 599);
    const sn_world_report report = sn_world_step(world, 1);
    assert_int_equal(report.step_count, 4);
    assert_true(fabs(report.dropped_seconds - 56.0 / 60) < 0.02);
    assert_int_equal(sn_world_step(world, -1).step_count, 0);
    assert_int_equal(sn_world_step(world, NAN).step_count, 0);
    sn_world_destroy(world);
}

/* The flesh after two seconds, at any frame rate. */
static void run_at(double rate, float *result)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    sn_mat3x4 bones[BONES];
    pose_at(0, bones);
    sn_body_set_pose(body, bones, BONES);
    sn_body_reset(body);
    const int frames = (int)(2 * rate + 0.5);
    for (int frame = 1; frame <= frames; ++frame) {
        pose_at(frame / rate, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1 / rate);
    }
    copy_output(body, result);
    sn_world_destroy(world);
}

static void test_frame_rates_agree(void **state)
{
    (void)state;
    float at_60[12 * 16], at[12 * 16];
    run_at(60, at_60);
    double size = 0;
    for (int i = 12 * BONES; i < 12 * (BONES + 4); ++i) {
        size = fmax(size, fabs((double)at_60[i]));
    }
    const double rates[] = {30, 72, 90, 144};
    for (int i = 0; i < 4; ++i) {
        run_at(rates[i], at);
        double most = 0;
        for (int k = 12 * BONES; k < 12 * (BONES + 4); ++k) {
            most = fmax(most, fabs((double)at[k] - (double)at_60[k]));
        }
        print_message("%g Hz against 60: %.3f of the flesh's own size\n", rates[i], most / size);
        assert_true(most < 0.1 * size);
    }
}

/* A steady motion, whose poses in between are exact: calls that take as many steps as they may, but drop none, must not
 * disturb its pace. */
static void run_steadily_at(int rate, float *result)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0.3);
    for (int frame = 0; frame <= 2 * rate; ++frame) {
        const float turned = 0.5F * (float)frame / (float)rate;
        const sn_mat3x4 pose = {{{1, -turned, 0, 0}, {turned, 1, 0, turned}, {0, 0, 1, 0}}};
        sn_body_set_rigid_pose(body, &pose);
        if (frame == 0) {
            sn_body_reset(body);
        } else {
            assert_true(sn_world_step(world, 1.0 / rate).dropped_seconds == 0);
        }
    }
    copy_output(body, result);
    sn_world_destroy(world);
}

static void test_slow_frames_keep_the_pace(void **state)
{
    (void)state;
    float at_60[12 * 16], at_18[12 * 16];
    run_steadily_at(60, at_60);
    run_steadily_at(18, at_18); /* three or four steps a call, of at most four */
    double most = 0, size = 0;
    for (int i = 12 * BONES; i < 12 * (BONES + 4); ++i) {
        most = fmax(most, fabs((double)at_18[i] - (double)at_60[i]));
        size = fmax(size, fabs((double)at_60[i]));
    }
    print_message("18 Hz against 60: %.2g of the flesh's own size\n", most / size);
    assert_true(size > 1e-3 && most < 1e-3 * size);
}

/* What is drawn of the rig is the pose that was set, whatever is left over of the time. */
static void test_rig_never_lags(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 1);
    sn_mat3x4 bones[BONES];
    for (int frame = 0; frame < 50; ++frame) {
        pose_at(frame / 144.0, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1.0 / 144);
        assert_memory_equal(sn_body_output(body).matrices, bones, sizeof bones);
    }
    sn_world_destroy(world);
}

int test_world_time(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_is_cut_into_steps),
        cmocka_unit_test(test_frame_rates_agree),
        cmocka_unit_test(test_slow_frames_keep_the_pace),
        cmocka_unit_test(test_rig_never_lags),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
