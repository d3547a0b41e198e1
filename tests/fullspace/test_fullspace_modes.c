/* SPDX-License-Identifier: MIT */
/* The reduced step against the unreduced one: where the modes hold all that the constraint leaves, they are one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fullspace/comparison.h"

/* All w with M D q . w = 0 for monomials q up to the second degree span, times x, y, z and 1, what is orthogonal to
 * { r in span M D q : x r, y r, z r in span M D q }. That is the span of M D x, M D y, M D z and M D, the full space's
 * own constraint, as long as monomials of the third degree are independent where D > 0. The two solvers then have one
 * space and one energy, and not only their minima but their iterates are the same. */
static void test_all_modes_are_the_full_space(void **state)
{
    (void)state;
    const recipe recipes[] = {
        {{4, 4, 4}, 0, 0, SN_LEAK_AUTO}, {{3, 3, 3}, 0, 0, SN_LEAK_NONE}, {{4, 4, 4}, 0, 20, SN_LEAK_AUTO}};
    for (int i = 0; i < 3; ++i) {
        comparison c;
        sn_cook_desc desc;
        cook(&c, &recipes[i], NULL, &desc);
        assert_int_equal(c.cooking.reduced.coordinate_count, c.cooking.mesh.vertex_count - 4);
        const difference found = compare(&c, recipes[i].clusters > 0, 12, 15);
        assert_true(found.seen > 0.003);
        assert_true(found.most < 1e-8 * found.seen);
        finish(&c);
    }
}

/* One end of a bar held, and nothing asked for by its handle. */
static void test_all_modes_of_a_pinned_bar(void **state)
{
    (void)state;
    const int32_t *pins = end_pins();
    for (int clusters = 0; clusters <= 20; clusters += 20) {
        comparison c;
        sn_cook_desc desc;
        describe(&c, &(recipe){{6, 4, 4}, 150, clusters, SN_LEAK_ALL}, NULL, &desc);
        desc.pins = pins;
        desc.pin_count = END_PINS;
        cook_described(&c, &desc);
        assert_int_equal(c.cooking.reduced.coordinate_count, 150);
        const difference found = compare(&c, clusters > 0, 12, 15);
        assert_true(found.seen > 0.01);
        assert_true(found.most < 1e-8 * found.seen);
        for (int i = 0; i < END_PINS; ++i) {
            assert_true(c.u[3 * pins[i]] == 0 && c.u[3 * pins[i] + 1] == 0 && c.u[3 * pins[i] + 2] == 0);
        }
        sn_fullspace_input input;
        assert_int_equal(sn_fullspace_input_from_model(c.model, "bar", &c.cooking.arena, &input), SN_OK);
        assert_memory_equal(input.is_pinned, c.cooking.is_pinned, (size_t)input.mesh.vertex_count);
        finish(&c);
    }
}

/* Stiffness from 1 to 40 from tet to tet, within clusters, too, and density if asked for. */
static void mix(comparison *c, bool has_densities)
{
    sn_cook_context *k = &c->cooking;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        k->tet_stiffness[t] = 1 + 3 * (5 * t % 14);
        k->tet_density[t] = has_densities ? 1 + 0.5 * (t % 5) : 1;
    }
    k->mean_stiffness = 0;
    sn_tet_lumped_mass(&k->mesh, k->volumes, k->tet_density, k->mass);
    assert_int_equal(sn_cook_context_build_reduced(k), SN_OK);
    assert_int_equal(sn_cook_context_assemble(k), SN_OK);
    sn_model_release(c->model);
    assert_int_equal(sn_model_load(k->bytes, k->size, &c->model), SN_OK);
    fill_input(c);
}

/* A bar that spans all its degrees of freedom: clusters or none; held by its handle, or by pins. */
static void cook_spanning(comparison *c, int variant, double poisson, sn_cook_desc *desc)
{
    const bool is_pinned = variant >= 2, is_clustered = variant % 2;
    const recipe bar = is_pinned ? (recipe){{6, 4, 4}, 150, 20 * is_clustered, SN_LEAK_ALL}
                                 : (recipe){{4, 4, 4}, 0, 20 * is_clustered, SN_LEAK_AUTO};
    describe(c, &bar, NULL, desc);
    desc->poisson = poisson;
    desc->pins = is_pinned ? end_pins() : NULL;
    desc->pin_count = is_pinned ? END_PINS : 0;
    cook_described(c, desc);
}

/* All modes span the same whatever the material, so that the two solvers are one for mixed ones, too: densities where
 * nothing is constrained, since the constraint counts mass. */
static void test_all_modes_of_mixed_materials(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; ++variant) {
        comparison c;
        sn_cook_desc desc;
        cook_spanning(&c, variant, 0, &desc);
        mix(&c, variant >= 2);
        const difference found = compare(&c, variant % 2, 12, 15);
        assert_true(found.seen > 0.001);
        assert_true(found.most < 1e-8 * found.seen);
        finish(&c);
    }
}

/* Flesh that keeps its volume: the systems differ, and so do the iterates, but not where they end. */
static void test_all_modes_keep_the_volume(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; ++variant) {
        comparison c;
        sn_cook_desc desc;
        cook_spanning(&c, variant, 0.4, &desc);
        assert_true(c.model->volume_bound > 0);
        const difference found = compare(&c, variant % 2, 6, 600);
        print_message("volume: %.1e of %.1e\n", found.most, found.seen);
        assert_true(found.seen > 0.001);
        assert_true(found.most < 1e-8 * found.seen);
        sn_fullspace_input input; /* as sim has it */
        assert_int_equal(sn_fullspace_input_from_model(c.model, "bar", &c.cooking.arena, &input), SN_OK);
        for (int t = 0; t < input.mesh.tet_count; ++t) {
            assert_true(fabs(input.tet_lame[t] - c.input.tet_lame[t]) <= 1e-6 * c.input.tet_lame[t]);
        }
        finish(&c);
    }
}

