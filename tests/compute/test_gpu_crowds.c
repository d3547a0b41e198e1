/* SPDX-License-Identifier: MIT */
/* Bodies on the device that are pushed, many at a time: a body does not see the others, nor how the work is cut up; bad
 * input stays in its bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/reduced/private.h"
#include "tests/support/gpu_colliders.h"

enum { VARIANTS = 7, FRAMES = 5 };

/* What is around a variant: nothing, wind, or some of the colliders, now and then; and impulses. */
static void surround(sn_gpu_reduced *reduced, int body, int variant, int frame)
{
    const sn_model *model = fixtures[variant % FIXTURE_COUNT].model;
    const double point[3] = {0.5, 0.1 * variant, 0};
    const double impulse[3] = {0, 0.1 * model->total_mass, 0.02 * frame * model->total_mass};
    sn_collider colliders[4];
    sn_surroundings around = {.colliders = colliders};
    place_colliders(model, NULL, colliders);
    around.collider_count = variant % 4 == 0 ? 0 : 1 + variant % 4;
    around.wind[2] = variant % 3 == 1 ? 3 : 0;
    sn_gpu_reduced_set_surroundings(reduced, body, frame == 3 && variant == 5 ? NULL : &around);
    for (int i = 0; i < variant % 3; ++i) {
        sn_gpu_reduced_apply_impulse(reduced, body, point, impulse);
    }
}

/* Bodies i have the model, the motion and the surroundings of i % VARIANTS; results (VARIANTS), of the last of each. */
static void run_crowd(sn_gpu_device *device, const sn_gpu_reduced_desc *desc, int first, int count, int frames,
                      body_result *results)
{
    double pose[12 * BONE_LIMIT];
    sn_solver_desc solver = default_desc();
    solver.iteration_limit = frames > 1 ? 9 : 3;
    solver.gravity[1] = -9.81;
    sn_gpu_reduced *reduced = create(device, desc);
    for (int i = 0; i < count; ++i) {
        const int variant = (first + i) % VARIANTS;
        swing(fixtures[variant % FIXTURE_COUNT].model, 0, variant, pose);
        assert_int_equal(add(reduced, variant % FIXTURE_COUNT, &solver, pose), i);
    }
    for (int frame = 0; frame < frames; ++frame) {
        for (int i = 0; i < count; ++i) {
            const int variant = (first + i) % VARIANTS;
            swing(fixtures[variant % FIXTURE_COUNT].model, frame, variant, pose);
            sn_gpu_reduced_set_pose(reduced, i, pose);
            surround(reduced, i, variant, frame);
        }
        run(device, reduced, true, 1);
    }
    for (int i = count > VARIANTS ? count - VARIANTS : 0; i < count; ++i) {
        read_body(reduced, i, &results[(first + i) % VARIANTS]);
    }
    sn_gpu_reduced_destroy(&reduced);
}

static void expect_same(const body_result *a, const body_result *b)
{
    for (int variant = 0; variant < VARIANTS; ++variant) {
        assert_same_bits(&a[variant], &b[variant]);
    }
}

static void test_a_body_does_not_see_the_others(void **state)
{
    static body_result alone[VARIANTS], together[VARIANTS], again[VARIANTS], early[VARIANTS], many[VARIANTS];
    for (int variant = 0; variant < VARIANTS; ++variant) {
        run_crowd(*state, NULL, variant, 1, FRAMES, alone);
    }
    run_crowd(*state, NULL, 0, VARIANTS, FRAMES, together);
    run_crowd(*state, NULL, 0, VARIANTS, FRAMES, again);
    expect_same(alone, together);
    expect_same(alone, again);
    run_crowd(*state, NULL, 0, VARIANTS, 1, early);
    run_crowd(*state, NULL, 0, 1234, 1, many);
    expect_same(early, many);
}

/* How the work is cut up changes nothing. */
static void test_split_and_spilled_steps(void **state)
{
    static body_result whole[VARIANTS], cut[VARIANTS];
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    run_crowd(*state, NULL, 0, VARIANTS, FRAMES, whole);
    desc.dispatch_iterations = 4;
    desc.shared_bytes = 9200; /* as test_gpu_reduced has: software Vulkan compiles its kernels once */
    run_crowd(*state, &desc, 0, VARIANTS, FRAMES, cut);
    expect_same(whole, cut);
}

static void step_paced(sn_gpu_device *device, bool is_timed, body_result *result)
{
    const VkPhysicalDeviceType type = device->properties.deviceType;
    const sn_solver_desc desc = default_desc();
    double pose[12 * BONE_LIMIT];
    sn_gpu_reduced *reduced = create(device, NULL);
    const int body = add(reduced, 0, &desc, NULL);
    if (is_timed) { /* from here on, since software Vulkan has kernels of its own */
        device->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
        assert_int_equal(sn_gpu_pace_create(device, "pace", (uint32_t)reduced->desc.recording_limit, &reduced->pace),
                         SN_OK);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        swing(fixtures[0].model, frame, 0, pose);
        sn_gpu_reduced_set_pose(reduced, body, pose);
        run(device, reduced, true, 1);
    }
    assert_true(!reduced->pace.spans || reduced->pace.loop_seconds > 0);
    print_message("%g seconds per loop iteration\n", reduced->pace.loop_seconds);
    read_body(reduced, body, result);
    sn_gpu_reduced_destroy(&reduced);
    device->properties.deviceType = type;
}

