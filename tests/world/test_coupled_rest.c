/* SPDX-License-Identifier: MIT */
/* Energy and momenta of coupled bodies as they are told, and bodies that sleep at rest until something happens to them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/coupled_bar.h"
#include "tests/world/recorded.h"

static const double middle[3] = {LENGTH / 2, 0.25, 0.25};

/* Falls from rest, of any mass: momentum is force times time, and what falls is a rigid body. */
static void flesh_is_measured(void **state)
{
    (void)state;
    sn_body_desc desc = coupled_desc(cook_ends());
    for (desc.mass = 1; desc.mass < 100; desc.mass *= 40) {
        sn_world_id world = make_world(1);
        sn_body_id body = create_body(world, &desc);
        free_all(body);
        const double blow = 7;
        sn_body_apply_impulse(body, (const double[]){LENGTH, 0.25, 0.5}, (const double[]){0, 0, blow});
        run(world, 1);
        sn_body_motion motion = sn_body_get_motion(body);
        /* about the origin: x * z's blow is about -y */
        assert_true(fabs(motion.momentum[2] - blow) < 1e-3 * blow);
        assert_true(fabs(motion.angular_momentum[1] + LENGTH * blow) < 0.02 * LENGTH * blow);
        assert_true(motion.elastic > 0 && !motion.is_asleep);

        sn_body_reset(body);
        memcpy(desc.gravity, down, sizeof down);
        assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
        motion = sn_body_get_motion(body);
        assert_true(motion.kinetic == 0 && motion.momentum[1] == 0);
        run(world, 30);
        motion = sn_body_get_motion(body);
        const double speed = 10 * 0.5, mass = -motion.momentum[1] / speed;
        assert_true(fabs(mass / (1000 * desc.mass * LENGTH * 0.25) - 1) < 1e-3);
        assert_true(fabs(motion.kinetic / (0.5 * mass * speed * speed) - 1) < 1e-3);
        assert_true(motion.elastic < 1e-6 * motion.kinetic);
        assert_true(fabs(motion.angular_momentum[2] / (middle[0] * motion.momentum[1]) - 1) < 1e-3);
        memset(desc.gravity, 0, sizeof desc.gravity);
        sn_world_destroy(world);
    }
}

/* Steps until it sleeps. */
static void wait_for_sleep(sn_world_id world, sn_body_id body)
{
    int steps = 0;
    while (!sn_body_get_motion(body).is_asleep && steps++ < 1200) {
        run(world, 1);
    }
    if (steps >= 1200) {
        fail_msg("it does not come to rest: its energy is %g", sn_body_get_motion(body).kinetic);
    }
}

enum { PUSH, GRAB, POSE, FREE, HEAVIER, STEEPER, BALL, RESET, WAKE_COUNT };

static void wake(sn_world_id world, sn_body_id body, int how, sn_body_desc *desc)
{
    const sn_grab_desc grab = sn_default_grab_desc();
    sn_collider_desc ball = sn_default_collider_desc();
    sn_collider_id made;
    const sn_mat3x4 pose = turned(0.3, 0);
    switch (how) {
    case PUSH:
        sn_body_apply_impulse(body, (const double[]){LENGTH, 0.25, 0.5}, (const double[]){0, 40, 0});
        return;
    case GRAB:
        sn_body_drag(body, sn_body_grab(body, (const double[]){LENGTH, 0, 0.25}, &grab), (const double[]){2, 1, 0.2});
        return;
    case POSE:
        sn_body_set_bone_pose(body, 0, &pose);
        return;
    case FREE:
        sn_body_set_locks(body, 0, 0);
        return;
    case BALL:
        ball.shape = SN_COLLIDER_SPHERE;
        ball.radius = 0.4;
        ball.transform.m[0][3] = LENGTH;
        assert_int_equal(sn_collider_create(world, &ball, &made), SN_OK);
        return;
    case RESET:
        sn_body_reset(body);
        return;
    default:
        desc->mass *= how == HEAVIER ? 2 : 1;
        desc->gravity[1] *= how == STEEPER ? 3 : 1;
        assert_int_equal(sn_body_set_desc(body, desc), SN_OK);
    }
}

