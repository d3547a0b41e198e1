/* SPDX-License-Identifier: MIT */
/* Gravity relative to the bind pose: none there, and the difference elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/flesh.h"

#define G 2.0

static sn_cook_context cooking;
static sn_model *model;

static int set_up(void **state)
{
    static const int cells[3] = {12, 4, 3};
    (void)state;
    model = sn_test_cook_bar(&cooking, cells, 3, 8);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static void turn(double angle, double scale, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = scale * cos(angle);
    pose[1] = -scale * sin(angle);
    pose[4] = scale * sin(angle);
    pose[10] = scale;
}

/* The displacement of a resting body in a pose, largest over its samples; offset: of sample 0. */
static double sag(double angle, const double *gravity, bool has_gravity_at_rest, bool is_double, double *offset)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    double pose[12], rest[3], place[3], max_value = 0;
    turn(angle, 1, pose);
    desc.is_double = is_double;
    desc.damping = 5;
    desc.stiffness = 20;
    desc.tolerance = is_double ? 1e-10 : 1e-7;
    desc.iteration_limit = 400;
    sn_flesh start = sn_flesh_make(model, &desc, pose);
    memcpy(desc.gravity, gravity, sizeof desc.gravity);
    desc.has_gravity_at_rest = has_gravity_at_rest;
    sn_flesh f = sn_flesh_make(model, &desc, pose);
    for (int frame = 0; frame < 200; ++frame) {
        sn_reduced_body_step(f.body, f.pose, NULL);
        sn_reduced_body_step(start.body, start.pose, NULL);
    }
    for (int sample = model->counts.sample_count - 1; sample >= 0; --sample) {
        sn_flesh_sample(&start, sample, rest);
        sn_flesh_sample(&f, sample, place);
        max_value = fmax(max_value, sn_distance3(rest, place));
    }
    for (int d = 0; d < 3; ++d) {
        offset[d] = place[d] - rest[d];
    }
    sn_flesh_finish(&f);
    sn_flesh_finish(&start);
    return max_value;
}

static void test_nothing_sags_at_bind(void **state)
{
    static const double down[3] = {0, -G, 0};
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        double offset[3];
        assert_true(sag(0, down, false, is_double, offset) == 0);
        const double full = sag(0, down, true, is_double, offset);
        print_message("at bind with full gravity: %.1e\n", full);
        assert_true(full > 1e-4);
    }
}

/* Upside down, the difference is twice gravity; on its side, sqrt 2. The flesh that sags is the same. */
static void test_tilted_flesh_sags_by_the_difference(void **state)
{
    static const double down[3] = {0, -G, 0};
    static const double angles[3] = {3.14159265358979, 1.5707963267949, 0.5};
    (void)state;
    for (int i = 0; i < 3; ++i) {
        /* the same acceleration as plain gravity */
        const double difference[3] = {-G * sin(angles[i]), -G + G * cos(angles[i]), 0};
        double relative[3], plain[3];
        for (int is_double = 0; is_double < 2; ++is_double) {
            const double moved = sag(angles[i], down, false, is_double, relative);
            const double expected = sag(angles[i], difference, true, is_double, plain);
            print_message("at %g: %.3e, expected %.3e\n", angles[i], moved, expected);
            assert_true(sn_distance3(relative, plain) < 1e-3 * expected && fabs(moved / expected - 1) < 1e-3);
        }
    }
}

/* The stretch of a bone does not count, and neither does where it is. */
static void test_acceleration_of_a_bone(void **state)
{
    static const double gravity[3] = {0, -9.81, 0}, sideways[3] = {3, 0, 4};
    double pose[12], a[3], b[3];
    (void)state;
    sn_affine_identity(pose);
    pose[3] = 100;
    sn_reduced_relative_gravity(gravity, pose, a);
    assert_true(a[0] == 0 && a[1] == 0 && a[2] == 0);
    sn_reduced_relative_gravity(sideways, pose, a);
    assert_true(a[0] == 3 && a[1] == 5 && a[2] == 4);
    for (int i = 0; i < 20; ++i) {
        turn(0.3 * i, 1, pose);
        sn_reduced_relative_gravity(gravity, pose, a);
        turn(0.3 * i, 1.7, pose);
        sn_reduced_relative_gravity(gravity, pose, b);
        assert_true(sn_distance3(a, b) < 1e-9);
        assert_true(fabs(sn_length3(a) - 2 * 9.81 * fabs(sin(0.15 * i))) < 1e-9);
    }
}

int test_gravity(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_sags_at_bind),
                                       cmocka_unit_test(test_tilted_flesh_sags_by_the_difference),
                                       cmocka_unit_test(test_acceleration_of_a_bone)};
    return cmocka_run_group_tests_name("gravity", tests, set_up, finish);
}
