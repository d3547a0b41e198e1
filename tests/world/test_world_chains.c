/* SPDX-License-Identifier: MIT */
/* What worlds do to chains of spring bones: wind, colliders, impulses, and level of detail (test_world_chain_grabs.c
 * has what holds them); all of it on any number of threads, at any frame rate, recorded, and without allocation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/springs/springs.h"
#include "tests/support/count_allocations.h"
#include "tests/world/recorded.h"
#include "tests/world/sprung_chain.h"

enum { BODIES = 4 };

static sn_body_id make_with(sn_world_id world, const double *wind, double area)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = &sprung;
    desc.spring_wind_area = area;
    memcpy(desc.wind, wind, sizeof desc.wind);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

/* The wind of the body's desc; bones that it does not meet are where they are without any. */
static void wind_blows(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const double wind[3] = {0, 0, 6}, calm[3] = {0};
    const sn_body_id blown = make_with(world, wind, 1), not_met = make_with(world, wind, 0),
                     still = make_with(world, calm, 1);
    double a[3], b[3];
    let(world, 3);
    carried(blown, end, a);
    carried(still, end, b);
    assert_true(a[2] > 0.05 && fabs(b[2]) < 1e-3);
    assert_true(bones_apart(not_met, still) == 0);
    sn_world_destroy(world);
}

static sn_collider_id add_floor(sn_world_id world, double height)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id floor;
    desc.transform.m[1][3] = (float)height;
    assert_int_equal(sn_collider_create(world, &desc, &floor), SN_OK);
    return floor;
}

/* Bones of flesh that hangs down come to rest on a floor, and go with it as it is lifted. */
static void floors_hold(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false);
    double tail[3], before[3];
    const double tip[3] = {(double)joints[1].tail[0], (double)joints[1].tail[1], (double)joints[1].tail[2]};
    let(world, 2);
    carried(body, tip, before);
    const sn_collider_id floor = add_floor(world, before[1] + 0.05);
    let(world, 3);
    carried(body, tip, tail);
    assert_true(fabs(tail[1] - before[1] - 0.05) < 1e-3);
    let(world, 0.5);
    carried(body, tip, before);
    assert_true(fabs(tail[0] - before[0]) + fabs(tail[1] - before[1]) + fabs(tail[2] - before[2]) < 1e-5);
    sn_mat3x4 up = {{{1, 0, 0, 0}, {0, 1, 0, (float)tail[1] + 0.05F}, {0, 0, 1, 0}}};
    assert_int_equal(sn_collider_set_transform(floor, &up), SN_OK);
    let(world, 2);
    carried(body, tip, before);
    assert_true(fabs(before[1] - tail[1] - 0.05) < 1e-3);
    sn_world_destroy(world);
}

/* How fast the tip goes to the side, a step after an impulse. */
static double speed_after(double impulse, bool is_of_bone)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false);
    const double tip[3] = {(double)joints[1].tail[0], 0, 0}, way[3] = {0, 0, impulse};
    double hit[3], at[3];
    let(world, 2);
    carried(body, end, hit);
    if (is_of_bone) {
        sn_body_apply_bone_impulse(body, BONES - 1, way);
    } else {
        sn_body_apply_impulse(body, hit, way);
    }
    let(world, 1.0 / 60);
    carried(body, tip, at);
    sn_world_destroy(world);
    return at[2] * 60;
}