/* Hung up by its head it comes to rest, and then nothing of it changes; whatever happens to it wakes it. */
static void what_rests_sleeps(void **state)
{
    (void)state;
    static double before[3 * 81], after[3 * 81];
    const sn_model *model = cook_ends();
    for (int how = 0; how < WAKE_COUNT; ++how) {
        sn_world_id world = make_world(1);
        sn_body_desc desc = damped_desc(model, 8);
        desc.sleep_speed = 5e-3;
        memcpy(desc.gravity, down, sizeof down);
        sn_body_id body = create_body(world, &desc);
        sn_body_set_locks(body, 1, 0);
        run(world, 5);
        assert_false(sn_body_get_motion(body).is_asleep);
        wait_for_sleep(world, body);
        sn_body_tet_positions(body, before, 81);
        run(world, 60);
        sn_body_tet_positions(body, after, 81);
        assert_memory_equal(before, after, sizeof before);
        assert_true(sn_body_get_motion(body).is_asleep);
        wake(world, body, how, &desc);
        run(world, 6);
        assert_false(sn_body_get_motion(body).is_asleep);
        sn_body_tet_positions(body, after, 81);
        double most = 0;
        for (int i = 0; i < 3 * 81; ++i) {
            most = fmax(most, fabs(after[i] - before[i]));
        }
        if (!(most > 1e-3)) {
            fail_msg("what wakes it the way %d moves it by %g", how, most);
        }
        if (how != FREE) {
            wait_for_sleep(world, body);
        }
        sn_world_destroy(world);
    }
    sn_world_id world = make_world(1);
    sn_body_desc wrong = coupled_desc(model);
    sn_body_id body;
    wrong.sleep_speed = -1;
    assert_int_equal(sn_body_create(world, &wrong, &body), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(logged.last, "sleep speed"));
    sn_world_destroy(world);
}

/* A program may set the parameters in every frame. If they are the same, the body sleeps on, and a recording, which
 * leaves these calls out, replays to the same bits; others wake it, also in the replay. */
static void unchanged_parameters_do_not_wake(void **state)
{
    (void)state;
    recording r = {0};
    sn_recorder *recorder = begin_recording(&r, false);
    sn_world_desc world_desc = sn_default_world_desc();
    sn_world_id world;
    sn_body_desc desc = damped_desc(cook_ends(), 8);
    int steps = 0, awake = 0;
    world_desc.recorder = recorder;
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    desc.sleep_speed = 5e-3;
    memcpy(desc.gravity, down, sizeof down);
    const sn_body_id body = create_body(world, &desc);
    sn_body_set_locks(body, 1, 0);
    for (; !sn_body_get_motion(body).is_asleep && steps < 1200; ++steps) {
        assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
        run(world, 1);
    }
    assert_true(steps > 30 && steps < 1200);
    const size_t size = r.size;
    for (int i = 0; i < 10; ++i, ++steps) {
        desc.name = i % 2 ? "body" : NULL; /* names are of messages only */
        assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
        run(world, 1);
        assert_true(sn_body_get_motion(body).is_asleep);
    }
    const size_t idle_size = r.size - size;
    run(world, 10);
    assert_int_equal(r.size - size, 2 * idle_size); /* steps alone */
    desc.gravity[1] *= 2;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    for (int i = 0; i < 30; ++i) {
        run(world, 1);
        awake += !sn_body_get_motion(body).is_asleep;
    }
    assert_int_equal(awake, 30);
    sn_world_destroy(world);
    end_recording(recorder);
    run_replay(&r, 1, steps + 40);
    free(r.words);
}

/* A grid of nodes at the same distance from solid, around the whole bar. */
static sn_grid *even_grid(float distance)
{
    const float distances[8] = {distance, distance, distance, distance, distance, distance, distance, distance};
    const sn_grid_desc desc = {.counts = {2, 2, 2}, .origin = {-5, -5, -5}, .spacing = 10, .distances = distances};
    sn_grid *grid;
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    return grid;
}

static void another_grid_wakes(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_grid *grids[2] = {even_grid(10), even_grid(8)};
    sn_collider_desc solid = sn_default_collider_desc();
    sn_collider_id collider;
    solid.shape = SN_COLLIDER_GRID;
    solid.grid = grids[0];
    assert_int_equal(sn_collider_create(world, &solid, &collider), SN_OK);
    sn_body_desc desc = damped_desc(cook_ends(), 8);
    desc.sleep_speed = 5e-3;
    memcpy(desc.gravity, down, sizeof down);
    sn_body_id body = create_body(world, &desc);
    sn_body_set_locks(body, 1, 0);
    wait_for_sleep(world, body);
    for (int i = 0; i < 5; ++i) { /* the same description, in every frame */
        assert_int_equal(sn_collider_set_desc(collider, &solid), SN_OK);
        run(world, 1);
        assert_true(sn_body_get_motion(body).is_asleep);
    }
    solid.grid = grids[1];
    assert_int_equal(sn_collider_set_desc(collider, &solid), SN_OK);
    run(world, 1);
    assert_false(sn_body_get_motion(body).is_asleep);
    sn_world_destroy(world);
    sn_grid_destroy(&grids[0]);
    sn_grid_destroy(&grids[1]);
}

int test_coupled_rest(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(flesh_is_measured), COUPLED_TEST(what_rests_sleeps),
                                       COUPLED_TEST(unchanged_parameters_do_not_wake),
                                       COUPLED_TEST(another_grid_wakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
