/* SPDX-License-Identifier: MIT */
/* Poisson's ratio: what the step keeps with the volumetric term. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/volume_test.h"

/* The double reference's gradient vanishes where it ends, and the float step ends there too. */
static void test_steps_reach_the_minimum(void **state)
{
    (void)state;
    fixture f, g;
    sn_reduced_desc desc = default_desc();
    double start_gradient[SIZE], gradient[SIZE];
    const double zero[SIZE] = {0};
    desc.iteration_limit = 300;
    desc.tolerance = 1e-6;
    start(&f, 0.45, &desc);
    desc.is_double = true;
    desc.iteration_limit = 20000;
    desc.tolerance = 1e-13;
    start(&g, 0.45, &desc);
    stretch(&g, 0.1);
    sn_reduced_body_objective(g.flesh.body, g.flesh.pose, zero, start_gradient);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(g.flesh.solver, NULL, &twin), SN_OK);
    settle(&g, 1);
    const double *z = sn_reduced_body_coordinates(g.flesh.body);
    const int size = 3 * g.model->counts.coordinate_count;
    sn_reduced_body_objective(twin, g.flesh.pose, z, gradient);
    assert_true(largest(gradient, size) < 1e-8 * largest(start_gradient, size));
    stretch(&f, 0.1);
    settle(&f, 1);
    double square = 0;
    for (int i = 0; i < size; i += 3) {
        const double *own = f.flesh.body->coordinates + i;
        square += sn_reduced_squared_bound(f.model, i / 3, own[0] - z[i], own[1] - z[i + 1], own[2] - z[i + 2]);
    }
    assert_true(sqrt(square) < 1e-4);
    sn_reduced_body_destroy(&twin);
    stop(&f);
    stop(&g);
}

/* The energy of the point that is kept, over the iterations of every step of a violent rig: steps from one state with
 * one iteration more each. */
static void test_energy_never_rises_within_a_step(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = default_desc();
    desc.tolerance = 0;
    start(&f, 0.45, &desc);
    sn_reduced_solver *solvers[20] = {NULL};
    sn_reduced_body *twin = NULL;
    const size_t z = (size_t)(3 * f.model->counts.coordinate_count) * sizeof(double), p = 24 * sizeof(double);
    assert_int_equal(sn_reduced_body_create(f.flesh.solver, NULL, &twin), SN_OK);
    for (int i = 0; i < 20; ++i) {
        desc.iteration_limit = i + 1;
        assert_int_equal(sn_reduced_solver_create(f.model, &desc, &solvers[i]), SN_OK);
    }
    for (int frame = 0; frame < 30; ++frame) {
        double before = INFINITY;
        twist(&f, frame);
        for (int i = 0; i < 20; ++i) {
            memcpy(twin->coordinates, f.flesh.body->coordinates, z);
            memcpy(twin->coordinates_before, f.flesh.body->coordinates_before, z);
            memcpy(twin->rig, f.flesh.body->rig, p);
            memcpy(twin->rig_before, f.flesh.body->rig_before, p);
            sn_reduced_body_set_solver(twin, solvers[i]);
            assert_false(sn_reduced_body_step(twin, f.flesh.pose, NULL).is_recovered);
            assert_true(twin->f32.accepted_energy <= before + twin->f32.energy_noise);
            before = twin->f32.accepted_energy;
        }
        settle(&f, 1);
    }
    sn_reduced_body_destroy(&twin);
    for (int i = 0; i < 20; ++i) {
        sn_reduced_solver_destroy(&solvers[i]);
    }
    stop(&f);
}

/* After a violent rig has come to rest, energy only leaves, at small steps and large, in soft flesh and stiff. */
static void test_steps_are_stable(void **state)
{
    (void)state;
    const double steps[] = {1.0 / 30, 1.0 / 60, 1.0 / 144}, stiffnesses[] = {0.1, 1, 100};
    fixture f;
    sn_reduced_desc desc = default_desc();
    start(&f, 0.45, &desc);
    for (int run = 0; run < 18; ++run) {
        sn_flesh_finish(&f.flesh);
        desc = default_desc();
        desc.time_step = steps[run % 3];
        desc.stiffness = stiffnesses[run / 3 % 3];
        desc.is_unaccelerated = run >= 9;
        f.flesh = sn_flesh_make(f.model, &desc, NULL);
        for (int frame = 0; frame < 60; ++frame) {
            twist(&f, frame);
            settle(&f, 1);
        }
        stretch(&f, 0);
        settle(&f, 2);
        const double first = sn_flesh_energy(&f.flesh);
        double before = first;
        for (int frame = 0; frame < 200; ++frame) {
            settle(&f, 1);
            const double now = sn_flesh_energy(&f.flesh);
            assert_true(now <= before + 1e-4 * first);
            before = now;
        }
        assert_true(before < first);
    }
    stop(&f);
}

/* Contact steps are plain: flesh that hangs through between its ends, on a floor that is near, comes to rest on it. */
static void test_flesh_comes_to_rest_on_a_floor(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = default_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 4;
    desc.stiffness = 0.3;
    start(&f, 0.45, &desc);
    sn_collider_desc shape = sn_default_collider_desc();
    double low = 0, position[3], before[3];
    for (int v = 0; v < VERTICES; ++v) {
        low = fmin(low, (double)f.model->rest_positions[3 * v + 1]);
    }
    sn_collider ground;
    assert_int_equal(sn_collider_init(&shape, &ground), SN_OK);
    ground.transform[7] = ground.transform_before[7] = low - 0.01;
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ground};
    for (int frame = 0; frame < 300; ++frame) {
        assert_false(sn_reduced_body_step(f.flesh.body, f.flesh.pose, &surroundings).is_recovered);
        memcpy(before, position, sizeof before);
        sn_flesh_sample(&f.flesh, 0, position);
    }
    assert_true(f.flesh.body->contacts.count > 0 && sn_distance3(before, position) < 1e-4);
    for (int i = 0; i < f.model->counts.sample_count; ++i) {
        sn_flesh_sample(&f.flesh, i, position);
        assert_true(position[1] > low - 0.01 - 0.005);
    }
    stop(&f);
}

static void test_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = default_desc();
    double coordinates[2][SIZE];
    start(&f, 0.45, &desc);
    const size_t bytes = (size_t)(3 * f.model->counts.coordinate_count) * sizeof(double);
    for (int set = 0; set <= SN_INSTRUCTIONS_BEST; ++set) {
        sn_flesh_finish(&f.flesh);
        desc.instructions = (sn_instructions)set;
        f.flesh = sn_flesh_make(f.model, &desc, NULL);
        for (int frame = 0; frame < 40; ++frame) {
            twist(&f, frame);
            settle(&f, 1);
        }
        memcpy(coordinates[set > 0], f.flesh.body->coordinates, bytes);
        assert_true(set == 0 || memcmp(coordinates[0], coordinates[1], bytes) == 0);
    }
    stop(&f);
}

int test_volume_steps(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_reach_the_minimum),
        cmocka_unit_test(test_energy_never_rises_within_a_step),
        cmocka_unit_test(test_steps_are_stable),
        cmocka_unit_test(test_flesh_comes_to_rest_on_a_floor),
        cmocka_unit_test(test_instruction_sets_give_the_same_bits),
    };
    const int failed = cmocka_run_group_tests_name("co-rotational", tests, NULL, NULL);
    is_neo_hookean = true;
    return failed + cmocka_run_group_tests_name("Neo-Hookean", tests, NULL, NULL);
}
