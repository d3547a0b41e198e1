/* SPDX-License-Identifier: MIT */
/* Levels of detail of bodies that step on the device, changed in flight: against worlds on threads, by the same calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/support/gpu_world.h"

#define TOLERANCE 5e-5

typedef struct level {
    int modes, clusters;
} level;

static void set_detail(twins *t, int index, level l)
{
    assert_int_equal(sn_body_set_detail(t->hosts[index], l.modes, l.clusters), SN_OK);
    assert_int_equal(sn_body_set_detail(t->guests[index], l.modes, l.clusters), SN_OK);
}

/* Fewer modes, coarser clusters, both, more again, and no change at all. */
static void test_levels_change_in_flight(void **state)
{
    static const level levels[] = {{3, 0}, {3, 2}, {2, 1}, {4, 0}, {4, 0}, {0, 1}, {1, 99}, {0, 0}, {99, 0}};
    twins t = twins_make_crowd(*state, 7);
    twins_run(&t, 1, 15);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
        char what[64];
        for (int body = 0; body < t.count; ++body) {
            if (body % 3 != 2 || i % 2 == 0) { /* some stay behind */
                set_detail(&t, body, levels[(i + (size_t)body) % (sizeof levels / sizeof *levels)]);
            }
        }
        twins_step(&t, 0, i % 2 == 0); /* drawn at once */
        snprintf(what, sizeof what, "change %d, at once", (int)i);
        twins_expect_same(&t, what, TOLERANCE);
        twins_run(&t, 15 + 6 * (int)i, 21 + 6 * (int)i);
        snprintf(what, sizeof what, "change %d, some calls later", (int)i);
        twins_expect_same(&t, what, TOLERANCE);
    }
    twins_finish(&t);
}

/* A change together with a reset, a teleport, an impulse, and of a body that has not stepped. */
static void test_levels_and_the_rest(void **state)
{
    const sn_mat3x4 move = {{{0, 0, 1, 3}, {0, 1, 0, -2}, {-1, 0, 0, 5}}};
    const double point[3] = {0.5, 0.5, 0.2}, impulse[3] = {0, 30, 10};
    twins t = twins_make_crowd(*state, 4);
    set_detail(&t, 3, (level){2, 1});
    twins_run(&t, 1, 12);
    for (int body = 0; body < 3; ++body) {
        set_detail(&t, body, (level){2 + body, body});
    }
    sn_body_reset(t.hosts[0]);
    sn_body_reset(t.guests[0]);
    sn_body_teleport(t.hosts[1], &move);
    sn_body_teleport(t.guests[1], &move);
    sn_body_apply_impulse(t.hosts[2], point, impulse);
    sn_body_apply_impulse(t.guests[2], point, impulse);
    twins_step(&t, 0, true);
    twins_expect_same(&t, "a change and more", TOLERANCE);
    twins_pose(&t, 0, 0.3);
    twins_pose(&t, 2, 0.3);
    twins_pose(&t, 3, 0.3);
    for (int i = 0; i < 8; ++i) {
        twins_step(&t, 1 / 60.0, i % 2 == 0);
    }
    twins_expect_same(&t, "and some calls later", TOLERANCE);
    twins_finish(&t);
}

/* The place of a body that has gone is taken by one of another level of the same model. */
static void test_places_serve_all_levels(void **state)
{
    twins t = twins_make_crowd(*state, 3);
    twins_run(&t, 1, 10);
    sn_body_desc desc = twin_desc(twin_models[2]);
    desc.mode_count = 4;
    const VkDeviceSize place = sn_body_gpu_output(t.guests[2]).offset;
    twins_remove(&t, 2);
    twins_put(&t, 2, &desc);
    assert_true(sn_body_gpu_output(t.guests[2]).offset == place);
    assert_int_equal(sn_body_gpu_output(t.guests[2]).mode_count, sn_model_mode_count(twin_models[2]));
    twins_run(&t, 10, 20);
    twins_expect_same(&t, "in another's place", TOLERANCE);
    set_detail(&t, 2, (level){0, 0});
    twins_run(&t, 20, 30);
    twins_expect_same(&t, "with all modes", TOLERANCE);
    twins_finish(&t);
}

/* The same bits alone and in a crowd, through changes. */
static void test_same_bits(void **state)
{
    float first[12 * TWIN_MATRICES], again[12 * TWIN_MATRICES];
    for (int pass = 0; pass < 3; ++pass) {
        twins t = twins_make_crowd(*state, pass == 2 ? 6 : 1);
        for (int i = 0; i < 4; ++i) {
            twins_run(&t, 1 + 5 * i, 6 + 5 * i);
            set_detail(&t, 0, (level){i % 3 + 1, i % 2});
        }
        twins_run(&t, 21, 25);
        twins_read(&t, 0, pass == 0 ? first : again);
        const sn_body_gpu_matrices at = sn_body_gpu_output(t.guests[0]);
        if (pass > 0) {
            assert_memory_equal(again, first, 48 * (size_t)(at.bone_count + at.mode_count));
        }
        twins_finish(&t);
    }
}

/* What was prepared while bodies are there neither allocates nor waits when they change to it. */
static void test_prepared_levels(void **state)
{
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    twins t = twins_make_crowd(*state, 2);
    twins_run(&t, 1, 5);
    sn_body_desc desc = twin_desc(twin_models[0]);
    desc.mode_count = 2;
    desc.cluster_level = 1;
    assert_int_equal(sn_world_prepare(t.guest, &desc), SN_OK);
    assert_int_equal(sn_world_prepare(t.host, &desc), SN_OK);
    twins_run(&t, 5, 8);
    twins_expect_same(&t, "beside a level that nobody has", TOLERANCE);
    const int before = allocation_count;
    set_detail(&t, 0, (level){2, 1});
    assert_int_equal(allocation_count, before);
    twins_run(&t, 8, 16);
    twins_expect_same(&t, "a prepared level", TOLERANCE);
    twins_finish(&t);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_gpu_levels(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_levels_change_in_flight), SN_TEST_SHARED_GPU(test_levels_and_the_rest),
        SN_TEST_SHARED_GPU(test_places_serve_all_levels), SN_TEST_SHARED_GPU(test_same_bits),
        SN_TEST_SHARED_GPU(test_prepared_levels),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
