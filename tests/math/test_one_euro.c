/* SPDX-License-Identifier: MIT */
/* The One-Euro filter: a low pass at rest, little lag in motion, in seconds, and on the sphere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "host/math/one_euro.h"
#include "host/math/quaternion.h"

static const sn_one_euro plain = {.cutoff = 2, .beta = 0, .speed_cutoff = 1};
static const sn_one_euro lively = {.cutoff = 1, .beta = 5, .speed_cutoff = 1};

/* Without beta: x' = x + a (u - x), a = w / (1 + w), w = 2 pi f h. */
static void a_step_is_that_of_a_low_pass(void **state)
{
    (void)state;
    sn_one_euro_state s = {0};
    const double w = 6.283185307179586 * 2 / 50, a = w / (1 + w);
    double value = 3, wanted = 3;
    sn_one_euro_filter(&plain, 0, 1, &s, &value);
    assert_true(value == 3);
    for (int i = 0; i < 40; ++i) {
        value = 5;
        sn_one_euro_filter(&plain, .02, 1, &s, &value);
        wanted += a * (5 - wanted);
        assert_true(fabs(value - wanted) < 1e-12);
    }
}

/* Deterministic, between -1 and 1. */
static double noise(int i)
{
    const double x = 43758.5453 * sin(12.9898 * i + 1);
    return 2 * (x - floor(x)) - 1;
}

/* What shakes about a place comes nearer to it; what moves steadily is followed, both closer than with one cutoff. */
static void rest_is_quiet_and_motion_is_near(void **state)
{
    (void)state;
    sn_one_euro_state s = {0}, t = {0}, u = {0};
    double shake = 0, raw = 0;
    for (int i = 0; i < 600; ++i) {
        double value = .01 * noise(i);
        raw += i > 60 ? value * value : 0;
        sn_one_euro_filter(&lively, 1 / 60., 1, &s, &value);
        shake += i > 60 ? value * value : 0;
    }
    assert_true(shake < .15 * raw);
    double lag = 0, plain_lag = 0;
    for (int i = 0; i < 120; ++i) {
        double value = 2 * i / 60., other = value;
        sn_one_euro_filter(&lively, 1 / 60., 1, &t, &value);
        sn_one_euro_filter(&(sn_one_euro){1, 0, 1}, 1 / 60., 1, &u, &other);
        lag = 2 * i / 60. - value;
        plain_lag = 2 * i / 60. - other;
    }
    assert_true(lag < .05 && plain_lag > .25); /* 2 / (2 pi f) */
}

/* The same wave at other rates, uneven ones too, comes out as the same wave, but for what lies between samples. */
static void rates_do_not_matter(void **state)
{
    (void)state;
    double results[3];
    for (int k = 0; k < 3; ++k) {
        sn_one_euro_state s = {0};
        double seconds = 0, value = 0;
        while (seconds < 2 - 1e-9) {
            const double step = k == 0 ? 1 / 200. : k == 1 ? 1 / 400. : fmod(seconds, .02) < .01 ? 1 / 200. : 1 / 500.;
            seconds += step;
            value = sin(3 * seconds);
            sn_one_euro_filter(&lively, step, 1, &s, &value);
        }
        results[k] = value + 3 * cos(3 * seconds) * (2 - seconds);
    }
    assert_true(fabs(results[0] - results[1]) < 5e-3 && fabs(results[0] - results[2]) < 5e-3);
}

static void about_z(double angle, double sign, double *q)
{
    q[0] = q[1] = 0;
    q[2] = sign * sin(angle / 2);
    q[3] = sign * cos(angle / 2);
}

/* A rotation about one axis is filtered as its angle is, whichever of its two quaternions it comes as. */
static void a_rotation_is_its_angle(void **state)
{
    (void)state;
    sn_one_euro_state s = {0}, t = {0};
    for (int i = 0; i < 200; ++i) {
        double angle = 2.5 * i / 60., q[4];
        const double before = angle;
        about_z(angle, i % 3 == 0 ? -1 : 1, q);
        sn_one_euro_filter(&lively, 1 / 60., 1, &s, &angle);
        sn_one_euro_rotate(&lively, 1 / 60., &t, q);
        const double turned = 2 * atan2(q[2], q[3]);
        assert_true(fabs(q[0]) + fabs(q[1]) < 1e-12 && fabs(q[2] * q[2] + q[3] * q[3] - 1) < 1e-12);
        assert_true(fabs(remainder(turned - angle, 6.283185307179586)) < 2e-3);
        assert_true(before - angle < .2);
    }
}

static void what_is_no_sample_changes_nothing(void **state)
{
    (void)state;
    sn_one_euro_state s = {0};
    double value = NAN;
    sn_one_euro_filter(&lively, .1, 1, &s, &value);
    assert_true(value == 0 && !s.has_value);
    value = 2;
    sn_one_euro_filter(&lively, .1, 1, &s, &value);
    value = NAN;
    sn_one_euro_filter(&lively, .1, 1, &s, &value);
    assert_true(value == 2);
    value = 3;
    sn_one_euro_filter(&lively, 0, 1, &s, &value);
    assert_true(value == 2);
    value = 3;
    sn_one_euro_filter(&lively, -1, 1, &s, &value);
    assert_true(value == 2);
}

int test_one_euro(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_that_of_a_low_pass),
        cmocka_unit_test(rest_is_quiet_and_motion_is_near),
        cmocka_unit_test(rates_do_not_matter),
        cmocka_unit_test(a_rotation_is_its_angle),
        cmocka_unit_test(what_is_no_sample_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
