/* SPDX-License-Identifier: MIT */
/* Morph targets in the reduced step, against the unreduced one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fullspace/comparison.h"

/* A morph target of a bar, before it is cooked: a displacement of each axis, about a tenth of the bar's size. */
static void add_target(comparison *c)
{
    sn_cook_context *k = &c->cooking;
    k->morph_pair_count = 1;
    k->morph_columns = SN_NEW(&k->arena, double, 3 * k->mesh.vertex_count);
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        const double *x = k->mesh.positions + 3 * v;
        k->morph_columns[3 * v] = 0.1 * sin(4 * x[0] + 3 * x[1] - x[2]);
        k->morph_columns[3 * v + 1] = 0.1 * exp(-2 * x[0] * x[0] - x[1] * x[1] - 3 * x[2]);
        k->morph_columns[3 * v + 2] = 0.1 * cos(3 * x[0] - 2 * x[1] + 4 * x[2]);
    }
}

/* What it adds to the cooked model. */
static void feel_target(comparison *c)
{
    static const float rest = 0;
    static const double share = 1;
    static const sn_morph_pair pair = {0, 0};
    const sn_cook_context *k = &c->cooking;
    c->model->counts.morph_count = c->model->counts.morph_field_count = c->model->counts.morph_pair_count = 1;
    c->model->morph_default_weights = &rest;
    c->model->morph_field_weights = &share;
    c->model->morph_pairs = &pair;
    c->model->morph_cross = k->reduced.morph_cross;
    c->model->morph_mass = k->reduced.morph_mass;
    c->input.morph_columns = k->morph_columns;
    c->input.morph_pairs = &pair;
    c->input.pair_count = c->input.field_count = 1;
}

/* A morph target asks nothing of the modes: all of them feel it as the full space does. */
static void test_all_modes_feel_a_morph_target(void **state)
{
    (void)state;
    comparison c;
    sn_cook_desc desc;
    describe(&c, &(recipe){{4, 4, 4}, 0, 0, SN_LEAK_AUTO}, NULL, &desc);
    add_target(&c);
    desc.mode_count = c.cooking.mesh.vertex_count - 10;
    cook_described(&c, &desc);
    assert_int_equal(c.cooking.constraint.row_count, 10);
    assert_int_equal(c.cooking.reduced.coordinate_count, c.cooking.mesh.vertex_count - 4);
    feel_target(&c);
    const difference found = compare(&c, false, 12, 15);
    assert_true(found.seen > 0.003);
    assert_true(found.most < 1e-8 * found.seen);
    finish(&c);
}

static void test_all_modes_feel_a_morph_target_by_coordinates(void **state)
{
    (void)state;
    comparison c;
    sn_cook_desc desc;
    describe(&c, &(recipe){{4, 4, 4}, 0, 0, SN_LEAK_AUTO}, NULL, &desc);
    add_target(&c);
    desc.complementary = SN_COMPLEMENTARY_COORDINATES;
    desc.mode_count = c.cooking.mesh.vertex_count;
    cook_described(&c, &desc);
    assert_int_equal(c.cooking.report.coordinate_count, c.cooking.mesh.vertex_count - 4);
    feel_target(&c);
    const difference found = compare(&c, false, 12, 15);
    assert_true(found.seen > 0.003);
    assert_true(found.most < 1e-8 * found.seen);
    finish(&c);
}

int test_fullspace_targets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes_feel_a_morph_target),
        cmocka_unit_test(test_all_modes_feel_a_morph_target_by_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
