/* SPDX-License-Identifier: MIT */
/* Where the iteration of a step starts: ahead along smooth motion, which saves iterations and changes nothing else, and
 * at the prediction where nothing is known or motion is not smooth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "tests/support/one_bar.h"

#define FRAMES 120

static sn_flesh make_of(double stiffness, double tolerance)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.stiffness = stiffness;
    desc.iteration_limit = 100;
    desc.tolerance = tolerance;
    return sn_flesh_make(bar, &desc, NULL);
}

static sn_flesh make(double tolerance)
{
    return make_of(0.3, tolerance);
}

static void place(sn_flesh *f, double x, double y)
{
    const double transform[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0};
    sn_flesh_set_pose(f, transform);
}

static void sway(sn_flesh *f, int frame)
{
    place(f, 0.2 * sin(0.2 * frame), 0.1 * sin(0.13 * frame));
}

static int step(sn_flesh *f)
{
    const sn_reduced_report report = sn_reduced_body_step(f->body, f->pose, NULL);
    assert_false(report.is_recovered);
    return report.iteration_count;
}

static double difference(const sn_flesh *f, const sn_flesh *g)
{
    double square = 0;
    for (int i = 0; i < bar->counts.coordinate_count; ++i) {
        const double *a = f->body->coordinates + 3 * i, *b = g->body->coordinates + 3 * i;
        square += sn_reduced_squared_bound(bar, i, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }
    return sqrt(square) / bar->diagonal;
}

/* Two bodies, the second of which always starts at the prediction. */
static void compare(double tolerance, int *ahead, int *predicted, double *apart)
{
    sn_flesh f = make(tolerance), g = make(tolerance);
    *ahead = *predicted = 0;
    *apart = 0;
    for (int frame = 1; frame <= FRAMES; ++frame) {
        sway(&f, frame);
        sway(&g, frame);
        sn_reduced_clear_warm_start(g.body);
        *ahead += step(&f);
        *predicted += step(&g);
        *apart = fmax(*apart, difference(&f, &g));
    }
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

static void test_smooth_motion_takes_fewer_iterations(void **state)
{
    static const double tolerances[] = {1e-3, 1e-4, 1e-5};
    (void)state;
    for (int i = 0; i < 3; ++i) {
        int ahead, predicted;
        double apart;
        compare(tolerances[i], &ahead, &predicted, &apart);
        print_message("to %.0e: %.2f iterations, from the prediction %.2f; %.1e apart\n", tolerances[i],
                      (double)ahead / FRAMES, (double)predicted / FRAMES, apart);
        assert_true(ahead < 0.9 * predicted);
    }
}

static void test_both_starts_end_in_the_same_minimum(void **state)
{
    int ahead, predicted;
    double apart;
    (void)state;
    compare(1e-6, &ahead, &predicted, &apart);
    assert_true(apart < 1e-4);
}

/* Stiff flesh on a rig that jumps: what the parabola foretells is worth nothing, and is hardly used. */
static void test_shocks_start_at_the_prediction(void **state)
{
    sn_flesh f = make_of(300, 1e-4), g = make_of(300, 1e-4);
    uint64_t random = 5;
    int ahead = 0, predicted = 0, steady = 0;
    (void)state;
    for (int frame = 0; frame < FRAMES; ++frame) {
        const double x = 0.1 * sn_random_unit(&random), y = 0.1 * sn_random_unit(&random);
        place(&f, x, y);
        place(&g, x, y);
        sn_reduced_clear_warm_start(g.body);
        ahead += step(&f);
        predicted += step(&g);
        steady += f.body->corrections.is_extrapolable;
    }
    print_message("steady in %d steps of %d: %d iterations, %d\n", steady, FRAMES, ahead, predicted);
    assert_true(steady < FRAMES / 4);
    assert_true(ahead < 1.02 * predicted);
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

static void swing(sn_flesh *f)
{
    for (int frame = 1; frame <= 20; ++frame) {
        sway(f, frame);
        step(f);
    }
    assert_true(f->body->corrections.is_extrapolable);
}

/* What puts a body elsewhere makes its past worthless. */
static void test_pulls_are_forgotten(void **state)
{
    const double away[12] = {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7};
    sn_flesh f = make(1e-4);
    (void)state;
    swing(&f);
    sn_reduced_body_reset(f.body, f.pose);
    assert_false(f.body->corrections.is_extrapolable || f.body->corrections.count > 0);
    swing(&f);
    sn_reduced_body_teleport(f.body, away);
    assert_false(f.body->corrections.is_extrapolable || f.body->corrections.count > 0);
    sn_reduced_body_reset(f.body, f.pose);
    swing(&f);
    double *copy = calloc(3 * (size_t)bar->counts.coordinate_count, sizeof *copy);
    assert_non_null(copy);
    sn_reduced_body_set_coordinates(f.body, copy);
    free(copy);
    assert_false(f.body->corrections.is_extrapolable || f.body->corrections.count > 0);
    swing(&f);
    f.pose[0] = NAN;
    assert_true(sn_reduced_body_step(f.body, f.pose, NULL).is_recovered);
    assert_int_equal(f.body->corrections.count, 0);
    sn_flesh_finish(&f);
}

/* Other parameters, to which pulls and forces of contacts mean the same, or not. */
static void test_parameters_that_keep_pulls(void **state)
{
    enum { CHANGES = 10, KEPT = 5 };
    (void)state;
    for (int i = 0; i < CHANGES; ++i) {
        sn_flesh f = make(1e-4), other = {.body = NULL};
        sn_reduced_desc desc = f.solver->desc;
        desc.gravity[1] = i == 1 ? -9.81 : 0;
        desc.damping = i == 2 ? 3 : 0;
        desc.tolerance = i == 3 ? 1e-5 : 1e-4;
        desc.iteration_limit = i == 4 ? 8 : 100;
        desc.stiffness *= i == 5 ? 1.5 : 1;
        desc.time_step *= i == 6 ? 0.5 : 1;
        desc.is_neo_hookean = i == 7;
        desc.mode_count = i == 8 ? 4 : 0;
        desc.is_double = i == 9;
        other = sn_flesh_make(bar, &desc, NULL);
        swing(&f);
        f.body->stored_forces.count = 1;
        sn_reduced_body_set_solver(f.body, other.solver);
        assert_int_equal(f.body->corrections.is_extrapolable, i < KEPT);
        assert_int_equal(f.body->corrections.count, i < KEPT ? SN_CORRECTION_COUNT : 0);
        assert_int_equal(f.body->stored_forces.count, i < KEPT);
        sn_flesh_finish(&f);
        sn_flesh_finish(&other);
    }
}

int test_starts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth_motion_takes_fewer_iterations),
        cmocka_unit_test(test_both_starts_end_in_the_same_minimum),
        cmocka_unit_test(test_shocks_start_at_the_prediction),
        cmocka_unit_test(test_pulls_are_forgotten),
        cmocka_unit_test(test_parameters_that_keep_pulls),
    };
    return cmocka_run_group_tests(tests, cook_one_handle, release_bar);
}
