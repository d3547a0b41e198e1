/* SPDX-License-Identifier: MIT */
/* Wind, impulses and grabs of a world. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/world/soft_bodies.h"

static void test_wind_changes_in_flight(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_body_desc desc = soft(0);
    const sn_body_id body = make_body(world, 0);
    desc.wind[2] = 3;
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) < 1e-6);
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    for (int i = 0; i < 10; ++i) {
        sn_world_step(world, 1.0 / 60);
    }
    assert_true(size_of_modes(body) > 1e-4);
    desc.wind[2] = NAN;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static void test_impulses(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0), other = make_body(world, 0);
    const double point[3] = {0.47, 0.118, 0.1}, impulse[3] = {0, 0, 3}, broken[3] = {0, NAN, 0};
    sn_body_apply_impulse(body, point, broken);
    sn_body_apply_impulse(body, broken, impulse);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) < 1e-6);
    sn_body_apply_impulse(body, point, impulse);
    sn_world_step(world, 1.0 / 60);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) > 1e-4 && size_of_modes(other) < 1e-6);
    sn_world_destroy(world);
}

static void test_bone_impulses(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0), other = make_body(world, 0);
    sn_body_apply_bone_impulse(body, 2, (const double[]){NAN, 0, 0});
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) < 1e-6);
    sn_body_apply_bone_impulse(body, 2, (const double[]){0, 0, 3});
    sn_world_step(world, 1.0 / 60);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) > 1e-4 && size_of_modes(other) < 1e-6);
    sn_world_destroy(world);
}

static void test_grabs(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_body(world, 0), other = make_body(world, 0);
    const double point[3] = {0.47, 0.118, 0.1}, target[3] = {0.47, 0.2, 0.1}, broken[3] = {0, NAN, 0};
    sn_grab_desc desc = sn_default_grab_desc();
    double *const numbers[] = {&desc.max_distance, &desc.softness, &desc.damping_ratio, &desc.strength};
    const double bad[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 12; ++i) {
        const double kept = *numbers[i / 3];
        *numbers[i / 3] = bad[i % 3];
        if (i != 2) { /* no limit of the reach */
            assert_int_equal(sn_body_grab(body, point, &desc), -1);
        }
        *numbers[i / 3] = kept;
    }
    assert_int_equal(sn_body_grab(body, broken, &desc), -1);
    desc.max_distance = 0.1;
    assert_int_equal(sn_body_grab(body, (const double[]){3, 0, 0}, &desc), -1);
    const int grab = sn_body_grab(body, point, &desc);
    assert_int_equal(grab, 0);
    sn_body_drag(body, grab, broken);
    sn_world_step(world, 1.0 / 60);
    assert_true(size_of_modes(body) < 1e-5);
    sn_body_drag(body, grab, target);
    for (int i = 0; i < 60; ++i) {
        sn_world_step(world, 1.0 / 60);
    }
    assert_true(size_of_modes(body) > 1e-3 && size_of_modes(other) < 1e-6);
    sn_body_release(body, grab);
    for (int i = 0; i < 600; ++i) {
        sn_world_step(world, 1.0 / 60);
    }
    assert_true(size_of_modes(body) < 1e-5);
    sn_world_destroy(world);
}

int test_pushes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wind_changes_in_flight),
        cmocka_unit_test(test_impulses),
        cmocka_unit_test(test_bone_impulses),
        cmocka_unit_test(test_grabs),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
