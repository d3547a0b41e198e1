/* SPDX-License-Identifier: MIT */
/* When impulses of a script come: a bar that nothing holds has got as far as its blows drive it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/outline_bar.h"

#define STEP (1.0 / 60)

/* How far up its bone is after so many frames of so many steps. */
static double play(double seconds, double period, int frames, int steps_a_frame)
{
    sn_scene_character character = sn_test_outline_bar();
    character.cook.density = 1;
    sn_scene_body body = sn_default_scene_body();
    body.desc.solver = SN_SOLVER_COUPLED;
    body.locks = 0;
    const sn_scene_impulse impulse = {.copy = -1,
                                      .seconds = seconds,
                                      .period = period,
                                      .bone = "middle",
                                      .impulse = {{{0}, {.constant = 0.01}, {0}}}};
    const sn_scene_script script = {.name = "impulses",
                                    .seconds = 10,
                                    .time_step = STEP,
                                    .characters = &character,
                                    .character_count = 1,
                                    .bodies = &body,
                                    .body_count = 1,
                                    .impulses = &impulse,
                                    .impulse_count = 1};
    sn_scene *scene = sn_test_create_scene(&script);
    for (int frame = 0; frame < frames; ++frame) {
        sn_scene_advance(scene, steps_a_frame * STEP);
    }
    const double height = (double)sn_body_output(sn_scene_body_at(scene, 0)).matrices[0].m[1][3];
    sn_scene_destroy(&scene);
    return height;
}

static void check(double value, double expected)
{
    print_message("%.6g of %.6g\n", value, expected);
    assert_true(fabs(value - expected) <= 0.02 * fabs(expected));
}

static void one_comes_once(void **state)
{
    (void)state;
    const double unit = play(1.0 / 6, 0, 40, 1) / 30; /* a step's way */
    assert_true(unit > 0);
    check(play(0, 0, 30, 1), 30 * unit);
    check(play(0, 0, 10, 3), 30 * unit);
    check(play(0.5, 0, 60, 1), 30 * unit); /* a time that sums of steps meet to their last digits */
    check(play(0.5, 0, 20, 3), 30 * unit);
    assert_true(play(0.5, 0, 30, 1) == 0);
}

static void a_period_comes_again(void **state)
{
    (void)state;
    const double unit = play(0, 0, 30, 1) / 30;
    check(play(0, 1.0 / 6, 31, 1), (31 + 21 + 11 + 1) * unit);
    check(play(1.0 / 12, 1.0 / 6, 30, 1), (25 + 15 + 5) * unit);
    check(play(0, STEP / 2, 10, 1), 2 * 55 * unit); /* twice a step */
}

int test_impulses(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_comes_once), cmocka_unit_test(a_period_comes_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
