/* SPDX-License-Identifier: MIT */
/* Morph targets of a model: names, weights at rest and along clips, expressions, what they do to the surface, damage;
 * and the weights of a body. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/base/hash.h"
#include "sinew/world.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"
#include "tests/support/morph_model.h"

#define CHECKSUM_AT 24
#define BODY_AT 64

typedef struct fixture {
    sn_cook_context cooking;
    uint8_t *bytes;
    size_t size;
    sn_model *model;
} fixture;

static void open_fixture(fixture *f)
{
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *plain = NULL;
    *f = (fixture){.cooking = {.path = NULL}};
    f->cooking.mesh = sn_test_bar(&f->cooking.arena, 4, 2, 2, 0.5);
    desc.mode_count = 3;
    desc.cluster_count = 5;
    assert_int_equal(sn_cook_context_run(&f->cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &plain), SN_OK);
    assert_int_equal(sn_model_morph_count(plain), 0);
    assert_int_equal(sn_model_expression_count(plain), 0);
    const sn_model with = sn_test_morph_model(&f->cooking.arena, plain);
    assert_int_equal(sn_model_write(&with, &f->cooking.arena, &f->bytes, &f->size), SN_OK);
    assert_int_equal(sn_model_load(f->bytes, f->size, &f->model), SN_OK);
    sn_model_release(plain);
    begin_log();
}

static void close_fixture(fixture *f)
{
    sn_set_log(NULL, NULL);
    sn_model_release(f->model);
    sn_cook_context_finish(&f->cooking);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void expect_weights(const float *weights, float first, float second, float third)
{
    const float expected[SN_TEST_MORPHS] = {first, second, third};
    for (int m = 0; m < SN_TEST_MORPHS; ++m) {
        assert_true(fabsf(weights[m] - expected[m]) < 1e-6F);
    }
}

static void test_names_and_weights(void **state)
{
    (void)state;
    fixture f;
    float weights[SN_TEST_MORPHS];
    open_fixture(&f);
    assert_int_equal(sn_model_morph_count(f.model), SN_TEST_MORPHS);
    assert_string_equal(sn_model_morph_name(f.model, 0), "smile");
    assert_string_equal(sn_model_morph_name(f.model, 1), "");
    assert_string_equal(sn_model_morph_name(f.model, 2), "blink");
    assert_null(sn_model_morph_name(f.model, 3));
    assert_null(sn_model_morph_name(f.model, -1));
    sn_model_default_morphs(f.model, weights, SN_TEST_MORPHS);
    expect_weights(weights, 0.5F, 0.25F, 0);
    /* the second has no track: it rests; the clip loops */
    sn_model_clip_morphs(f.model, 0, 0, weights, SN_TEST_MORPHS);
    expect_weights(weights, 1, 0.25F, 0);
    sn_model_clip_morphs(f.model, 0, 0.05, weights, SN_TEST_MORPHS);
    expect_weights(weights, 0.5F, 0.25F, 0.25F);
    sn_model_clip_morphs(f.model, 0, 0.35, weights, SN_TEST_MORPHS);
    expect_weights(weights, 0, 0.25F, 0.75F);
    close_fixture(&f);
}

static void test_expressions_add_up(void **state)
{
    (void)state;
    fixture f;
    float weights[SN_TEST_MORPHS];
    open_fixture(&f);
    assert_int_equal(sn_model_expression_count(f.model), 2);
    assert_string_equal(sn_model_expression_name(f.model, 0), "happy");
    assert_string_equal(sn_model_expression_name(f.model, 1), "wink");
    assert_null(sn_model_expression_name(f.model, 2));
    sn_model_default_morphs(f.model, weights, SN_TEST_MORPHS);
    sn_model_add_expression(f.model, 0, 0.5F, weights, SN_TEST_MORPHS);
    expect_weights(weights, 0.75F, 0.75F, 0);
    sn_model_add_expression(f.model, 1, 0.4F, weights, SN_TEST_MORPHS); /* either there or not */
    expect_weights(weights, 0.75F, 0.75F, 0);
    sn_model_add_expression(f.model, 1, 0.6F, weights, SN_TEST_MORPHS);
    expect_weights(weights, 0.75F, 0.75F, 0.75F);
    close_fixture(&f);
}

/* Smiling eyes: "happy" suppresses the lids, and "wink" is one of them. */
static void test_expressions_suppress_others(void **state)
{
    (void)state;
    static const struct {
        uint8_t blocked, blended, is_binary;
        float happy, wink, effect; /* effect: what is left of the wink */
    } cases[] = {
        {0, 0, 0, 0.5F, 0.5F, 0.5F},                                    /* */
        {SN_EXPRESSION_BLINK, 0, 0, 0.01F, 1, 0},                       /* */
        {SN_EXPRESSION_BLINK, 0, 0, 0, 1, 1},                           /* */
        {0, SN_EXPRESSION_BLINK, 0, 0.25F, 0.8F, 0.6F},                 /* */
        {0, SN_EXPRESSION_BLINK, 1, 0.25F, 0.8F, 0},                    /* all of a binary one, or nothing */
        {0, SN_EXPRESSION_BLINK, 1, 0, 0.8F, 1},                        /* */
        {SN_EXPRESSION_MOUTH | SN_EXPRESSION_LOOK, 0, 0, 1, 0.5F, 0.5F} /* not of its group */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        fixture f;
        open_fixture(&f);
        sn_model copy = *f.model;
        const sn_expression expressions[2] = {
            {.first_bind = 0, .bind_count = 2, .blocked_groups = cases[i].blocked, .blended_groups = cases[i].blended},
            {.first_bind = 2, .bind_count = 1, .is_binary = cases[i].is_binary, .group = SN_EXPRESSION_BLINK}};
        copy.expressions = (sn_expression *)(uintptr_t)expressions;
        float weights[SN_TEST_MORPHS] = {0};
        const float values[2] = {cases[i].happy, cases[i].wink};
        sn_model_add_expressions(&copy, values, weights, SN_TEST_MORPHS);
        expect_weights(weights, 0.5F * cases[i].happy, cases[i].happy, 0.75F * cases[i].effect);
        close_fixture(&f);
    }
}

