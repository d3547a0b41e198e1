/* SPDX-License-Identifier: MIT */
/* Layered bodies on the device against those of the CPU: bit by bit on software Vulkan, whose arithmetic is exact, near
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/support/gpu_layered.h"

static leg_fixture common;

static int set_up(void **state)
{
    const int result = sn_test_gpu_set_up(state);
    common = make_legs(*state, NULL, LEG_COUNT);
    return result;
}

static int tear_down(void **state)
{
    finish_legs(&common);
    return sn_test_gpu_tear_down(state);
}

static sn_layered_settings settings_of(int substeps)
{
    sn_layered_settings settings = sn_default_layered_settings();
    settings.substep_count = substeps;
    settings.damping = 2;
    settings.gravity[1] = -9.81;
    return settings;
}

static void pose_at(int step, double *pose)
{
    sn_leg_pose(0.02 * sin(0.7 * step), 0.25 * step, -0.1 * step, pose);
}

/* Steps of all legs: damped along their bones, then sweeps that keep multipliers, then all motion damped; small steps,
 * and the paper's in which layers that are done are heavier. */
static void check_steps(const leg_fixture *f, int count, int steps)
{
    sn_layered_settings settings = settings_of(4);
    leg_twins bodies[LEG_COUNT];
    double pose[24];
    int step = 0;
    for (int i = 0; i < count; ++i) {
        bodies[i] = make_leg_twins(f, i, &settings);
    }
    for (int phase = 0; phase < 3; ++phase) {
        settings.substep_count = phase == 1 ? 1 : 4;
        settings.sweep_count = phase == 1 ? 5 : 1;
        settings.consolidating_count = 3;
        settings.is_rigid_damped = phase == 2;
        for (int i = 0; i < count; ++i) {
            set_leg_twins(f, &bodies[i], &settings);
        }
        for (int until = step + steps; step < until; ++step) {
            pose_at(step + 1, pose);
            step_leg_twins(f, bodies, count, pose, NULL);
        }
    }
    for (int i = 0; i < count; ++i) {
        destroy_leg_twins(f, &bodies[i]);
    }
}

static void test_steps(void **state)
{
    (void)state;
    check_steps(&common, LEG_COUNT, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
