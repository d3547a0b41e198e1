/* SPDX-License-Identifier: MIT */
/* Where a world lies in the headset's space, and where a character is put in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/frontends/xr/xr_player.h"

#define PI 3.14159265358979323846

static void check_near(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!(fabs(a[i] - b[i]) < 1e-12)) {
            fail_msg("%d: %.15g is not %.15g", i, a[i], b[i]);
        }
    }
}

static sn_xr_pose turned(double yaw, double x, double y, double z)
{
    return (sn_xr_pose){{0, sin(yaw / 2), 0, cos(yaw / 2)}, {x, y, z}};
}

/* A unit of 2 metres, turned by a quarter: +z of the world is +x of the room. */
static void a_world_is_turned_moved_and_scaled(void **state)
{
    (void)state;
    const sn_xr_placement place = {.anchor = {10, 20, 30}, .position = {1, 0, -1}, .yaw = PI / 2, .metres_per_unit = 2};
    const sn_xr_pose anchor = turned(PI / 2, 1, 0, -1), beside = turned(0, 5, 3, -1);
    const sn_xr_pose world = sn_xr_to_world(&place, &anchor), other = sn_xr_to_world(&place, &beside);
    check_near(world.position, (const double[]){10, 20, 30}, 3);
    check_near(world.orientation, (const double[]){0, 0, 0, 1}, 4);
    check_near(other.position, (const double[]){10, 21.5, 32}, 3);
}

static void points_go_to_a_pose_and_back(void **state)
{
    (void)state;
    const sn_xr_pose pose = {{0.5, -0.5, 0.5, 0.5}, {1, 2, 3}};
    const double point[3] = {-0.3, 0.7, 0.2};
    double there[3], back[3];
    sn_xr_pose_apply(&pose, point, there);
    sn_xr_pose_invert(&pose, there, back);
    check_near(back, point, 3);
    const sn_xr_pose quarter = turned(PI / 2, 0, 0, 0);
    sn_xr_pose_apply(&quarter, (const double[3]){0, 0, 1}, there);
    check_near(there, (const double[]){1, 0, 0}, 3);
}

static void yaw_is_of_the_look_alone(void **state)
{
    (void)state;
    const double yaws[] = {0, 0.4, -2, 3.1};
    for (int i = 0; i < 4; ++i) {
        const sn_xr_pose pose = turned(yaws[i], 1, 2, 3);
        assert_true(fabs(sn_xr_yaw(&pose) - yaws[i]) < 1e-12);
    }
    const sn_xr_pose up = {{sqrt(0.5), 0, 0, sqrt(0.5)}, {0, 0, 0}}; /* straight up */
    assert_true(sn_xr_yaw(&up) == 0);
}

/* Whoever looks at it from +z of the world sees it ahead, on the floor, and is seen by it. */
static void a_character_stands_before_the_head(void **state)
{
    (void)state;
    const sn_placement placement = {
        .anchor = {0.2, -0.5, 0.1}, .has_floor = true, .height = 1, .size = 1, .depth = 0.2, .metres_per_unit = 1.8};
    const sn_xr_pose head = turned(0.7, 0.3, 1.6, -0.4);
    const sn_xr_placement place = sn_xr_player_placement(&placement, 1.8, &head);
    const sn_xr_pose eye = sn_xr_to_world(&place, &head);
    assert_true(place.position[1] == 0);
    assert_true(fabs(eye.position[0] - 0.2) < 1e-12 && eye.position[2] - 0.1 > 0.45);
    assert_true(fabs(eye.position[1] - (-0.5 + 1.6 / 1.8)) < 1e-12);
    check_near(eye.orientation, (const double[]){0, 0, 0, 1}, 4);
    /* a deep one is farther away */
    sn_placement deep = placement;
    deep.depth = 2;
    const sn_xr_placement far = sn_xr_player_placement(&deep, 1.8, &head);
    assert_true(hypot(far.position[0] - head.position[0], far.position[2] - head.position[2]) > 2);
    /* what has no floor floats */
    sn_placement afloat = placement;
    afloat.has_floor = false;
    assert_true(sn_xr_player_placement(&afloat, 1, &head).position[1] > 1);
}

static void it_is_as_large_as_life(void **state)
{
    (void)state;
    sn_placement placement = {.height = 0.8, .size = 1, .metres_per_unit = 1.75};
    assert_true(sn_xr_player_metres_per_unit(&placement, 0) == 1.75); /* as its file has it */
    assert_true(fabs(sn_xr_player_metres_per_unit(&placement, 2) * 0.8 - 2) < 1e-12);
    placement.metres_per_unit = 175; /* a file in centimetres */
    assert_true(fabs(sn_xr_player_metres_per_unit(&placement, 0) - 1.7) < 1e-12);
    placement.metres_per_unit = 0; /* a scene, which has no size of its own */
    assert_true(fabs(sn_xr_player_metres_per_unit(&placement, 0) - 1.5) < 1e-12);
}

int test_xr_place(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_turned_moved_and_scaled),
        cmocka_unit_test(points_go_to_a_pose_and_back),
        cmocka_unit_test(yaw_is_of_the_look_alone),
        cmocka_unit_test(a_character_stands_before_the_head),
        cmocka_unit_test(it_is_as_large_as_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
