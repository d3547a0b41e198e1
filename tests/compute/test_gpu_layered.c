/* SPDX-License-Identifier: MIT */
/* Layered bodies on the device against those of the CPU: bit by bit on software Vulkan, whose arithmetic is exact, near
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/base/hash.h"
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
        settings.consolidation_sweep_count = 3;
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

/* Each part of a substep a dispatch, with everything in device memory. */
static void test_parts(void **state)
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.split = SN_GPU_XPBD_SPLIT_ALL;
    leg_fixture f = make_legs(*state, &desc, LEG_LAYERS + 1);
    check_steps(&f, LEG_LAYERS + 1, 1);
    finish_legs(&f);
}

/* A floor that rises, and a ball that comes in from the side. */
static void place_colliders(int step, sn_collider colliders[2])
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.friction = 0.4;
    assert_int_equal(sn_collider_init(&desc, &colliders[0]), SN_OK);
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.1;
    assert_int_equal(sn_collider_init(&desc, &colliders[1]), SN_OK);
    colliders[0].transform_before[7] = -0.43 + 0.01 * step;
    colliders[0].transform[7] = -0.42 + 0.01 * step;
    colliders[1].transform_before[3] = 0.2 - 0.015 * step;
    colliders[1].transform[3] = 0.185 - 0.015 * step;
}

static void test_contacts(void **state)
{
    const sn_layered_settings settings = settings_of(4);
    leg_twins bodies[LEG_COUNT];
    double pose[24];
    int touched = 0;
    (void)state;
    for (int i = 0; i < LEG_COUNT; ++i) {
        bodies[i] = make_leg_twins(&common, i, &settings);
    }
    for (int step = 0; step < 5; ++step) {
        sn_collider colliders[2];
        const sn_surroundings around = {.collider_count = 2, .colliders = colliders};
        place_colliders(step, colliders);
        pose_at(1, pose);
        step_leg_twins(&common, bodies, LEG_COUNT, pose, &around);
        touched += bodies[0].cpu->flesh->contact_count;
    }
    assert_true(touched > 10);
    for (int i = 0; i < LEG_COUNT; ++i) {
        destroy_leg_twins(&common, &bodies[i]);
    }
}

/* As many as no workgroup, or wave, divides. */
static void test_crowds(void **state)
{
    static const int counts[] = {1, 7, 123};
    const sn_layered_settings settings = settings_of(2);
    leg_twins bodies[123];
    double pose[24];
    (void)state;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < counts[round]; ++i) {
            static const int small[] = {LEG_FIBRES, LEG_WEIGHTS, LEG_FREE};
            bodies[i] = make_leg_twins(&common, small[i % 3], &settings);
        }
        for (int step = 0; step < 2; ++step) {
            pose_at(step + 1, pose);
            step_leg_twins(&common, bodies, counts[round], pose, NULL);
        }
        for (int i = 0; i < counts[round]; ++i) {
            destroy_leg_twins(&common, &bodies[i]);
        }
    }
}

/* What is not finite, or far away, puts a body back to where the pose has its flesh, about a middle that is found
 * otherwise than on the CPU; the others go on. */
static void test_recovery(void **state)
{
    leg_fixture near_ones = common;
    const sn_layered_settings settings = settings_of(2);
    leg_twins bodies[LEG_COUNT];
    double pose[24];
    (void)state;
    near_ones.is_near_enough = true;
    for (int i = 0; i < LEG_COUNT; ++i) {
        bodies[i] = make_leg_twins(&common, i, &settings);
    }
    for (int step = 0; step < 4; ++step) {
        const float damages[] = {NAN, 1e9F, NAN, INFINITY, NAN};
        pose_at(step + 1, pose);
        for (int i = step; step < 2 && i < LEG_COUNT; i += 2) {
            float *numbers = bodies[i].cpu->flesh->state.displacements;
            int row = 0;
            while (!(numbers[4 * row + 3] > 0)) {
                ++row;
            }
            numbers[4 * row + 1] = damages[i];
            assert_int_equal(sn_gpu_layered_upload(common.layered, bodies[i].gpu, bodies[i].cpu), SN_OK);
        }
        step_leg_twins(&near_ones, bodies, LEG_COUNT, pose, NULL);
    }
    for (int i = 0; i < LEG_COUNT; ++i) {
        sn_gpu_xpbd_reading reading;
        assert_int_equal(sn_gpu_layered_download(common.layered, bodies[i].gpu, NULL, &reading), SN_OK);
        assert_int_equal(reading.recovery_count, 1);
        destroy_leg_twins(&common, &bodies[i]);
    }
}

/* A pose that is no pose leaves bones where they are; flesh that is still sleeps, and wakes with its bones. */
static void test_refused_poses_and_sleep(void **state)
{
    sn_layered_settings settings = settings_of(1);
    double pose[24];
    (void)state;
    settings.gravity[1] = 0;
    settings.sleep_speed = 0.01;
    leg_twins body = make_leg_twins(&common, LEG_FIBRES, &settings);
    sn_leg_pose(0, 0, 0, pose);
    for (int step = 0; step < 32; ++step) {
        step_leg_twins(&common, &body, 1, pose, NULL);
    }
    sn_gpu_xpbd_reading reading;
    assert_int_equal(sn_gpu_layered_download(common.layered, body.gpu, NULL, &reading), SN_OK);
    assert_true(reading.report.is_asleep);
    pose[7] = NAN;
    step_leg_twins(&common, &body, 1, pose, NULL);
    pose[7] = 0.01;
    step_leg_twins(&common, &body, 1, pose, NULL);
    assert_int_equal(sn_gpu_layered_download(common.layered, body.gpu, NULL, &reading), SN_OK);
    assert_false(reading.report.is_asleep);
    destroy_leg_twins(&common, &body);
}

static uint64_t hash_run(void)
{
    const sn_layered_settings settings = settings_of(3);
    uint64_t hash = SN_HASH_SEED;
    leg_twins bodies[LEG_COUNT];
    for (int i = 0; i < LEG_COUNT; ++i) {
        bodies[i] = make_leg_twins(&common, i, &settings);
    }
    for (int step = 0; step < 3; ++step) {
        double pose[24];
        pose_at(step, pose);
        for (int i = 0; i < LEG_COUNT; ++i) {
            assert_true(sn_gpu_layered_set_pose(common.layered, bodies[i].gpu, pose));
        }
        allocation_count = 0;
        step_legs_on_device(&common);
        assert_true(step == 0 || allocation_count == 0);
    }
    for (int i = 0; i < LEG_COUNT; ++i) {
        assert_int_equal(sn_gpu_layered_download(common.layered, bodies[i].gpu, bodies[i].read, NULL), SN_OK);
        const sn_xpbd_state *s = &bodies[i].read->flesh->state;
        hash = sn_hash(hash, s->displacements, 4 * sizeof(float) * (size_t)s->row_count);
        destroy_leg_twins(&common, &bodies[i]);
    }
    return hash;
}

static void test_same_bits_and_no_allocation(void **state)
{
    (void)state;
    const uint64_t first = hash_run();
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const uint64_t again = hash_run();
    sn_set_allocator(NULL, NULL, NULL);
    assert_true(first == again);
}

int test_gpu_layered(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_refused_poses_and_sleep),
        cmocka_unit_test(test_same_bits_and_no_allocation),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
