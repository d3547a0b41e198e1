/* SPDX-License-Identifier: MIT */
/* Contact is the same however the world is turned, in whatever precision, with or without acceleration and colliders
 * that touch nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/contact_flesh.h"

/* A run with a floor and a ball that passes, all of it turned by m; the flesh ends in `displacement`. */
static void run_turned(const double *m, bool is_double, double *coordinates)
{
    sn_reduced_desc desc = desc_with(1, 0);
    desc.is_double = is_double;
    for (int d = 0; d < 3; ++d) {
        desc.gravity[d] = -9.81 * m[4 * d + 1];
    }
    sn_flesh f = sn_flesh_make(bar, &desc, m);
    const double beside[3] = {0.3, 0.05, 0.35}, by[3] = {0, 0, -0.005};
    sn_collider colliders[2] = {floor_at(lowest_at_rest(bar) - 0.005), collider_at(SN_COLLIDER_SPHERE, 0.2, beside)};
    sn_collider turned[2];
    int pushing = 0;
    for (int frame = 0; frame < 40; ++frame) {
        move_collider(&colliders[1], by);
        for (int i = 0; i < 2; ++i) {
            turned[i] = colliders[i];
            sn_affine_multiply(m, colliders[i].transform, turned[i].transform);
            sn_affine_multiply(m, colliders[i].transform_before, turned[i].transform_before);
        }
        step(&f, turned, 2);
        pushing = check_forces(&f);
    }
    assert_true(pushing > 2 && sn_flesh_displacement(&f) > 0.01);
    memcpy(coordinates, f.body->coordinates, 3 * (size_t)f.solver->coordinate_count * sizeof *coordinates);
    sn_flesh_finish(&f);
}

/* In coordinates' own units: what a vertex can move by the difference, over the diagonal. */
static double difference(const sn_model *model, const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < model->counts.coordinate_count; ++i) {
        square += sn_reduced_squared_bound(model, i, a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1],
                                           a[3 * i + 2] - b[3 * i + 2]);
    }
    return sqrt(square) / model->diagonal;
}

static void test_turning_everything_turns_the_flesh(void **state)
{
    (void)state;
    const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    double straight[3 * 64], turned[3 * 64], back[3 * 64] = {0};
    run_turned(identity, false, straight);
    run_turned(world, false, turned);
    for (int i = 0; i < 3 * bar->counts.coordinate_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            back[i] += world[4 * d + i % 3] * turned[i - i % 3 + d];
        }
    }
    assert_true(difference(bar, straight, back) < 1e-4);
}

static void test_float_and_double_agree(void **state)
{
    (void)state;
    const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double narrow[3 * 64], exact[3 * 64];
    run_turned(identity, false, narrow);
    run_turned(identity, true, exact);
    assert_true(difference(bar, narrow, exact) < 1e-4);
}

/* Steps of 1/30 s of stiff flesh under a ball, each from the same state: how many iterations they take, and how far
 * they end from the minimum. */
static void test_acceleration_ends_in_the_same_place_sooner(void **state)
{
    (void)state;
    sn_reduced_desc exact = desc_with(5, 9.81), desc[2];
    exact.time_step = 1.0 / 30;
    exact.iteration_limit = 5000;
    exact.tolerance = 1e-9;
    exact.is_double = true;
    int iterations[2] = {0}, pushing = 0;
    double error[2] = {0};
    sn_flesh f = sn_flesh_make(bar, &exact, NULL), twins[2];
    for (int k = 0; k < 2; ++k) {
        desc[k] = exact;
        desc[k].is_double = false;
        desc[k].is_unaccelerated = k == 1;
        desc[k].tolerance = 1e-5;
        twins[k] = sn_flesh_make(bar, &desc[k], NULL);
    }
    const double beside[3] = {0.3, 0.05, 0.35}, by[3] = {0, 0, -0.006};
    sn_collider colliders[2] = {floor_at(lowest_at_rest(bar) - 0.005), collider_at(SN_COLLIDER_SPHERE, 0.2, beside)};
    for (int frame = 0; frame < 60; ++frame) {
        move_collider(&colliders[1], by);
        f.pose[3] = 0.05 * sin(0.5 * frame);
        for (int k = 0; k < 2; ++k) {
            memcpy(twins[k].body->state, f.body->state, f.body->state_count * sizeof(double));
            twins[k].body->rig = twins[k].body->state + (f.body->rig - f.body->state);
            twins[k].body->rig_before = twins[k].body->state + (f.body->rig_before - f.body->state);
            twins[k].body->rig_next = twins[k].body->state + (f.body->rig_next - f.body->state);
            twins[k].pose[3] = f.pose[3];
            iterations[k] += step(&twins[k], colliders, 2).iteration_count;
        }
        step(&f, colliders, 2);
        pushing += check_forces(&f);
        for (int k = 0; k < 2; ++k) {
            error[k] = fmax(error[k], difference(bar, twins[k].body->coordinates, f.body->coordinates));
        }
    }
    assert_true(pushing > 100);

    assert_true(iterations[0] < 0.8 * iterations[1]);
    assert_true(error[0] < 1e-3 && error[1] < 1e-3);
    for (int k = 0; k < 2; ++k) {
        sn_flesh_finish(&twins[k]);
    }
    sn_flesh_finish(&f);
}