/* With the constraint on coordinates all modes are all displacements, of which it leaves the full space whatever the
 * mesh: a thin bar and one that is pinned, too. */
static void test_all_modes_complementary_by_coordinates(void **state)
{
    (void)state;
    const recipe recipes[] = {{{4, 4, 4}, 0, 0, SN_LEAK_AUTO},
                              {{3, 3, 3}, 0, 20, SN_LEAK_NONE},
                              {{4, 2, 2}, 0, 0, SN_LEAK_AUTO},
                              {{6, 4, 4}, 0, 20, SN_LEAK_AUTO}};
    const int ranks[] = {4, 4, 2, 4};
    const int32_t *pins = end_pins();
    for (int i = 0; i < 4; ++i) {
        comparison c;
        sn_cook_desc desc;
        describe(&c, &recipes[i], NULL, &desc);
        desc.complementary = SN_COMPLEMENTARY_COORDINATES;
        desc.pins = pins;
        desc.pin_count = i == 3 ? END_PINS : 0;
        desc.mode_count = c.cooking.mesh.vertex_count - (int)desc.pin_count;
        cook_described(&c, &desc);
        assert_int_equal(c.cooking.constraint.row_count, 0);
        assert_int_equal(c.cooking.report.constrained_coordinate_count, ranks[i]);
        assert_int_equal(c.cooking.report.coordinate_count, desc.mode_count - ranks[i]);
        const difference found = compare(&c, recipes[i].clusters > 0, 12, 15);
        assert_true(found.seen > 0.003);
        assert_true(found.most < 1e-8 * found.seen);
        finish(&c);
    }
}

/* Three vertices with D > 0 on a line: x^2 is independent there, x^3 is not, and the modes lose what the full space
 * keeps. */
static void test_all_modes_of_a_thin_bar_are_less(void **state)
{
    (void)state;
    comparison c;
    sn_cook_desc desc;
    cook(&c, &(recipe){{4, 2, 2}, 0, 0, SN_LEAK_AUTO}, NULL, &desc);
    sn_fullspace_solver *solver = NULL;
    const sn_fullspace_desc full_desc = sn_default_fullspace_desc();
    assert_int_equal(sn_fullspace_solver_create(&c.input, &full_desc, &solver), SN_OK);
    assert_int_equal(sn_fullspace_constraint_rank(solver), 2);
    assert_int_equal(c.cooking.reduced.coordinate_count, c.cooking.mesh.vertex_count - 3);
    sn_fullspace_solver_destroy(&solver);
    finish(&c);
}

/* The paper's section 9.10: the L2 error against the full space with a rotation a tet, over modes and over clusters.
 * After four steps instead of one, since from rest a step turns little. */
static void test_ablation(void **state)
{
    (void)state;
    const recipe recipes[2][4] = {{{{6, 4, 4}, 2, 0, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 8, 0, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 32, 0, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 0, SN_LEAK_AUTO}},
                                  {{{6, 4, 4}, 0, 2, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 12, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 72, SN_LEAK_AUTO},
                                   {{6, 4, 4}, 0, 0, SN_LEAK_AUTO}}};
    for (int series = 0; series < 2; ++series) {
        double before = INFINITY;
        for (int i = 0; i < 4; ++i) {
            comparison c;
            sn_cook_desc desc;
            cook(&c, &recipes[series][i], NULL, &desc);
            const double error = compare(&c, false, 4, 60).l2;
            assert_true(error < 0.85 * before);
            before = error;
            finish(&c);
        }
        assert_true(before < 1e-8);
    }
}

/* What was cooked is what the model says, whatever was painted: filled shares that differ, a leak of the user's own. */
static void test_input_from_a_model(void **state)
{
    (void)state;
    double values[7 * 5 * 5];
    comparison c;
    sn_cook_desc desc;
    sn_fullspace_input input;
    for (int i = 0; i < 7 * 5 * 5; ++i) {
        values[i] = 0.5 + 0.5 * sin(i);
    }
    cook(&c, &(recipe){{6, 4, 4}, 12, 10, SN_LEAK_VALUES}, values, &desc);
    mix(&c, true);
    assert_int_equal(sn_fullspace_input_from_model(c.model, "bar", &c.cooking.arena, &input), SN_OK);
    for (int t = 0; t < input.mesh.tet_count; ++t) {
        assert_true(fabs(input.tet_mu[t] / c.input.tet_mu[t] - 1) < 1e-6);
    }
    for (int v = 0; v < input.mesh.vertex_count; ++v) {
        assert_true(fabs(input.mass[v] / c.input.mass[v] - 1) < 1e-6);
        assert_true(fabs(input.leak[v] - c.input.leak[v]) < 1e-6);
    }
    finish(&c);
}

int test_fullspace_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modes_are_the_full_space),
        cmocka_unit_test(test_all_modes_of_a_pinned_bar),
        cmocka_unit_test(test_all_modes_of_mixed_materials),
        cmocka_unit_test(test_all_modes_keep_the_volume),
        cmocka_unit_test(test_all_modes_complementary_by_coordinates),
        cmocka_unit_test(test_all_modes_of_a_thin_bar_are_less),
        cmocka_unit_test(test_ablation),
        cmocka_unit_test(test_input_from_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