/* A device that is not taken for software times its steps, and cuts them by what it measured. */
static void test_paced_steps(void **state)
{
    static body_result whole, cut;
    sn_gpu_device *device = *state;
    const VkPhysicalDeviceType type = device->properties.deviceType;
    sn_gpu_pace pace;
    step_paced(device, false, &whole);
    step_paced(device, true, &cut);
    assert_same_bits(&whole, &cut);
    device->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    assert_int_equal(sn_gpu_pace_create(device, "pace", 1, &pace), SN_OK);
    assert_int_equal(sn_gpu_pace_loops(&pace, 1), SN_GPU_FIRST_LOOPS);
    if (pace.spans) {
        pace.loop_seconds = 1e-6;
        pace.group_count = 4;
        assert_int_equal(sn_gpu_pace_loops(&pace, 4), 50000);
        assert_int_equal(sn_gpu_pace_loops(&pace, 40), 5000);
        assert_int_equal(sn_gpu_pace_loops(&pace, 4000), SN_GPU_MIN_LOOPS);
        pace.loop_seconds = 1e-12;
        assert_int_equal(sn_gpu_pace_loops(&pace, 4), SN_GPU_MAX_LOOPS);
    }
    sn_gpu_pace_destroy(&pace);
    device->properties.deviceType = type;
}

/* ---- bad input ---- */

static double random_number(uint32_t *state, double scale)
{
    *state = *state * 1664525 + 1013904223;
    return scale * ((double)(*state >> 8) / (1 << 23) - 1);
}

/* Colliders through the flesh, impulses and winds of any strength, poses that jump: what comes out is finite, and
 * within a hundred diagonals. */
static void test_violence(void **state)
{
    double pose[12 * BONE_LIMIT];
    uint32_t random = 1;
    body_result result;
    sn_solver_desc desc = default_desc();
    sn_gpu_reduced *reduced = create(*state, NULL);
    for (int i = 0; i < 2 * FIXTURE_COUNT; ++i) {
        desc.iteration_limit = 8;
        desc.stiffness = i % 2 ? 0 : 1;
        desc.gravity[1] = -10 * i;
        assert_int_equal(add(reduced, i % FIXTURE_COUNT, &desc, NULL), i);
    }
    for (int frame = 0; frame < 12; ++frame) {
        for (int i = 0; i < 2 * FIXTURE_COUNT; ++i) {
            const double strength = pow(10, random_number(&random, 8));
            const double point[3] = {random_number(&random, 3), random_number(&random, 3), random_number(&random, 3)};
            const double impulse[3] = {random_number(&random, strength), frame == 3 ? INFINITY : 0, strength};
            sn_collider colliders[4];
            const sn_surroundings around = {.collider_count =
                                                place_colliders(fixtures[i % FIXTURE_COUNT].model, point, colliders),
                                            .colliders = colliders,
                                            .wind = {random_number(&random, strength), 0, frame == 5 ? NAN : strength}};
            colliders[1].radius *= strength;
            colliders[2].friction = strength;
            move_collider(&colliders[3], strength, strength, 0);
            sn_gpu_reduced_set_surroundings(reduced, i, &around);
            sn_gpu_reduced_apply_impulse(reduced, i, point, impulse);
            swing(fixtures[i % FIXTURE_COUNT].model, 7 * frame, i, pose);
            sn_gpu_reduced_set_pose(reduced, i, pose);
        }
        run(*state, reduced, true, 1);
    }
    for (int i = 0; i < 2 * FIXTURE_COUNT; ++i) {
        read_body(reduced, i, &result);
        for (int k = 0; k < 3 * COORDINATE_LIMIT; ++k) {
            assert_true(isfinite(result.coordinates[k]) && isfinite(result.velocity[k]));
        }
        for (int k = 0; k < 12 * (BONE_LIMIT + MODE_LIMIT); ++k) {
            assert_true(isfinite(result.matrices[k]));
        }
    }
    sn_gpu_reduced_destroy(&reduced);
}

/* Where colliders come and go, and bodies with them, lists are used again. */
static void test_colliders_come_and_go(void **state)
{
    const sn_solver_desc desc = default_desc();
    sn_collider colliders[200];
    body_result results[2];
    sn_gpu_reduced *reduced = create(*state, NULL);
    for (int i = 0; i < 200; ++i) {
        colliders[i] = collider_at(i % 2 ? SN_COLLIDER_SPHERE : SN_COLLIDER_PLANE, 0, -10 - i, 0);
    }
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(add(reduced, 1, &desc, NULL), i);
    }
    const int removed = add(reduced, 1, &desc, NULL);
    for (int frame = 0; frame < 6; ++frame) {
        const sn_surroundings many = {.collider_count = 30 * frame, .colliders = colliders};
        const sn_surroundings few = {.collider_count = 1, .colliders = colliders + frame};
        double pose[12 * BONE_LIMIT];
        swing(fixtures[1].model, frame, 0, pose);
        for (int i = 0; i < 2; ++i) {
            sn_gpu_reduced_set_pose(reduced, i, pose);
        }
        sn_gpu_reduced_set_surroundings(reduced, 0, &many);
        if (frame < 3) {
            sn_gpu_reduced_set_surroundings(reduced, removed, frame == 1 ? &many : &few);
        } else if (frame == 3) {
            sn_gpu_reduced_remove_body(reduced, removed);
        }
        run(*state, reduced, true, 1);
    }
    assert_true(largest(read_body(reduced, 0, &results[0])->coordinates, 3 * COORDINATE_LIMIT) > 0);
    assert_same_bits(&results[0], read_body(reduced, 1, &results[1])); /* nothing is near */
    sn_gpu_reduced_destroy(&reduced);
}

int test_gpu_crowds(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_a_body_does_not_see_the_others),
        SN_TEST_SHARED_GPU(test_split_and_spilled_steps),
        SN_TEST_SHARED_GPU(test_paced_steps),
        SN_TEST_SHARED_GPU(test_violence),
        SN_TEST_SHARED_GPU(test_colliders_come_and_go),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
