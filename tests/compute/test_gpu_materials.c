/* SPDX-License-Identifier: MIT */
/* Worlds on a device whose bodies are of several materials and models: against worlds on threads, by the same calls,
 * and bit for bit against themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

#define PUSHED_TOLERANCE 1e-4 /* as contact's on devices is elsewhere */

/* Flesh that keeps its volume, which twin_models is not. */
static sn_cook_context kept_cooking;
static sn_model *kept_model;

static int cook_models(void **state)
{
    static const int cells[3] = {9, 3, 2};
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 7;
    desc.cluster_count = 20;
    desc.poisson = 0.4;
    kept_model = sn_test_cook_bar_as(&kept_cooking, cells, 2, &desc);
    return twin_cook_models(state);
}

static int release_models(void **state)
{
    sn_model_release(kept_model);
    sn_cook_context_finish(&kept_cooking);
    return twin_release_models(state);
}

/* Body i: of four models in turn, each third one co-rotational. */
static twins make_crowd(sn_gpu_device *device, int count, bool is_tight)
{
    twins t = twins_make(device, 2);
    for (int i = 0; i < count; ++i) {
        sn_body_desc desc = twin_desc(i % 4 == 3 ? kept_model : twin_models[i % 4]);
        desc.is_neo_hookean = i % 3 != 2;
        desc.iteration_limit = is_tight ? 400 : 15;
        twins_put(&t, t.count++, &desc);
    }
    twins_pose_all(&t, 0);
    twins_reset_all(&t);
    return t;
}

static void run(twins *t, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        twins_pose_all(t, frame / 60.0);
        twins_step(t, 1 / 60.0, frame % 3 != 0);
    }
}

static void expect_agreement(sn_gpu_device *device, int count, int frames)
{
    twins t = make_crowd(device, count, true);
    run(&t, 1, frames);
    const double distance = twins_distance(&t);
    print_message("%d bodies: %.1e of the flesh's own movement\n", count, distance);
    assert_true(distance < 5e-5);
    twins_finish(&t);
}

static void test_worlds_agree(void **state)
{
    expect_agreement(*state, 1, 40);
    expect_agreement(*state, 7, 40);
    expect_agreement(*state, TWIN_LIMIT - 1, 12);
}

/* The same calls give the same bits. */
static void test_runs_are_the_same(void **state)
{
    static float matrices[2][7][12 * TWIN_MATRICES];
    for (int i = 0; i < 2; ++i) {
        twins t = make_crowd(*state, 7, false);
        run(&t, 1, 20);
        for (int body = 0; body < t.count; ++body) {
            twins_read(&t, body, matrices[i][body]);
        }
        twins_finish(&t);
    }
    assert_memory_equal(matrices[0], matrices[1], sizeof matrices[0]);
}

/* A body's material, in the middle of its way. */
static void test_materials_change(void **state)
{
    twins t = make_crowd(*state, 4, true);
    run(&t, 1, 10);
    for (int i = 0; i < t.count; ++i) {
        sn_body_desc desc = twin_desc(i == 3 ? kept_model : twin_models[i]);
        desc.is_neo_hookean = i % 2 == 1;
        assert_int_equal(sn_body_set_desc(t.hosts[i], &desc), SN_OK);
        assert_int_equal(sn_body_set_desc(t.guests[i], &desc), SN_OK);
    }
    run(&t, 10, 25);
    assert_true(twins_distance(&t) < 5e-5);
    twins_finish(&t);
}

/* On a floor, in a wind, and under blows. */
static void test_what_pushes_flesh(void **state)
{
    const double impulse[3] = {0.01, 0.03, -0.02}, point[3] = {2, 0.1, 0.1};
    twins t = make_crowd(*state, 4, true);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id ids[2];
    floor.transform.m[1][3] = -0.06F;
    assert_int_equal(sn_collider_create(t.host, &floor, &ids[0]), SN_OK);
    assert_int_equal(sn_collider_create(t.guest, &floor, &ids[1]), SN_OK);
    for (int i = 0; i < t.count; ++i) {
        sn_body_desc desc = twin_desc(i == 3 ? kept_model : twin_models[i]);
        desc.is_neo_hookean = true;
        desc.wind[0] = 3;
        assert_int_equal(sn_body_set_desc(t.hosts[i], &desc), SN_OK);
        assert_int_equal(sn_body_set_desc(t.guests[i], &desc), SN_OK);
    }
    for (int frame = 1; frame < 30; ++frame) {
        if (frame % 10 == 0) {
            sn_body_apply_impulse(t.hosts[2], point, impulse);
            sn_body_apply_impulse(t.guests[2], point, impulse);
        }
        run(&t, frame, frame + 1);
    }
    const double distance = twins_distance(&t);
    print_message("pushed: %.1e of the flesh's own movement\n", distance);
    assert_true(distance < PUSHED_TOLERANCE);
    twins_finish(&t);
}

int test_gpu_materials(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_worlds_agree),
        SN_TEST_SHARED_GPU(test_runs_are_the_same),
        SN_TEST_SHARED_GPU(test_materials_change),
        SN_TEST_SHARED_GPU(test_what_pushes_flesh),
    };
    return cmocka_run_group_tests(tests, cook_models, release_models);
}
