/* SPDX-License-Identifier: MIT */
/* What coupled bodies meet, through the public API: grabs, impulses, wind, colliders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/vec3.h"
#include "host/world/inspect.h"
#include "tests/support/coupled_bar.h"

static void a_grab_pulls_the_rig(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = coupled_desc(cook_ends());
    desc.damping = 5;
    sn_body_id body = create_body(world, &desc);
    free_all(body);
    const double at[3] = {LENGTH, 0.5, 0.5}, to[3] = {LENGTH, 1.5, 0.5};
    const sn_grab_desc grab_desc = sn_default_grab_desc();
    const int grab = sn_body_grab(body, at, &grab_desc);
    assert_true(grab >= 0);
    run(world, 10);
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[1] - 0.25) < 1e-4); /* it holds still until it is dragged */
    sn_body_drag(body, grab, to);
    run(world, 240);
    bone_place(body, 1, place);
    assert_true(place[1] > 0.9);
    sn_body_release(body, grab);
    run(world, 1);
    const double far[3] = {50, 50, 50};
    sn_grab_desc near = grab_desc;
    near.max_distance = 0.1;
    assert_int_equal(sn_body_grab(body, far, &near), -1);
    sn_body_reset(body);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        const double spread[3] = {LENGTH * i / 3, 0, 0};
        assert_int_equal(sn_body_grab(body, spread, &grab_desc), i);
    }
    assert_int_equal(sn_body_grab(body, at, &grab_desc), -1);
    sn_body_reset(body);
    assert_int_equal(sn_body_grab(body, at, &grab_desc), 0);
    sn_world_destroy(world);
}

static void impulses_move_a_free_body(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    const double middle[3] = {LENGTH / 2, 0, 0.25}, up[3] = {0, 500, 0};
    double place[2][3];
    free_all(body);
    sn_body_apply_impulse(body, middle, up);
    run(world, 60);
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    /* 500 kg: a metre a second */
    assert_true(fabs((place[0][1] + place[1][1]) / 2 - 1.25) < 0.15);
    sn_body_reset(body);
    sn_body_apply_bone_impulse(body, 1, up);
    run(world, 6);
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    assert_true(place[1][1] > place[0][1] + 0.05);
    const double bad[3] = {NAN, 0, 0};
    sn_body_apply_impulse(body, bad, up);
    sn_body_apply_impulse(body, middle, bad);
    run(world, 2);
    sn_world_destroy(world);
}

static void wind_carries_a_free_body(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = coupled_desc(cook_ends());
    desc.wind[2] = 20;
    sn_body_id body = create_body(world, &desc);
    free_all(body);
    run(world, 60);
    double place[3];
    bone_place(body, 0, place);
    /* 1/2 rho v^2 A = 240 N on 500 kg for a second */
    assert_true(fabs(place[2] - (0.25 + 0.24)) < 0.08);
    sn_world_destroy(world);
}

/* Wind on twice the mass is wind of half the force: v |v| halves. */
static void wind_moves_mass(void **state)
{
    (void)state;
    double places[2][3];
    for (int i = 0; i < 2; ++i) {
        sn_world_id world = make_world(1);
        sn_body_desc desc = coupled_desc(cook_ends());
        desc.mass = i == 0 ? 0.5 : 1;
        desc.wind[2] = 20;
        sn_body_id body = create_body(world, &desc);
        free_all(body);
        run(world, 30);
        bone_place(body, 0, places[i]);
        sn_world_destroy(world);
    }
    const double ratio = (places[0][2] - 0.25) / (places[1][2] - 0.25);
    assert_true(ratio > 1.9 && ratio < 2.05);
}

static void the_floor_holds(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id id;
    floor.transform.m[1][3] = -0.5F;
    assert_int_equal(sn_collider_create(world, &floor, &id), SN_OK);
    free_all(body);
    run(world, 240);
    double place[3];
    bone_place(body, 0, place);
    assert_true(place[1] > -0.5 && place[1] < 0);
    sn_world_destroy(world);
}

/* A floor that becomes a ball, and goes: the body, which lay on it, hangs around it, and falls. */
static void colliders_change_live(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id collider;
    double place[3];
    free_all(body);
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_OK);
    run(world, 60);
    bone_place(body, 0, place);
    assert_true(fabs(place[1] - 0.25) < 0.05);
    desc.radius = -1;
    assert_int_equal(sn_collider_set_desc(collider, &desc), SN_ERROR_ARGUMENT);
    run(world, 30); /* it stayed */
    bone_place(body, 0, place);
    assert_true(fabs(place[1] - 0.25) < 0.05);
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.5;
    desc.friction = 2;
    desc.transform.m[0][3] = LENGTH / 2;
    desc.transform.m[1][3] = -0.5F;
    desc.transform.m[2][3] = 0.25F;
    assert_int_equal(sn_collider_set_desc(collider, &desc), SN_OK);
    run(world, 25);
    bone_place(body, 0, place);
    assert_true(place[1] > -0.4); /* it falls by .87 where nothing is */
    sn_collider_destroy(collider);
    run(world, 60);
    bone_place(body, 0, place);
    assert_true(place[1] < -4);
    sn_world_destroy(world);
}