/* To the side that it is hit to, in proportion, and as a rod of its mass is: 3 s J / m, less drag's fifth. */
static void impulses_go_their_way(void **state)
{
    (void)state;
    sn_springs *springs;
    assert_int_equal(sn_springs_create(&sprung, 1.0 / 60, &springs), SN_OK);
    const double mass = sn_springs_mass(springs, 1), j = 0.1 * mass;
    const double share = (end[0] - (double)joints[1].head[0]) / (double)(joints[1].tail[0] - joints[1].head[0]);
    const double hit = speed_after(j, false), back = speed_after(-j, false), twice = speed_after(2 * j, false);
    sn_springs_destroy(&springs);
    assert_true(mass > 0 && mass < sprung.total_mass);
    assert_true(hit > 0 && fabs(back + hit) < 0.01 * hit && fabs(twice - 2 * hit) < 0.05 * hit);
    assert_true(fabs(hit - 0.8 * 3 * fmin(share, 1) * j / mass) < 0.1 * hit);
    const double bone = speed_after(j, true);
    assert_true(fabs(bone - 0.8 * 3 * 0.5 * j / mass) < 0.1 * bone);
}

/* ---- level of detail ---- */

/* Off and on they go in a quarter of a second, no faster than they swing anyhow; off they are just the pose. */
static void details_fade(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), off = make(world, true), on = make(world, false);
    float shown[SIZE], last[SIZE];
    double largest = 0, hung = 0;
    let(world, 2);
    hung = bones_apart(on, off);
    assert_true(bones_apart(body, on) == 0 && hung > 0.02);
    for (int round = 0; round < 2; ++round) {
        copy_output(body, last);
        turn(body, round == 0);
        copy_output(body, shown);
        assert_true(apart(shown, last) == 0);
        for (int frame = 0; frame < 30; ++frame) {
            let(world, 1.0 / 60);
            copy_output(body, shown);
            largest = fmax(largest, apart(shown, last));
            memcpy(last, shown, sizeof last);
        }
        assert_true(round == 0 ? bones_apart(body, off) == 0 : bones_apart(body, on) < 1e-4);
    }
    assert_true(largest > 0 && largest < 0.15 * hung); /* of 15 steps, eased */
    sn_world_destroy(world);
}

/* Switched to and fro while they fade: no jump either, at any fraction of a step: the steepest step goes a tenth of the
 * way, and who draws at 144 sees up to half another, the last step itself, where calls end with one. */
static void details_may_change_at_any_time(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make(world, false), off = make(world, true);
    float shown[SIZE], last[SIZE];
    let(world, 1);
    const double hung = bones_apart(body, off);
    copy_output(body, last);
    for (int frame = 0; frame < 240; ++frame) {
        turn(body, frame % 17 < 9);
        sn_world_step(world, 1.0 / 144);
        copy_output(body, shown);
        assert_true(apart(shown, last) < 0.15 * hung);
        memcpy(last, shown, sizeof last);
    }
    sn_world_destroy(world);
}

/* ---- all of it ---- */

/* A frame of everything that there is. */
static void play(sn_world_id world, const sn_body_id *bodies, int frame, double rate)
{
    const double seconds = frame / rate;
    for (int i = 0; i < BODIES; ++i) {
        double point[3];
        pose(bodies[i], seconds + 0.1 * i);
        carried(bodies[i], end, point);
        if (frame == 10) {
            sn_body_apply_impulse(bodies[i], point, (double[3]){0, 1e-3 * sprung.total_mass * i, 0});
            sn_body_apply_bone_impulse(bodies[i], BONES - 2, (double[3]){0, 0, 1e-3 * sprung.total_mass});
        }
        if (frame == 15 && i < 2) {
            const sn_grab_desc desc = sn_default_grab_desc();
            assert_int_equal(sn_body_grab(bodies[i], point, &desc), SN_GRAB_LIMIT);
        }
        if (frame > 15 && i < 2) {
            sn_body_drag(bodies[i], SN_GRAB_LIMIT, (double[3]){0.4, 0.01 * (frame - 15), 0.1});
        }
        if (frame == 35) {
            sn_body_release(bodies[i], SN_GRAB_LIMIT);
            turn(bodies[3], true);
        }
    }
    sn_world_step(world, 1 / rate);
}

static void begin(sn_world_id world, sn_body_id *bodies)
{
    for (int i = 0; i < BODIES; ++i) {
        bodies[i] = make_with(world, (double[3]){1, 0.5 * i, 3}, 1 + 0.5 * i);
    }
    add_floor(world, -0.2);
}

