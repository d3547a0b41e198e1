/* SPDX-License-Identifier: MIT */
/* Bodies on a device with strain limits, decay rates and relative gravity: against worlds on threads, by the same
 * calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"
#include "tests/support/response.h"

static sn_cook_context flat_cooking;
static sn_model *flat_model, models[TWIN_MODELS + 1];

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
    for (int i = 0; i <= TWIN_MODELS; ++i) {
        const sn_test_response response = {5 * i + 4, 0.04, 3 * i};
        const sn_model *source = i == TWIN_MODELS ? flat_model : twin_models[i];
        models[i] = sn_test_respond(source, &response, &flat_cooking.arena);
        models[i].is_posed = i == 1;
    }
    return 0;
}

static int release_models(void **state)
{
    sn_model_release(flat_model);
    sn_cook_context_finish(&flat_cooking);
    return twin_release_models(state);
}

static void expect_agreement(sn_gpu_device *device, int count, int frames)
{
    twins t = twins_make(device, 2);
    for (int i = 0; i < count; ++i) {
        sn_body_desc desc = twin_desc(&models[i % (TWIN_MODELS + 1)]);
        desc.is_neo_hookean = i % (TWIN_MODELS + 1) != TWIN_MODELS && i % 5 == 4;
        desc.cluster_level = i % 3 == 2;
        desc.has_gravity_at_rest = i % 4 == 3;
        twins_put(&t, t.count++, &desc);
    }
    twins_pose_all(&t, 0);
    twins_reset_all(&t);
    for (int frame = 1; frame < frames; ++frame) {
        twins_pose_all(&t, frame / 60.0);
        twins_step(&t, 1 / 60.0, frame % 3 != 0);
    }
    const double distance = twins_distance(&t);
    print_message("%d bodies: %.1e of the flesh's own movement\n", count, distance);
    assert_true(distance < 1e-4);
    twins_finish(&t);
}

static void test_worlds_agree(void **state)
{
    expect_agreement(*state, 1, 30);
    expect_agreement(*state, 8, 20);
}

int test_gpu_response(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(test_worlds_agree)};
    return cmocka_run_group_tests_name("gpu_response", tests, cook_models, release_models);
}