static void test_surface_moves(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    const sn_surface skin = sn_model_surface(f.model);
    const int n = skin.vertex_count;
    const float weights[SN_TEST_MORPHS] = {1, 0, -2};
    const double bone[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, modes[36] = {0};
    double *rest = SN_NEW(&f.cooking.arena, double, 3 * n), *moved = SN_NEW(&f.cooking.arena, double, 3 * n);
    sn_skin_surface(&skin, bone, modes, NULL, rest, NULL, NULL);
    sn_skin_surface(&skin, bone, modes, weights, moved, NULL, NULL);
    for (int i = 0; i < 3 * n; ++i) {
        const double expected = i % 3 == 1 ? 0.25 * (double)weights[i / 3 % SN_TEST_MORPHS] : 0;
        assert_true(fabs(moved[i] - rest[i] - expected) < 1e-6);
    }
    close_fixture(&f);
}

/* Every array of indices: below and beyond its range, at its start and its end. */
static void test_damage_is_found(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    const sn_model *m = f.model;
    const sn_model_counts *c = &m->counts;
    const struct {
        const void *place;
        int32_t value;
    } damages[] = {
        {&m->morph_starts[0], 1},
        {&m->morph_starts[1], c->morph_delta_count + 1},
        {&m->morph_starts[c->surface_vertex_count], c->morph_delta_count + 1},
        {&m->morph_deltas[0].morph, -1},
        {&m->morph_deltas[c->morph_delta_count - 1].morph, SN_TEST_MORPHS},
        {&m->morph_tracks[0], -1},
        {&m->morph_tracks[1], SN_TEST_MORPHS},
        {&m->expressions[0].first_bind, -1},
        {&m->expressions[1].bind_count, 2},
        {&m->expressions[1].bind_count, INT32_MAX},
        {&m->expression_binds[0].morph, -1},
        {&m->expression_binds[2].morph, SN_TEST_MORPHS},
        {&m->morph_pairs[0].field, -1},
        {&m->morph_pairs[SN_TEST_PAIRS - 1].field, SN_TEST_FIELDS},
        {&m->morph_pairs[0].field, 1}, /* then a field's pairs would not follow each other */
        {&m->morph_pairs[0].bone, -1},
        {&m->morph_pairs[SN_TEST_PAIRS - 1].bone, c->bone_count},
        {m->morph_names, 0x41414100},      /* another name */
        {m->expression_names, 0x00410041}, /* another two */
    };
    uint8_t *copy = SN_NEW(&f.cooking.arena, uint8_t, f.size);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
        sn_model *damaged = NULL;
        memcpy(copy, f.bytes, f.size);
        memcpy(copy + ((const uint8_t *)damages[i].place - f.bytes), &damages[i].value, sizeof(int32_t));
        const uint64_t checksum = sn_hash(SN_HASH_SEED, copy + BODY_AT, f.size - BODY_AT);
        memcpy(copy + CHECKSUM_AT, &checksum, sizeof checksum);
        begin_log();
        assert_int_equal(sn_model_load(copy, f.size, &damaged), SN_ERROR_FORMAT);
        assert_int_equal(logged.errors, 1);
    }
    close_fixture(&f);
}

/* A body starts with the file's weights, keeps what is set over steps, and refuses what is not finite. */
static void test_body(void **state)
{
    (void)state;
    fixture f;
    sn_world_id world;
    sn_body_id body;
    const sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc desc = sn_default_body_desc();
    const float smile[SN_TEST_MORPHS] = {1, 0, 0.5F}, broken[SN_TEST_MORPHS] = {0, NAN, 0};
    open_fixture(&f);
    desc.model = f.model;
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    assert_int_equal(sn_body_output(body).morph_count, SN_TEST_MORPHS);
    expect_weights(sn_body_output(body).morphs, 0.5F, 0.25F, 0);
    sn_body_set_morphs(body, smile, SN_TEST_MORPHS);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    expect_weights(sn_body_output(body).morphs, 1, 0, 0.5F);
    sn_body_set_morphs(body, broken, SN_TEST_MORPHS);
    expect_weights(sn_body_output(body).morphs, 1, 0, 0.5F);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    assert_int_equal(logged.warnings, 1);
    sn_body_reset(body);
    expect_weights(sn_body_output(body).morphs, 1, 0, 0.5F);
    sn_world_destroy(world);
    close_fixture(&f);
}

int test_model_morphs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_weights),
        cmocka_unit_test(test_expressions_add_up),
        cmocka_unit_test(test_expressions_suppress_others),
        cmocka_unit_test(test_surface_moves),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