static void test_colliders_far_away_change_no_bit(void **state)
{
    (void)state;
    const sn_reduced_desc desc = desc_with(0.5, 9.81);
    sn_flesh f = sn_flesh_make(bar, &desc, NULL), g = sn_flesh_make(bar, &desc, NULL);
    const double place[3] = {3, 0, 0};
    const sn_collider far[2] = {floor_at(-3), collider_at(SN_COLLIDER_SPHERE, 1, place)};
    for (int frame = 0; frame < 60; ++frame) {
        f.pose[3] = g.pose[3] = 0.1 * sin(0.3 * frame);
        sn_reduced_body_step(f.body, f.pose, NULL);
        step(&g, far, 2);
    }
    assert_true(sn_flesh_displacement(&f) > 1e-3);
    assert_memory_equal(f.body->coordinates, g.body->coordinates,
                        3 * (size_t)f.solver->coordinate_count * sizeof(double));
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

/* More than are listed, some of them just out of reach: what touches is found in the same order as when nothing else is
 * there. Three colliders are not listed at all. */
static void test_many_colliders_change_no_bit(void **state)
{
    (void)state;
    enum { COUNT = 900 };
    static sn_collider many[COUNT];
    const sn_reduced_desc desc = desc_with(0.5, 9.81);
    const double low = lowest_at_rest(bar), left[3] = {-0.3, low - 0.17, 0}, right[3] = {0.3, low - 0.12, 0.1};
    sn_collider few[3] = {collider_at(SN_COLLIDER_SPHERE, 0.2, left), floor_at(low - 0.01),
                          collider_at(SN_COLLIDER_CAPSULE, 0.1, right)};
    for (int i = 0; i < COUNT; ++i) {
        const double angle = 0.1 * i, away = i < 400 ? 0.7 + 0.0005 * i : 3 + 0.01 * i;
        const double place[3] = {0.01 * (i % 100) - 0.5, fabs(away * cos(angle)) + 0.5, away * sin(angle)};
        many[i] = collider_at(i % 2 ? SN_COLLIDER_SPHERE : SN_COLLIDER_BOX, 0.02, place);
    }
    sn_flesh f = sn_flesh_make(bar, &desc, NULL), g = sn_flesh_make(bar, &desc, NULL);
    int most = 0;
    for (int frame = 0; frame < 40; ++frame) {
        const double by[3] = {0.002, 0.003, 0};
        many[5] = few[0];
        many[450] = few[1];
        many[COUNT - 1] = few[2];
        f.pose[3] = g.pose[3] = 0.1 * sin(0.3 * frame);
        step(&f, few, 3);
        step(&g, many, COUNT);
        assert_int_equal(f.body->contacts.count, g.body->contacts.count);
        most = f.body->contacts.count > most ? f.body->contacts.count : most;
        move_collider(&few[0], by);
        move_collider(&few[2], by);
    }
    assert_true(most > 10);
    assert_memory_equal(f.body->coordinates, g.body->coordinates,
                        3 * (size_t)f.solver->coordinate_count * sizeof(double));
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

int test_contact_invariance(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turning_everything_turns_the_flesh),
        cmocka_unit_test(test_float_and_double_agree),
        cmocka_unit_test(test_acceleration_ends_in_the_same_place_sooner),
        cmocka_unit_test(test_colliders_far_away_change_no_bit),
        cmocka_unit_test(test_many_colliders_change_no_bit),
    };
    return cmocka_run_group_tests(tests, cook, finish);
}