static void run(int workers, float *output)
{
    const sn_world_id world = make_world(workers);
    sn_body_id bodies[BODIES];
    begin(world, bodies);
    for (int frame = 0; frame < 50; ++frame) {
        play(world, bodies, frame, 60);
    }
    for (int i = 0; i < BODIES; ++i) {
        copy_output(bodies[i], output + (size_t)i * SIZE);
    }
    sn_world_destroy(world);
}

static void same_bits_on_threads(void **state)
{
    (void)state;
    static float one[BODIES * SIZE], more[BODIES * SIZE];
    run(1, one);
    for (int workers = 2; workers <= 4; ++workers) {
        run(workers, more);
        assert_memory_equal(one, more, sizeof one);
    }
}

/* The tip in wind above a floor, after two seconds of frames, and the farthest that it went. */
static double run_at(double rate, double *last)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_with(world, (double[3]){0, 0, 8}, 1);
    double farthest = 0;
    add_floor(world, -0.1);
    for (int frame = 1; frame <= (int)(2 * rate + 0.5); ++frame) {
        sn_world_step(world, 1 / rate);
        carried(body, end, last);
        farthest = fmax(farthest, last[2]);
    }
    sn_world_destroy(world);
    return farthest;
}

static void same_at_any_frame_rate(void **state)
{
    (void)state;
    double sixty[3], other[3];
    const double frame_rates[] = {30, 72, 90, 144}, size = run_at(60, sixty);
    assert_true(size > 0.05);
    for (int i = 0; i < 4; ++i) {
        assert_true(fabs(run_at(frame_rates[i], other) - size) < 0.02 * size);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(other[d] - sixty[d]) < 1e-3);
        }
    }
}

static void recordings_hold_it(void **state)
{
    (void)state;
    recording r = {0};
    sn_recorder *recorder = begin_recording(&r, false);
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    sn_body_id bodies[BODIES];
    sn_replay *replay;
    sn_replay_report report = {0};
    desc.recorder = recorder;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    begin(world, bodies);
    for (int frame = 0; frame < 50; ++frame) {
        play(world, bodies, frame, 60);
    }
    sn_world_destroy(world);
    end_recording(recorder);
    assert_int_equal(open_replay(&r, 3, &replay), SN_OK);
    while (!report.is_over) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    assert_int_equal(sn_replay_step_count(replay), 50);
    assert_int_equal(sn_replay_first_difference(replay), -1);
    sn_replay_destroy(&replay);
    free(r.words);
}

static void allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(1);
    sn_body_id bodies[BODIES];
    begin(world, bodies);
    turn(bodies[3], false);
    play(world, bodies, 0, 60);
    const int before = allocation_count;
    for (int frame = 1; frame < 100; ++frame) { /* a grab and its release, one that goes off and comes on again */
        if (frame == 70) {
            turn(bodies[3], false);
        }
        play(world, bodies, frame, 60);
    }
    assert_int_equal(allocation_count, before);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

static void bad_areas_are_refused(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const double areas[] = {-1, 1e7, NAN};
    for (int i = 0; i < 3; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        sn_body_id body;
        desc.model = &sprung;
        desc.spring_wind_area = areas[i];
        begin_log();
        assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
        assert_one_error("body: spring area");
    }
    sn_world_destroy(world);
}

int test_world_chains(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wind_blows),
        cmocka_unit_test(floors_hold),
        cmocka_unit_test(impulses_go_their_way),
        cmocka_unit_test(details_fade),
        cmocka_unit_test(details_may_change_at_any_time),
        cmocka_unit_test(same_bits_on_threads),
        cmocka_unit_test(same_at_any_frame_rate),
        cmocka_unit_test(recordings_hold_it),
        cmocka_unit_test(allocates_nothing),
        cmocka_unit_test(bad_areas_are_refused),
    };
    return cmocka_run_group_tests(tests, load_chain, unload);
}