/* Without a rig: falls on the floor, is squashed as what is drawn shows, and is itself again. */
static void a_soft_body_needs_no_rig(void **state)
{
    (void)state;
    const sn_cook_soft_body_desc six = {.point_count = 6}, bad = {.point_count = -1};
    sn_cook_desc cook = cook_desc(NULL);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id collider;
    sn_blob blob;
    cook.young = 3e4;
    assert_int_equal(cook_tets(&cook, &blob), SN_OK);
    const sn_model *one = keep(blob);
    assert_int_equal(sn_model_bone_count(one), 1);
    assert_int_equal(sn_cook_soft_body(one, &bad, &blob), SN_ERROR_ARGUMENT);
    assert_int_equal(logged.errors, 1);
    assert_int_equal(sn_cook_soft_body(one, &six, &blob), SN_OK);
    const sn_model *model = keep(blob);
    assert_int_equal(sn_model_bone_count(model), 6);
    for (int jelly = 0; jelly < 2; ++jelly) { /* one free bone moves well, too, and is drawn rigid */
        sn_world_id world = make_world(1);
        sn_body_id body = make_body(world, jelly ? model : one, down);
        floor.transform.m[1][3] = -0.5F;
        assert_int_equal(sn_collider_create(world, &floor, &collider), SN_OK);
        free_all(body);
        double squashed = 0, now = 0;
        for (int step = 0; step < 600; ++step) {
            run(world, 1);
            const sn_body_matrices output = sn_body_output(body);
            now = 0;
            for (int b = 0; b < output.bone_count; ++b) {
                const float(*m)[4] = output.matrices[b].m;
                double square = 0;
                for (int i = 0; i < 9; ++i) {
                    square += (double)m[i / 3][i % 3] * (double)m[i / 3][i % 3];
                }
                now = fmax(now, fabs(square - 3));
            }
            squashed = fmax(squashed, now);
            assert_true(sag_of(body) < 0.5 + 1e-4 && sag_of(body) > -1);
        }
        print_message("%d bones: squashed by %.3f, at last by %.3f\n", jelly ? 6 : 1, squashed, now);
        assert_true(jelly ? squashed > 0.1 && now < 0.5 * squashed : squashed < 1e-5);
        sn_world_destroy(world);
    }
}

/* A ball that flies through where a free body floats: what colliders say that they gave is what the body has. */
static void colliders_tell_what_they_gave(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id ball, far;
    double given[3] = {0, 0, 0}, most = 0;
    free_all(body);
    assert_int_equal(sn_collider_create(world, &desc, &far), SN_OK);
    desc.transform.m[1][3] = -50;
    assert_int_equal(sn_collider_set_desc(far, &desc), SN_OK);
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.5;
    desc.transform.m[0][3] = 1;
    desc.transform.m[1][3] = -1;
    assert_int_equal(sn_collider_create(world, &desc, &ball), SN_OK);
    for (int step = 0; step < 30; ++step) {
        double impulse[3];
        desc.transform.m[1][3] += 0.05F;
        assert_int_equal(sn_collider_set_transform(ball, &desc.transform), SN_OK);
        run(world, 1);
        sn_world_collider_impulse(far, impulse);
        assert_true(sn_length3(impulse) == 0);
        sn_world_collider_impulse(ball, impulse);
        most = fmax(most, sn_length3(impulse));
        const sn_body_motion motion = sn_body_get_motion(body);
        for (int d = 0; d < 3; ++d) {
            given[d] += impulse[d];
            assert_true(fabs(motion.momentum[d] - given[d]) <= 1e-4 * sn_length3(given) + 1e-3);
        }
    }
    assert_true(most > 0 && given[1] > 0);
    sn_collider_destroy(ball);
    run(world, 1);
    sn_world_destroy(world);
}

int test_coupled_pushes(void)
{
    const struct CMUnitTest tests[] = {
        COUPLED_TEST(a_grab_pulls_the_rig),     COUPLED_TEST(impulses_move_a_free_body),
        COUPLED_TEST(wind_carries_a_free_body), COUPLED_TEST(wind_moves_mass),
        COUPLED_TEST(the_floor_holds),          COUPLED_TEST(colliders_change_live),
        COUPLED_TEST(a_soft_body_needs_no_rig), COUPLED_TEST(colliders_tell_what_they_gave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
