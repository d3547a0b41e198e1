/* SPDX-License-Identifier: MIT */
/* Strain limits and decay rates in the model file: stored, and checked. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/model/model.h"
#include "tests/support/log.h"
#include "tests/support/response.h"

#define MODEL_PATH SN_SOURCE_DIR "/tests/golden/bar.sinew"

static sn_result load_again(const sn_model *model, sn_arena *arena, sn_model **loaded)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_write(model, arena, &bytes, &size), SN_OK);
    return sn_model_load(bytes, size, loaded);
}

static void test_they_are_stored(void **state)
{
    sn_model *model = NULL, *loaded = NULL;
    sn_arena arena = {0};
    (void)state;
    assert_int_equal(sn_model_open(MODEL_PATH, &model), SN_OK);
    const sn_model changed = sn_test_respond(model, &(sn_test_response){15, 0.08, 7}, &arena);
    assert_int_equal(load_again(&changed, &arena, &loaded), SN_OK);
    assert_true(loaded->strain_limit_stiffness == 15 && loaded->cluster_strain_limits[1] == 0.08);
    assert_true(loaded->coordinate_decay[2] == 7);
    assert_true(loaded->coordinate_tangent_stiffness[3] == changed.coordinate_tangent_stiffness[3]);
    sn_model_release(loaded);
    sn_model_release(model);
    sn_arena_finish(&arena);
}

static void test_damage_is_refused(void **state)
{
    const double wrong[] = {-1, NAN, INFINITY};
    sn_model *model = NULL, *loaded = NULL;
    sn_arena arena = {0};
    (void)state;
    assert_int_equal(sn_model_open(MODEL_PATH, &model), SN_OK);
    begin_log();
    for (int i = 0; i < 12; ++i) {
        sn_model changed = sn_test_respond(model, &(sn_test_response){15, 0.08, 7}, &arena);
        const double *const arrays[] = {changed.cluster_strain_limits, changed.coordinate_decay,
                                        changed.coordinate_tangent_stiffness, &changed.strain_limit_stiffness};
        memcpy((void *)(uintptr_t)arrays[i / 3], &wrong[i % 3], sizeof wrong[0]);
        assert_int_equal(load_again(&changed, &arena, &loaded), SN_ERROR_FORMAT);
        assert_non_null(strstr(logged.last_error, "model: invalid strain limits or decay rates; the file is damaged"));
    }
    sn_set_log(NULL, NULL);
    sn_model_release(model);
    sn_arena_finish(&arena);
}

int test_model_response(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_they_are_stored),
                                       cmocka_unit_test(test_damage_is_refused)};
    return cmocka_run_group_tests_name("model_response", tests, NULL, NULL);
}
