/* SPDX-License-Identifier: MIT */
/* Budgets of the reduced solver on the device: what bounds iterations, and recordings that are never submitted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/gpu_reduced.h"
#include "tests/support/poses.h"

/* Once recordings come back a budget that is spent at once leaves one iteration, and one that is never spent, or none,
 * all of them. Bodies that come later need more room. */
static void test_budgets(void **state)
{
    static const double budgets[4] = {0, 1e-9, 1e3, 1e-9};
    sn_gpu_device *device = *state;
    sn_gpu_reduced_desc two = sn_default_gpu_reduced_desc();
    sn_solver_desc desc = default_desc();
    double pose[12 * BONE_LIMIT];
    int counts[4];
    body_result result;
    two.recording_limit = 2;
    desc.tolerance = 0;
    sn_gpu_reduced *reduced = create(device, &two);
    for (int frame = 0; frame < 8; ++frame) {
        const int bodies = frame < 4 ? 2 : 4;
        for (int i = 0; i < bodies; ++i) {
            desc.budget_seconds = budgets[i];
            if (frame % 4 == 0 && (frame == 0 || i > 1)) {
                assert_int_equal(add(reduced, 0, &desc, NULL), i);
            }
            swing(fixtures[0].model, frame, 0, pose);
            sn_gpu_reduced_set_pose(reduced, i, pose);
        }
        run(device, reduced, true, 1);
        assert_int_equal(sn_gpu_reduced_read_iterations(reduced, bodies, counts), SN_OK);
        for (int i = 0; i < bodies; ++i) {
            const sn_gpu_reduced_reading *reading = &read_body(reduced, i, &result)->reading;
            const int count = reading->iteration_count;
            const bool is_short = budgets[i] == 1e-9 && frame > 1 && device->timestamp_mask != 0;
            assert_true(counts[i] == count && (is_short ? count == 1 : count > 1));
            assert_true(reading->is_over_budget == is_short);
        }
    }
    desc.budget_seconds = 0;
    assert_int_equal(sn_gpu_reduced_set_parameters(reduced, 1, &desc), SN_OK);
    run(device, reduced, true, 1);
    assert_true(read_body(reduced, 1, &result)->reading.iteration_count > 1);
    sn_gpu_reduced_destroy(&reduced);
}

/* Flesh that is turned inside out ends steps at kinks of its energy, with iterations left: no budget did that. */
static void test_kinks_are_not_budgets(void **state)
{
    enum { BODIES = 12 };
    sn_gpu_device *device = *state;
    sn_solver_desc desc = default_desc();
    sn_gpu_reduced *reduced = create(device, NULL);
    uint64_t random = 5;
    double pose[12 * BONE_LIMIT];
    body_result result;
    int kinks = 0;
    desc.iteration_limit = 200;
    desc.budget_seconds = 1e3;
    for (int i = 0; i < BODIES; ++i) {
        assert_int_equal(add(reduced, 4, &desc, NULL), i); /* keeps its volume */
    }
    for (int frame = 0; frame < 12; ++frame) {
        for (int i = 0; i < BODIES; ++i) {
            for (int b = 0; b < fixtures[4].model->counts.bone_count; ++b) {
                sn_test_shake(&random, 3, pose + 12 * b);
            }
            sn_gpu_reduced_set_pose(reduced, i, pose);
        }
        run(device, reduced, true, 1);
        for (int i = 0; i < BODIES; ++i) {
            const sn_gpu_reduced_reading *reading = &read_body(reduced, i, &result)->reading;
            kinks += !reading->is_converged && reading->iteration_count < desc.iteration_limit;
            assert_false(reading->is_over_budget);
        }
    }
    print_message("%d steps ended at kinks\n", kinks);
    assert_true(kinks > 0);
    sn_gpu_reduced_destroy(&reduced);
}

/* Steps that are recorded and thrown away, among others that are submitted: nobody waits for them, and what the others
 * said still holds; nor is a place that had none before, or more bodies than before, taken for one that has. */
static void test_recordings_that_are_never_submitted(void **state)
{
    sn_gpu_device *device = *state;
    sn_gpu_reduced_desc two = sn_default_gpu_reduced_desc();
    sn_solver_desc desc = default_desc();
    double pose[12 * BONE_LIMIT];
    body_result result;
    two.recording_limit = 2;
    desc.tolerance = 0;
    desc.budget_seconds = 1e-9;
    sn_gpu_reduced *reduced = create(device, &two);
    assert_int_equal(add(reduced, 0, &desc, NULL), 0);
    alarm(120); /* in place of a wait without end */
    for (int frame = 0; frame < 16; ++frame) {
        const bool is_thrown_away = (frame > 0 && frame < 5) || frame % 4 == 2;
        if (frame == 9) {
            assert_int_equal(add(reduced, 0, &desc, NULL), 1);
        }
        swing(fixtures[0].model, frame, 0, pose);
        sn_gpu_reduced_set_pose(reduced, 0, pose);
        if (is_thrown_away) {
            VkCommandBuffer commands = sn_test_gpu_begin(device);
            sn_gpu_reduced_record_step(reduced, commands, 1);
            sn_gpu_discard(device, commands);
        } else {
            run(device, reduced, true, 1);
            const int count = read_body(reduced, 0, &result)->reading.iteration_count;
            const bool is_short = frame > 0 && device->timestamp_mask != 0; /* the first one was seen */
            assert_true(is_short ? count == 1 : count > 1);
        }
    }
    alarm(0);
    assert_int_equal(result.reading.recovery_count, 0);
    sn_gpu_reduced_destroy(&reduced);
}

int test_gpu_budgets(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_budgets),
        SN_TEST_SHARED_GPU(test_kinks_are_not_budgets),
        SN_TEST_SHARED_GPU(test_recordings_that_are_never_submitted),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
