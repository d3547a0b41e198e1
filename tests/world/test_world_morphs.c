/* SPDX-License-Identifier: MIT */
/* Weights of morph targets in a world: a part of the pose, which steps see on its way as they do bones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/world.h"
#include "tests/support/flesh.h"
#include "tests/support/morph_model.h"

#define MODES 5

static sn_cook_context cooking;
static sn_model *plain;
static sn_model model;

static int cook(void **state)
{
    static const int cells[3] = {8, 3, 3};
    (void)state;
    plain = sn_test_cook_bar(&cooking, cells, 1, MODES);
    model = sn_test_morph_model(&cooking.arena, plain);
    return 0;
}

static int discard(void **state)
{
    (void)state;
    sn_model_release(plain);
    sn_cook_context_finish(&cooking);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

static sn_body_id make_body(double time_step, sn_world_id *world)
{
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    world_desc.time_step = time_step;
    desc.model = &model;
    assert_int_equal(sn_world_create(&world_desc, world), SN_OK);
    assert_int_equal(sn_body_create(*world, &desc, &body), SN_OK);
    return body;
}

static void modes_of(sn_body_id body, float *modes)
{
    const sn_body_matrices output = sn_body_output(body);
    memcpy(modes, output.matrices + output.bone_count, 12 * MODES * sizeof(float));
}

static double size_of(const float *modes)
{
    double largest = 0;
    for (int i = 0; i < 12 * MODES; ++i) {
        largest = fmax(largest, fabs((double)modes[i]));
    }
    return largest;
}

/* A step of half a call's seconds sees half of the way: the bits are those of a body that is given it. */
static void test_steps_see_weights_on_their_way(void **state)
{
    (void)state;
    sn_world_id world;
    const double h = 1.0 / 128;
    const sn_body_id body = make_body(h, &world);
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = h;
    desc.tolerance = sn_default_body_desc().tolerance;
    sn_flesh twin = sn_flesh_make(&model, &desc, NULL);
    float before[SN_TEST_MORPHS], modes[12 * MODES];
    double expected[12 * MODES];
    sn_model_default_morphs(&model, before, SN_TEST_MORPHS);
    for (int call = 1; call <= 12; ++call) {
        const float share = (float)(call < 4 ? call : 4) / 4;
        const float now[SN_TEST_MORPHS] = {0.5F + share, 0.25F, -share};
        sn_body_set_morphs(body, now, SN_TEST_MORPHS);
        assert_int_equal(sn_world_step(world, 2 * h).step_count, 2);
        for (int step = 1; step <= 2; ++step) {
            float between[SN_TEST_MORPHS];
            for (int m = 0; m < SN_TEST_MORPHS; ++m) {
                between[m] = (float)((double)before[m] + 0.5 * step * ((double)now[m] - (double)before[m]));
            }
            sn_reduced_body_set_morphs(twin.body, between);
            sn_reduced_body_step(twin.body, twin.pose, NULL);
        }
        memcpy(before, now, sizeof before);
        modes_of(body, modes);
        sn_reduced_body_interpolated_transforms(twin.body, 0, 1, expected); /* no time is left over */
        for (int i = 0; i < 12 * MODES; ++i) {
            assert_true(modes[i] == (float)expected[i]);
        }
    }
    assert_true(size_of(modes) > 1e-4);
    sn_flesh_finish(&twin);
    sn_world_destroy(world);
}

/* Where a body begins in other weights, a reset takes them on; else they shake it. */
static void test_reset_takes_weights_on(void **state)
{
    (void)state;
    const float smile[SN_TEST_MORPHS] = {2, 0, 1};
    for (int is_reset = 0; is_reset < 2; ++is_reset) {
        sn_world_id world;
        const sn_body_id body = make_body(1.0 / 60, &world);
        float modes[12 * MODES];
        sn_body_set_morphs(body, smile, SN_TEST_MORPHS);
        if (is_reset) {
            sn_body_reset(body);
        }
        for (int frame = 0; frame < 5; ++frame) {
            sn_world_step(world, 1.0 / 60);
        }
        modes_of(body, modes);
        assert_true(is_reset ? size_of(modes) < 1e-5 : size_of(modes) > 1e-3);
        sn_world_destroy(world);
    }
}

/* Refused weights leave the last ones, as refused poses do. */
static void test_bad_weights_shake_nothing(void **state)
{
    (void)state;
    sn_world_id world;
    const sn_body_id body = make_body(1.0 / 60, &world);
    const float broken[SN_TEST_MORPHS] = {0, INFINITY, 0};
    float modes[12 * MODES];
    sn_body_set_morphs(body, broken, SN_TEST_MORPHS);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    for (int frame = 0; frame < 5; ++frame) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
    modes_of(body, modes);
    assert_true(size_of(modes) < 1e-5);
    sn_world_destroy(world);
}

int test_world_morphs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_see_weights_on_their_way),
        cmocka_unit_test(test_reset_takes_weights_on),
        cmocka_unit_test(test_bad_weights_shake_nothing),
    };
    return cmocka_run_group_tests(tests, cook, discard);
}
