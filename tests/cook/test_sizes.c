/* SPDX-License-Identifier: MIT */
/* Sizes: what a cook chooses moves alike at any, and a model has the one that is asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/materials/preset.h"
#include "tests/support/bar.h"

/* The stiffness that is chosen for a bar of this size, as it is. */
static double chosen_stiffness(double scale)
{
    sn_cook_context cooking = {.path = NULL};
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    double factor = 0;
    desc.units = SN_UNITS_KEEP;
    desc.young = SN_PRESET_YOUNG * scale * scale;
    desc.mode_count = 4;
    desc.cluster_count = 10;
    cooking.mesh = sn_test_bar(&cooking.arena, 8, 2, 2, scale);
    assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load_named("bar", cooking.bytes, cooking.size, &model), SN_OK);
    sn_trial *trial = NULL;
    sn_trial_report report;
    assert_int_equal(sn_trial_create(model, 0, &cooking.arena, &trial), SN_OK);
    assert_int_equal(sn_preset_stiffness(model, trial, 2, &factor, &report), SN_OK);
    assert_true(report.displacement > 0 && report.moved <= report.displacement && report.stretch >= 1);
    /* the worst of what is aimed at: met */
    const double seen = fmax(report.moved / 0.03, report.displacement / 0.1), slow = 2 / report.frequency;
    assert_true(fabs(fmax(fmax(seen, slow * slow), report.stretch - 1) - 1) < 0.04);
    const double young = factor * model->young;
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
    return young;
}

static void test_chosen_stiffness_grows_with_the_square_of_the_size(void **state)
{
    (void)state;
    const double one = chosen_stiffness(0.1);
    assert_true(one > 0);
    assert_true(fabs(chosen_stiffness(0.001) / one * 1e4 - 1) < 1e-3);
    assert_true(fabs(chosen_stiffness(100) / one * 1e-6 - 1) < 1e-3);
}

/* A bar of tets whose stiffness nobody said. */
static void test_stuff_of_any_size_sways_alike(void **state)
{
    (void)state;
    const double scales[] = {0.001, 0.1, 0.3, 100};
    for (int i = 0; i < 4; ++i) {
        sn_cook_context cooking = {.path = NULL};
        sn_cook_desc desc = sn_default_cook_desc();
        desc.units = SN_UNITS_KEEP;
        desc.mode_count = 4;
        desc.cluster_count = 10;
        cooking.mesh = sn_test_bar(&cooking.arena, 8, 2, 2, scales[i]);
        assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
        const bool is_about_a_metre = i == 1 || i == 2;
        const double square = is_about_a_metre ? 1 : 72 * scales[i] * scales[i];
        assert_true(fabs(cooking.report.young / (SN_PRESET_YOUNG * square) - 1) < 1e-9);
        sn_cook_context_finish(&cooking);
    }
}

/* A bar of a size that is given. */
static void test_a_model_has_the_size_that_is_asked_for(void **state)
{
    (void)state;
    sn_cook_context cooking = {.path = NULL};
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    desc.size = 10;
    desc.mode_count = 4;
    desc.cluster_count = 10;
    cooking.mesh = sn_test_bar(&cooking.arena, 8, 2, 2, 0.1);
    assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load_named("bar", cooking.bytes, cooking.size, &model), SN_OK);
    assert_true(fabs(model->diagonal - 10) < 1e-9 && fabs(model->scale * sqrt(0.72) - 10) < 1e-9);
    assert_true(fabs(model->young / (100 * SN_PRESET_YOUNG) - 1) < 1e-9);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
    const double refused[] = {-1, 1e-8, 1e-300, 1e8, NAN, INFINITY};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        desc.size = refused[i];
        cooking = (sn_cook_context){.path = NULL};
        cooking.mesh = sn_test_bar(&cooking.arena, 8, 2, 2, 0.1);
        assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_ERROR_ARGUMENT);
        sn_cook_context_finish(&cooking);
    }
}

/* Sizes that are no powers of two: modes and clusters are the same to the bit. */
static void test_a_size_changes_no_choice(void **state)
{
    (void)state;
    const double sizes[] = {1, 0.1, 10};
    sn_cook_context cookings[3];
    sn_model *models[3];
    for (int i = 0; i < 3; ++i) {
        sn_cook_desc desc = sn_default_cook_desc();
        desc.size = sizes[i];
        desc.mode_count = 6;
        desc.cluster_count = 20;
        cookings[i] = (sn_cook_context){.path = NULL};
        cookings[i].mesh = sn_test_bar(&cookings[i].arena, 12, 3, 3, 0.1);
        assert_int_equal(sn_cook_context_run(&cookings[i], "bar", &desc), SN_OK);
        assert_int_equal(sn_model_load_named("bar", cookings[i].bytes, cookings[i].size, &models[i]), SN_OK);
        const sn_model *one = models[0], *m = models[i];
        const size_t n = (size_t)m->counts.vertex_count;
        assert_memory_equal(m->mode_weights, one->mode_weights, n * (size_t)m->counts.mode_count * sizeof(float));
        assert_memory_equal(m->tet_clusters, one->tet_clusters, (size_t)m->counts.tet_count * sizeof(int32_t));
        assert_true(fabs(m->total_mass / one->total_mass / pow(sizes[i], 3) - 1) < 1e-9);
        assert_true(fabs(m->mode_eigenvalues[0] / one->mode_eigenvalues[0] * sizes[i] * sizes[i] - 1) < 1e-9);
    }
    for (int i = 0; i < 3; ++i) {
        sn_model_release(models[i]);
        sn_cook_context_finish(&cookings[i]);
    }
}

int test_sizes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen_stiffness_grows_with_the_square_of_the_size),
        cmocka_unit_test(test_stuff_of_any_size_sways_alike),
        cmocka_unit_test(test_a_model_has_the_size_that_is_asked_for),
        cmocka_unit_test(test_a_size_changes_no_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
