/* SPDX-License-Identifier: MIT */
/* Spring bones of bodies in worlds: flesh sees the pose as they have it; the same at any frame rate, on any number of
 * threads; no kick by a pause, a teleport or a reset; no allocation in a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/springs/springs.h"
#include "tests/support/count_allocations.h"
#include "tests/world/sprung_bar.h"

enum { BODIES = 5, FRAMES = 60 };

/* What swings does, what does not is where it is posed, and flesh gives way to the motion of either. */
static void bones_swing_and_flesh_follows(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), still = make(world, true);
    double largest = 0, flesh = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        float a[12 * (BONES + MODES)], b[12 * (BONES + MODES)];
        pose(body, frame / 60.0);
        pose(still, frame / 60.0);
        sn_world_step(world, 1.0 / 60);
        copy_output(body, a);
        copy_output(still, b);
        assert_memory_equal(a, b, 12 * (BONES - 2) * sizeof(float));
        largest = fmax(largest, apart(a, b));
        const sn_body_matrices out = sn_body_output(still);
        flesh = fmax(flesh, difference(a, &out));
    }
    assert_true(largest > 0.02 && flesh > 1e-4);
    sn_world_destroy(world);
}

static void run(int workers, float *output)
{
    const sn_world_id world = make_world(workers);
    sn_body_id bodies[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        bodies[i] = make(world, i == 1);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < BODIES; ++i) {
            sn_body_desc desc = sn_default_body_desc();
            pose(bodies[i], (frame + 3 * i) / 60.0);
            desc.model = &sprung;
            desc.is_without_springs = i == 2;
            if (frame == FRAMES / 2) {
                assert_int_equal(sn_body_set_desc(bodies[i], &desc), SN_OK);
            }
        }
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
    for (int i = 0; i < BODIES; ++i) {
        copy_output(bodies[i], output + (size_t)i * 12 * (BONES + MODES));
    }
    sn_world_destroy(world);
}

static void same_bits_on_threads(void **state)
{
    (void)state;
    static float one[BODIES * 12 * (BONES + MODES)], more[BODIES * 12 * (BONES + MODES)];
    run(1, one);
    for (int workers = 2; workers <= 4; ++workers) {
        run(workers, more);
        assert_memory_equal(one, more, sizeof one);
    }
}

/* Where the body is after two seconds of frames; and the farthest that it was off its pose on the way. */
static double run_at(double rate, float *output)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), still = make(world, true);
    double largest = 0;
    const int frames = (int)(2 * rate + 0.5);
    for (int frame = 1; frame <= frames; ++frame) {
        pose(body, frame / rate);
        pose(still, frame / rate);
        sn_world_step(world, 1 / rate);
        largest = fmax(largest, bones_apart(body, still));
    }
    copy_output(body, output);
    sn_world_destroy(world);
    return largest;
}

/* Of the swing itself, a few hundredths: the poses between frames differ, and who draws at 144 sees the last two steps
 * blended. */
static void same_at_any_frame_rate(void **state)
{
    (void)state;
    float sixty[12 * (BONES + MODES)], other[12 * (BONES + MODES)];
    const double rates[] = {30, 72, 90, 144}, size = run_at(60, sixty);
    for (int i = 0; i < 4; ++i) {
        const double largest = run_at(rates[i], other);
        assert_true(fabs(largest - size) < 0.1 * size);
        assert_true(apart(sixty, other) < 0.12 * size);
    }
}

static void pause_teleport_and_reset_do_not_kick(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), other = make(world, false);
    const sn_mat3x4 away = {{{1, 0, 0, 40}, {0, 1, 0, -3}, {0, 0, 1, 7}}},
                    back = {{{1, 0, 0, -40}, {0, 1, 0, 3}, {0, 0, 1, -7}}};
    for (int frame = 0; frame < FRAMES; ++frame) {
        pose(body, frame / 60.0);
        pose(other, frame / 60.0);
        sn_world_step(world, 1.0 / 60);
    }
    for (int i = 0; i < 10; ++i) { /* a pause */
        sn_world_step(world, 0);
    }
    assert_true(bones_apart(body, other) == 0);
    sn_body_teleport(body, &away);
    sn_body_teleport(body, &back);
    for (int frame = FRAMES; frame < 2 * FRAMES; ++frame) {
        pose(body, frame / 60.0);
        pose(other, frame / 60.0);
        sn_world_step(world, 1.0 / 60);
        assert_true(bones_apart(body, other) < 1e-4);
    }
    float at_rest[12 * (BONES + MODES)], later[12 * (BONES + MODES)];
    sn_body_reset(body);
    copy_output(body, at_rest);
    for (int frame = 0; frame < FRAMES; ++frame) {
        sn_world_step(world, 1.0 / 60);
        copy_output(body, later);
        assert_true(apart(at_rest, later) < 2e-3);
    }
    sn_world_destroy(world);
}

/* Where calls are whole steps, what is drawn is what the step left: bones do not lag behind their pose. */
static void whole_steps_show_the_last(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false);
    double at[12 * BONES], swung[12 * BONES], moved = 0;
    float shown[12 * (BONES + MODES)];
    sn_springs *springs;
    assert_int_equal(sn_springs_create(&sprung, 1.0 / 60, &springs), SN_OK);
    for (int frame = 0; frame < FRAMES; ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 60.0, bones);
        for (int i = 0; i < 12 * BONES; ++i) {
            at[i] = (double)bones[i / 12].m[i % 12 / 4][i % 4];
        }
        sn_body_set_pose(body, bones, BONES);
        if (frame == 0) {
            sn_body_reset(body);
            sn_springs_reset(springs, at);
        }
        sn_world_step(world, 1.0 / 60);
        assert_true(sn_springs_step(springs, at, NULL, swung));
        copy_output(body, shown);
        for (int i = 0; i < 12 * BONES; ++i) {
            assert_true(fabs((double)shown[i] - swung[i]) < 1e-5);
            moved = fmax(moved, fabs(swung[i] - at[i]));
        }
    }
    assert_true(moved > 0.02);
    sn_springs_destroy(&springs);
    sn_world_destroy(world);
}

/* A pose that springs cannot follow is refused, as flesh's is: the last one stays. */
static void poses_out_of_reach_are_refused(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), other = make(world, false);
    sn_mat3x4 large = {{{1e30F, 0, 0, 0}, {0, 1e30F, 0, 0}, {0, 0, 1e30F, 0}}};
    for (int frame = 0; frame < FRAMES; ++frame) {
        pose(body, frame / 60.0);
        pose(other, frame / 60.0);
        if (frame == FRAMES / 2) {
            sn_body_set_rigid_pose(body, &large);
        }
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, frame == FRAMES / 2);
        assert_true(bones_apart(body, other) == 0);
    }
    sn_world_destroy(world);
}

static void allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false);
    pose(body, 0);
    sn_world_step(world, 1.0 / 60);
    const int before = allocation_count;
    for (int frame = 1; frame < FRAMES; ++frame) {
        pose(body, frame / 60.0);
        sn_world_step(world, 1.0 / 60);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_world_springs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_swing_and_flesh_follows),
        cmocka_unit_test(same_bits_on_threads),
        cmocka_unit_test(same_at_any_frame_rate),
        cmocka_unit_test(pause_teleport_and_reset_do_not_kick),
        cmocka_unit_test(whole_steps_show_the_last),
        cmocka_unit_test(poses_out_of_reach_are_refused),
        cmocka_unit_test(allocates_nothing),
    };
    return cmocka_run_group_tests(tests, load_sprung, unload);
}
