/* SPDX-License-Identifier: MIT */
/* The player's keys, parameters and orbiting camera, without a window. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/vec3.h"
#include "runtime/input/player_keys.h"
#include "runtime/window/window.h"
#include "tests/render/player_test.h"

/* ---- keys ---- */

static void keys_do_what_the_help_says(void **state)
{
    (void)state;
    static const struct {
        int key;
        sn_player_action action;
    } expected[] = {{SN_KEY_ESCAPE, SN_PLAYER_QUIT},
                    {SN_KEY_F1, SN_PLAYER_HELP},
                    {' ', SN_PLAYER_PAUSE},
                    {'.', SN_PLAYER_STEP},
                    {'r', SN_PLAYER_RESET},
                    {'f', SN_PLAYER_VIEW},
                    {SN_KEY_HOME, SN_PLAYER_VIEW},
                    {'[', SN_PLAYER_PREVIOUS_CLIP},
                    {']', SN_PLAYER_NEXT_CLIP},
                    {'m', SN_PLAYER_SECONDARY},
                    {'e', SN_PLAYER_EXPRESSION},
                    {'v', SN_PLAYER_COMPARE},
                    {'j', SN_PLAYER_FLOOR},
                    {'n', SN_PLAYER_NEXT_BODY},
                    {0, SN_PLAYER_NOTHING},
                    {'d', SN_PLAYER_NOTHING},
                    {0x20ac, SN_PLAYER_NOTHING},
                    {SN_KEY_TAB, SN_PLAYER_PANEL},
                    {'i', SN_PLAYER_EDIT},
                    {'p', SN_PLAYER_TOOL_POINT},
                    {'b', SN_PLAYER_TOOL_BONE},
                    {'c', SN_PLAYER_TOOL_CAGE},
                    {SN_KEY_ENTER, SN_PLAYER_CLOSE_CAGE},
                    {'k', SN_PLAYER_FREE_ALL},
                    {SN_KEY_DELETE, SN_PLAYER_REMOVE},
                    {'o', SN_PLAYER_RECORD},
                    {'g', SN_PLAYER_SHOW_MESH}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        assert_int_equal(sn_player_key_command(expected[i].key, false).action, expected[i].action);
        const bool is_repeating = expected[i].action == SN_PLAYER_STEP;
        assert_int_equal(sn_player_key_command(expected[i].key, true).action,
                         is_repeating ? expected[i].action : SN_PLAYER_NOTHING);
    }
    for (int i = 0; i < 2 * SN_PLAYER_PARAMETER_COUNT; ++i) {
        const sn_player_command command = sn_player_key_command("1234567890-=;',/wqas"[i], i % 3 == 0);
        assert_int_equal(command.action, i % 2 ? SN_PLAYER_INCREASE : SN_PLAYER_DECREASE);
        assert_true((int)command.parameter == i / 2);
    }
    static const struct {
        int key;
        unsigned locks;
    } locks[] = {{'x', SN_LOCK_X}, {'y', SN_LOCK_Y}, {'z', SN_LOCK_Z}, {'t', SN_LOCK_ROTATION}, {'l', SN_LOCK_ALL}};
    for (int i = 0; i < 5; ++i) {
        const sn_player_command command = sn_player_key_command(locks[i].key, false);
        assert_true(command.action == SN_PLAYER_LOCK && command.locks == locks[i].locks);
    }
    int count = 0;
    while (sn_player_help_line(count)) {
        ++count;
    }
    assert_true(count > 0 && !sn_player_help_line(-1));
}

static double press_often(sn_player_parameter parameter, double value, int count, bool is_increase)
{
    for (int k = 0; k < count; ++k) {
        value = sn_player_step_parameter(parameter, value, is_increase);
    }
    return value;
}

static void check_ladder(sn_player_parameter parameter)
{
    double value = press_often(parameter, 1, 5, true);
    check_near(value, exp2(2.5), 1e-12);
    value = press_often(parameter, value, 5, false);
    assert_true(value == 1); /* back to the bit */
    value = press_often(parameter, value, 100, false);
    assert_true(parameter == SN_PLAYER_STIFFNESS ? value > 0 : value == 0);
    const double least = sn_player_step_parameter(parameter, value, true);
    assert_true(least > 0 && sn_player_step_parameter(parameter, least, true) > least);
    value = press_often(parameter, value, 100, true);
    assert_true(value <= 64 && sn_player_step_parameter(parameter, value, true) == value);
    assert_true(sn_player_step_parameter(parameter, 1e9, true) == value); /* given on the command line */
    check_near(sn_player_step_parameter(parameter, 0.7, true), 0.7 * sqrt(2), 1e-12);
}

static void parameters_climb_a_ladder(void **state)
{
    (void)state;
    check_ladder(SN_PLAYER_STIFFNESS);
    check_ladder(SN_PLAYER_DAMPING);
    check_ladder(SN_PLAYER_GRAVITY);
    check_ladder(SN_PLAYER_AMOUNT);
}

