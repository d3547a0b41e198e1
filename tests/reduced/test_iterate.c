/* SPDX-License-Identifier: MIT */
/* The step's iteration: its acceleration, the guard on it, what ends it, and the same bits from all instructions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/reduced_test.h"

/* A rig that jumps: half a turn and its own length away, every few frames. */
static void jump(int frame, double *pose)
{
    rotate_about_z(frame / 3 % 2 ? 2.8 : 0, frame / 5 % 2 ? 0.5 : 0, pose);
}

/* The state of one body for another of the same model. */
static void copy_state(const sn_reduced_body *from, sn_reduced_body *to)
{
    const size_t z = (size_t)(3 * from->solver->coordinate_count) * sizeof(double);
    const size_t p = (size_t)(3 * from->solver->column_count) * sizeof(double);
    memcpy(to->coordinates, from->coordinates, z);
    memcpy(to->coordinates_before, from->coordinates_before, z);
    memcpy(to->rig, from->rig, p);
    memcpy(to->rig_before, from->rig_before, p);
}

/* A step with these parameters from the state of another body. */
static sn_reduced_report step_from(const sn_reduced_body *from, const sn_reduced_desc *desc, const double *pose,
                                   sn_reduced_body *twin)
{
    sn_reduced_solver *solver = NULL;
    assert_int_equal(sn_reduced_solver_create(sn_reduced_solver_model(from->solver), desc, &solver), SN_OK);
    sn_reduced_body_set_solver(twin, solver);
    copy_state(from, twin);
    sn_reduced_clear_warm_start(twin);
    const sn_reduced_report report = sn_reduced_body_step(twin, pose, NULL);
    sn_reduced_body_set_solver(twin, from->solver);
    sn_reduced_solver_destroy(&solver);
    return report;
}

/* How far two states of coordinates can be apart, as a fraction of the diagonal. */
static double apart(const sn_model *model, const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < model->counts.coordinate_count; ++i, a += 3, b += 3) {
        square += sn_reduced_squared_bound(model, i, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }
    return sqrt(square) / model->diagonal;
}

/* Accelerated and plain steps from the same states: the same minimum, in fewer iterations, and at a given tolerance no
 * less near to it. */
static void test_acceleration_keeps_the_minimum(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 0.02;
    desc.stiffness = 4;
    desc.is_double = true;
    desc.iteration_limit = 5000;
    desc.tolerance = 1e-12;
    start(&f, &desc);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    desc.is_double = false;
    desc.tolerance = 1e-5;
    int iterations[2] = {0};
    double error[2] = {0}, pose[12];
    for (int frame = 0; frame < 60; ++frame) {
        double coordinates[2][3 * 32];
        shake(frame, pose);
        for (int is_unaccelerated = 0; is_unaccelerated < 2; ++is_unaccelerated) {
            desc.is_unaccelerated = is_unaccelerated;
            iterations[is_unaccelerated] += step_from(f.body, &desc, pose, twin).iteration_count;
            memcpy(coordinates[is_unaccelerated], twin->coordinates,
                   (size_t)(3 * f.solver->coordinate_count) * sizeof(double));
        }
        sn_reduced_body_step(f.body, pose, NULL);
        for (int is_unaccelerated = 0; is_unaccelerated < 2; ++is_unaccelerated) {
            error[is_unaccelerated] += apart(f.model, coordinates[is_unaccelerated], f.body->coordinates);
        }
    }
    assert_true(iterations[0] < 0.7 * iterations[1]);
    assert_true(error[0] <= error[1] && error[0] < 60 * 1e-4);
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

/* Under a violent rig the energies of the points that are kept never rise, however many iterations: seen by steps from
 * the same state with one iteration more each; and the guard is what it takes. */
static void test_guard_keeps_energy_from_rising(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.tolerance = 0;
    start(&f, &desc);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    int rejected_count = 0;
    for (int frame = 0; frame < 60; ++frame) {
        double pose[12], before = INFINITY;
        jump(frame, pose);
        for (desc.iteration_limit = 1; desc.iteration_limit <= 25; ++desc.iteration_limit) {
            const sn_reduced_report report = step_from(f.body, &desc, pose, twin);
            assert_false(report.is_recovered);
            assert_true(twin->f32.accepted_energy <= before + twin->f32.energy_noise);
            before = twin->f32.accepted_energy;
            rejected_count += desc.iteration_limit == 25 ? report.rejected_count : 0;
        }
        sn_reduced_body_step(f.body, pose, NULL);
    }
    print_message("%d iterations refused\n", rejected_count);
    assert_true(rejected_count > 0);
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

static void test_budget_ends_a_step(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.tolerance = 0;
    desc.iteration_limit = 50;
    start(&f, &desc);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(f.solver, NULL, &twin), SN_OK);
    double pose[12];
    shake(3, pose);
    for (int is_double = 0; is_double < 2; ++is_double) {
        desc.is_double = is_double;
        desc.budget_seconds = 1e-9;
        const sn_reduced_report little = step_from(f.body, &desc, pose, twin);
        assert_int_equal(little.iteration_count, 1);
        assert_true(little.is_over_budget && little.change > 0);
        desc.budget_seconds = 100;
        const sn_reduced_report much = step_from(f.body, &desc, pose, twin);
        assert_int_equal(much.iteration_count, 50);
        assert_false(much.is_over_budget);
        assert_true(much.change < little.change);
    }
    sn_reduced_body_destroy(&twin);
    stop(&f);
}

/* Whole runs, so that acceleration and the rig's part are among what is compared. */
static void test_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    start(&f, &desc);
    double coordinates[2][3 * 32];
    const size_t bytes = (size_t)(3 * f.solver->coordinate_count) * sizeof(double);
    for (int set = 0; set <= SN_INSTRUCTIONS_BEST; ++set) {
        sn_reduced_body *body = NULL;
        sn_reduced_solver *solver = NULL;
        desc.instructions = (sn_instructions)set;
        assert_int_equal(sn_reduced_solver_create(f.model, &desc, &solver), SN_OK);
        assert_int_equal(sn_reduced_body_create(solver, NULL, &body), SN_OK);
        for (int frame = 0; frame < 60; ++frame) {
            double pose[12];
            (frame < 30 ? shake : jump)(frame, pose);
            sn_reduced_body_step(body, pose, NULL);
        }
        memcpy(coordinates[set > 0], body->coordinates, bytes);
        assert_true(set == 0 || memcmp(coordinates[0], coordinates[1], bytes) == 0);
        sn_reduced_body_destroy(&body);
        sn_reduced_solver_destroy(&solver);
    }
    stop(&f);
}

int test_iterate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acceleration_keeps_the_minimum),
        cmocka_unit_test(test_guard_keeps_energy_from_rising),
        cmocka_unit_test(test_budget_ends_a_step),
        cmocka_unit_test(test_instruction_sets_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
