/* SPDX-License-Identifier: MIT */
/* What a world on a device tells of its bodies' steps, some calls late: what its twin on threads told then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

enum { BODIES = 7, FRAMES = 20, LATE = 2 /* frames in flight */ };

static void put_bodies(twins *t, int iteration_limit, double budget)
{
    for (int i = 0; i < BODIES; ++i) {
        sn_body_desc desc = twin_desc(twin_models[i % TWIN_MODELS]);
        desc.iteration_limit = iteration_limit;
        desc.tolerance = 1e-5;
        desc.budget_seconds = budget;
        twins_put(t, t->count++, &desc);
    }
    twins_pose_all(t, 0);
    twins_reset_all(t);
}

/* As many iterations as the CPU takes, but for what float rounds otherwise. */
static void test_tells_what_the_cpu_does(void **state)
{
    twins t = twins_make(*state, LATE);
    sn_body_step_stats told[BODIES][FRAMES];
    int same_count = 0;
    put_bodies(&t, 400, 0);
    for (int frame = 0; frame < FRAMES; ++frame) {
        twins_run(&t, frame + 1, frame + 2);
        for (int i = 0; i < BODIES; ++i) {
            const sn_body_step_stats guest = sn_body_last_step_stats(t.guests[i]);
            told[i][frame] = sn_body_last_step_stats(t.hosts[i]);
            if (frame < LATE) {
                assert_true(guest.iteration_count == 0 && !guest.is_converged);
                continue;
            }
            const sn_body_step_stats *host = &told[i][frame - LATE];
            assert_true(guest.is_converged && host->is_converged && !guest.is_over_budget);
            assert_true(guest.change <= 1e-5 * (1 + 1e-6) && guest.change > 0);
            assert_in_range(guest.iteration_count, host->iteration_count - 1, host->iteration_count + 1);
            same_count += guest.iteration_count == host->iteration_count;
        }
    }
    assert_true(same_count > BODIES * (FRAMES - LATE) / 2);
    twins_finish(&t);
}

static void test_tells_what_ended_a_step(void **state)
{
    static const struct {
        int limit;
        double budget;
    } cases[] = {{2, 0}, {400, 1e-9}};
    const sn_gpu_device *device = *state;
    for (int c = 0; c < 2; ++c) {
        const bool is_budget = cases[c].budget > 0;
        twins t = twins_make(*state, LATE);
        put_bodies(&t, cases[c].limit, cases[c].budget);
        twins_run(&t, 1, 12);
        for (int i = 0; i < BODIES && (!is_budget || device->timestamp_mask != 0); ++i) {
            const sn_body_step_stats guest = sn_body_last_step_stats(t.guests[i]);
            assert_int_equal(guest.iteration_count, is_budget ? 1 : 2);
            assert_true(!guest.is_converged && guest.change > 1e-5);
            assert_true(guest.is_over_budget == is_budget);
        }
        twins_finish(&t);
    }
}

int test_gpu_effort(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_tells_what_the_cpu_does),
        SN_TEST_SHARED_GPU(test_tells_what_ended_a_step),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
