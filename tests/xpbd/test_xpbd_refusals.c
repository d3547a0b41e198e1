/* SPDX-License-Identifier: MIT */
/* What models and bodies refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/log.h"
#include "tests/xpbd/xpbd_test.h"

static void refuse(const sn_xpbd_desc *desc)
{
    sn_xpbd_model *model = NULL;
    const size_t before = sn_allocated_bytes();
    begin_log();
    assert_int_equal(sn_xpbd_model_create(desc, &model), SN_ERROR_ARGUMENT);
    assert_true(logged.errors == 1 && model == NULL);
    assert_int_equal(sn_allocated_bytes(), before);
}

/* Each number for a moment what it must not be. */
static void refuse_bad_numbers(sn_xpbd_shape *bar, sn_xpbd_shape *sheet)
{
    struct {
        double *value;
        double bad;
        const sn_xpbd_desc *desc;
    } numbers[] = {
        {&bar->positions[4], NAN, &bar->desc},
        {&bar->positions[4], INFINITY, &bar->desc},
        {&bar->mu[3], 0, &bar->desc},
        {&bar->mu[3], INFINITY, &bar->desc},
        {&bar->mu[3], NAN, &bar->desc},
        {&bar->lambda[3], -1e4, &bar->desc},
        {&bar->lambda[3], NAN, &bar->desc},
        {&bar->density[2], -1, &bar->desc},
        {&bar->density[2], NAN, &bar->desc},
        {&sheet->positions[5], 1, &sheet->desc},
        {&sheet->lambda[0], -1e9, &sheet->desc},
        {&sheet->positions[0], 5, &sheet->desc},
        {&bar->positions[0], 5, &bar->desc},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        const double sound = *numbers[i].value;
        *numbers[i].value = numbers[i].bad;
        refuse(numbers[i].desc);
        *numbers[i].value = sound;
    }
    const int32_t sound = bar->elements[5], bad_vertices[] = {-1, bar->desc.vertex_count, bar->elements[4]};
    for (int i = 0; i < 3; ++i) {
        bar->elements[5] = bad_vertices[i];
        refuse(&bar->desc);
        bar->elements[5] = sound;
    }
}

/* In a description, and where they come one by one. */
static void refuse_bad_constraints(const sn_xpbd_shape *bar, sn_xpbd_model *model)
{
    const sn_xpbd_constraint bad[] = {
        {SN_XPBD_DISTANCE, {0, 0}, 1, false, 0},
        {SN_XPBD_DISTANCE, {0, -1}, 1, false, 0},
        {SN_XPBD_DISTANCE, {0, 1}, 0, false, 0},
        {SN_XPBD_DISTANCE, {0, 1}, NAN, false, 0},
        {SN_XPBD_DISTANCE, {0, 1}, 1, true, NAN},
        {SN_XPBD_BENDING, {0, 1, 2, 2}, 1, false, 0},
        {SN_XPBD_VOLUME, {0, 2, 1, 3}, 1, false, 0},
        {SN_XPBD_TYPE_COUNT, {0, 1, 2, 3}, 1, false, 0},
        {(sn_xpbd_constraint_type)-1, {0, 1, 2, 3}, 1, false, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sn_xpbd_desc desc = bar->desc;
        int32_t number;
        desc.constraints = &bad[i];
        desc.constraint_count = 1;
        refuse(&desc);
        begin_log();
        assert_true(sn_xpbd_model_add(model, &bad[i], &number) == SN_ERROR_ARGUMENT && logged.errors == 1);
    }
}

static void refuse_bad_counts(const sn_xpbd_shape *bar)
{
    sn_xpbd_desc desc = bar->desc;
    desc.vertex_count = 0;
    refuse(&desc);
    desc = bar->desc;
    desc.element_corners = 5;
    refuse(&desc);
    desc = bar->desc;
    desc.element_count = 1; /* vertices without mass */
    refuse(&desc);
    desc.element_count = 0;
    refuse(&desc);
}

static void refuse_bad_settings(sn_xpbd_model *model)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    double *fields[] = {&settings.time_step, &settings.damping, &settings.gravity[2], &settings.sleep_speed};
    for (int i = 0; i < 4; ++i) {
        const double kept = *fields[i];
        *fields[i] = i % 2 ? -1 : NAN;
        begin_log();
        assert_true(sn_xpbd_body_set_settings(body, &settings) == SN_ERROR_ARGUMENT && logged.errors == 1);
        *fields[i] = kept;
    }
    settings.substep_count = 0;
    assert_int_equal(sn_xpbd_body_set_settings(body, &settings), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_xpbd_body_pin(body, 0, 0), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_xpbd_body_pin(body, 0, NAN), SN_ERROR_ARGUMENT);
    sn_xpbd_body_destroy(&body);
}

static void test_bad_models_are_refused(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(2, 1, 1, 0.1), sheet = sn_xpbd_sheet(2, 2, 0.1);
    sn_xpbd_model *model = NULL;
    refuse_bad_numbers(&bar, &sheet);
    assert_int_equal(sn_xpbd_model_create(&bar.desc, &model), SN_OK);
    refuse_bad_constraints(&bar, model);
    refuse_bad_counts(&bar);
    refuse_bad_settings(model);
    sn_set_log(NULL, NULL);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&bar.arena);
    sn_arena_finish(&sheet.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_xpbd_refusals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_models_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
