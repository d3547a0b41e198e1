/* SPDX-License-Identifier: MIT */
/* Bodies on a device whose flesh rests in the rig's pose: against worlds on threads, by the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

static sn_cook_context flat_cooking, large_cooking;
static sn_model *flat_model, *large_model;

/* As many modes and clusters as large characters have. */
static void cook_large(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 36;
    desc.cluster_count = 100;
    large_cooking.mesh = sn_test_bar(&large_cooking.arena, 16, 3, 3, 0.125);
    sn_test_rig(&large_cooking, 4, 0.125 * 16);
    assert_int_equal(sn_cook_context_run(&large_cooking, "large bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(large_cooking.bytes, large_cooking.size, &large_model), SN_OK);
    large_model->is_posed = 1;
}

static int cook_models(void **state)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 7;
    desc.cluster_count = 20;
    flat_cooking.mesh = sn_test_sheet(&flat_cooking.arena, 12, 4, 0.25, 0);
    sn_test_rig(&flat_cooking, 2, 3);
    assert_int_equal(sn_cook_context_run(&flat_cooking, "sheet", &desc), SN_OK);
    assert_int_equal(sn_model_load(flat_cooking.bytes, flat_cooking.size, &flat_model), SN_OK);
    twin_cook_models(state);
    for (int i = 0; i < TWIN_MODELS; ++i) {
        twin_models[i]->is_posed = 1;
    }
    flat_model->is_posed = 1;
    cook_large();
    return 0;
}

static int release_models(void **state)
{
    sn_model_release(flat_model);
    sn_cook_context_finish(&flat_cooking);
    sn_model_release(large_model);
    sn_cook_context_finish(&large_cooking);
    return twin_release_models(state);
}

/* Body i: of the models in turn; some Neo-Hookean, some at a coarser level of detail. */
static twins make_crowd(sn_gpu_device *device, int count)
{
    twins t = twins_make(device, 2);
    for (int i = 0; i < count; ++i) {
        sn_body_desc desc = twin_desc(i % 4 == 3 ? flat_model : twin_models[i % 4]);
        desc.is_neo_hookean = i % 4 != 3 && i % 5 == 4;
        desc.cluster_level = i % 3 == 2;
        twins_put(&t, t.count++, &desc);
    }
    twins_pose_all(&t, 0);
    twins_reset_all(&t);
    return t;
}

static void expect_agreement(sn_gpu_device *device, int count, int frames)
{
    twins t = make_crowd(device, count);
    for (int frame = 1; frame < frames; ++frame) {
        twins_pose_all(&t, frame / 60.0);
        twins_step(&t, 1 / 60.0, frame % 3 != 0);
    }
    const double distance = twins_distance(&t);
    print_message("%d bodies: %.1e of the flesh's own movement\n", count, distance);
    assert_true(distance < 5e-5);
    twins_finish(&t);
}

static void test_worlds_agree(void **state)
{
    expect_agreement(*state, 1, 40);
    expect_agreement(*state, 7, 40);
    expect_agreement(*state, 17, 12);
}

/* Software Vulkan has turns of loops left for its steps. */
static void test_a_large_model_fits(void **state)
{
    twins t = twins_make(*state, 2);
    const sn_body_desc desc = twin_desc(large_model);
    twins_put(&t, t.count++, &desc);
    twins_pose_all(&t, 0);
    twins_reset_all(&t);
    for (int frame = 1; frame < 4; ++frame) {
        twins_pose_all(&t, frame / 60.0);
        twins_step(&t, 1 / 60.0, true);
    }
    const double distance = twins_distance(&t);
    print_message("a large model: %.1e of the flesh's own movement\n", distance);
    assert_true(distance < 5e-5);
    twins_finish(&t);
}

int test_gpu_posed(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(test_worlds_agree),
                                       SN_TEST_SHARED_GPU(test_a_large_model_fits)};
    return cmocka_run_group_tests(tests, cook_models, release_models);
}