/* What is left to the body goes on from the default, and only where it is what is changed. */
static void coupled_parameters_begin_where_the_body_is(void **state)
{
    (void)state;
    static const double directions[2][3] = {{0, -1, 0}, {1, 0, 0}};
    sn_body_desc desc = sn_default_body_desc();
    double value = 0;
    desc.solver = SN_SOLVER_COUPLED;
    desc.substep_count = 0;
    desc.poisson = -0.3;
    assert_true(sn_player_step_desc_parameter(SN_PLAYER_GRAVITY, true, directions, &desc, &value));
    assert_true(desc.substep_count == 0 && desc.poisson == -0.3);
    assert_true(sn_player_step_desc_parameter(SN_PLAYER_SUBSTEPS, true, directions, &desc, &value));
    assert_int_equal(desc.substep_count, sn_default_body_desc().substep_count + 1);
    assert_true(sn_player_step_desc_parameter(SN_PLAYER_POISSON, false, directions, &desc, &value));
    assert_true(value < -0.3 && value > -0.4);
    value = press_often(SN_PLAYER_POISSON, value, 100, false);
    assert_true(value > -1); /* -1 would be the cooked one */
    assert_false(sn_player_step_desc_parameter(SN_PLAYER_AMOUNT, true, directions, &desc, &value));
    assert_string_equal(sn_player_parameter_solver(SN_PLAYER_AMOUNT), "reduced");
    desc.solver = SN_SOLVER_REDUCED;
    assert_true(sn_player_step_desc_parameter(SN_PLAYER_AMOUNT, true, directions, &desc, &value));
    assert_false(sn_player_step_desc_parameter(SN_PLAYER_MASS, true, directions, &desc, &value));
    assert_string_equal(sn_player_parameter_solver(SN_PLAYER_MASS), "coupled");
}

/* ---- the camera ---- */

static double eye_distance(const sn_camera *camera)
{
    return hypot(hypot((double)(camera->eye[0] - camera->target[0]), (double)(camera->eye[1] - camera->target[1])),
                 (double)(camera->eye[2] - camera->target[2]));
}

static void the_orbit_begins_at_the_stage(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    const sn_orbit orbit = sn_orbit_start(&stage);
    sn_render_scene scene;
    sn_stage_scene(&stage, 0, &scene);
    const sn_camera camera = look(&orbit, &stage, 1);
    for (int d = 0; d < 3; ++d) {
        check_near((double)camera.eye[d], (double)scene.camera.eye[d], 1e-5);
        check_near((double)camera.target[d], (double)scene.camera.target[d], 0);
    }
    assert_true(camera.near_distance > 0 && (double)camera.near_distance < 0.1 * stage.distance); /* a collider's way */
    const sn_camera wide = look(&orbit, &stage, 2);
    check_near(eye_distance(&wide), 8, 1e-5);
}

static void drags_turn_and_notches_zoom(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    sn_orbit orbit = sn_orbit_start(&stage);
    sn_orbit_rotate(&orbit, -0.5, 0); /* to the left: the eye goes right */
    check_near(orbit.yaw, 0.6 + PI / 2, 1e-12);
    sn_orbit_rotate(&orbit, 0, 100);
    sn_camera camera = look(&orbit, &stage, 1);
    assert_true(camera.eye[1] > camera.target[1] + 3.9F);
    check_near(eye_distance(&camera), 4, 1e-5);
    sn_orbit_rotate(&orbit, 0, -100);
    camera = look(&orbit, &stage, 1);
    assert_true(camera.eye[1] < camera.target[1] - 3.9F);
    sn_orbit_zoom(&orbit, 3);
    camera = look(&orbit, &stage, 1);
    check_near(eye_distance(&camera), 4 * 0.729, 1e-4);
    sn_orbit_zoom(&orbit, 1e6);
    camera = look(&orbit, &stage, 1);
    assert_true(camera.near_distance > 0 && (double)camera.near_distance < eye_distance(&camera));
    sn_orbit_zoom(&orbit, -1e6);
    camera = look(&orbit, &stage, 1);
    assert_true((double)camera.far_distance > eye_distance(&camera) + stage.radius);
}

/* What lies in the target's plane stays under the pointer: a height of the window is a height of the view. */
static void panning_follows_the_pointer(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    sn_orbit orbit = sn_orbit_start(&stage);
    orbit.pitch = 0;
    const sn_camera before = look(&orbit, &stage, 1);
    sn_orbit_pan(&orbit, &stage, 0.25, -0.5);
    const sn_camera after = look(&orbit, &stage, 1);
    const double height = 8 * tan(sn_stage_vertical_angle() / 2);
    check_near((double)(after.target[1] - before.target[1]), -0.5 * height, 1e-5);
    check_near((double)(after.target[0] - before.target[0]), -0.25 * height * cos(0.6), 1e-5);
    check_near((double)(after.target[2] - before.target[2]), 0.25 * height * sin(0.6), 1e-5);
    check_near(eye_distance(&after), 4, 1e-5);
}

int test_player(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_do_what_the_help_says),  cmocka_unit_test(coupled_parameters_begin_where_the_body_is),
        cmocka_unit_test(parameters_climb_a_ladder),   cmocka_unit_test(the_orbit_begins_at_the_stage),
        cmocka_unit_test(drags_turn_and_notches_zoom), cmocka_unit_test(panning_follows_the_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
