/* SPDX-License-Identifier: MIT */
/* A hand's twist goes to the forearm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "author/retarget/twist.h"
#include "host/math/quaternion.h"

static const double along[3] = {1, 0, 0};

/* A twist about x behind a swing about y and z. */
static void make(double twist, double y, double z, double *q)
{
    const double t[4] = {sin(twist / 2), 0, 0, cos(twist / 2)}, swing[3] = {0, y, z};
    sn_quaternion_from_vector(swing, q);
    sn_quaternion_multiply(q, t, q);
}

static double twist_of(const double *q)
{
    double t[4];
    sn_rig_twist(q, along, t);
    return sn_rig_twist_angle(t, along);
}

/* The angle between two rotations. */
static double apart(const double *a, const double *b)
{
    double dot = 0;
    for (int i = 0; i < 4; ++i) {
        dot += a[i] * b[i];
    }
    return 2 * acos(fmin(fabs(dot), 1));
}

static void a_twist_is_told_from_a_swing(void **state)
{
    (void)state;
    double q[4];
    for (int i = -30; i <= 30; ++i) {
        make(.1 * i, .7, -.4, q);
        assert_true(fabs(twist_of(q) - .1 * i) < 1e-9);
        for (int k = 0; k < 4; ++k) {
            q[k] = -q[k];
        }
        assert_true(fabs(twist_of(q) - .1 * i) < 1e-9);
    }
    assert_true(twist_of((const double[4]){0, 1, 0, 0}) == 0); /* a half turn across has none */
}

/* Up to what both bear the hand is where it was in the world; the wrist never twists more than it may. */
static void the_hand_stays_where_it_is(void **state)
{
    (void)state;
    for (int i = -25; i <= 25; ++i) {
        double upper[4], lower[4], before[4], after[4], kept[4];
        make(.3, .5, .2, upper);
        make(.1 * i, -.6, .3, lower);
        memcpy(kept, lower, sizeof kept);
        sn_quaternion_multiply(upper, lower, before);
        sn_rig_limit_twist(upper, lower, along, .5, 1.4);
        sn_quaternion_multiply(upper, lower, after);
        const double forearm = .3 + .1 * i - copysign(fmin(fabs(.1 * i), .5), i);
        assert_true(fabs(twist_of(lower)) < .5 + 1e-9);
        assert_true(fabs(twist_of(upper)) < 1.4 + 1e-9);
        if (i >= -5 && i <= 5) {
            assert_true(apart(kept, lower) < 1e-7);
        } else if (fabs(forearm) <= 1.4) {
            assert_true(apart(before, after) < 1e-7);
            assert_true(fabs(twist_of(upper) - forearm) < 1e-9);
        } else {
            assert_true(fabs(fabs(twist_of(upper)) - 1.4) < 1e-9 && fabs(fabs(twist_of(lower)) - .5) < 1e-9);
            assert_true(fabs(apart(before, after) - (fabs(forearm) - 1.4)) < 1e-7); /* what is lost, and no more */
        }
    }
}

/* A forearm that is turned further already is not turned back. */
static void what_is_beyond_stays(void **state)
{
    (void)state;
    double upper[4], lower[4];
    make(2, 0, 0, upper);
    make(1, 0, 0, lower);
    sn_rig_limit_twist(upper, lower, along, .5, 1.4);
    assert_true(fabs(twist_of(upper) - 2) < 1e-9 && fabs(twist_of(lower) - .5) < 1e-9);
}

int test_twist(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twist_is_told_from_a_swing),
        cmocka_unit_test(the_hand_stays_where_it_is),
        cmocka_unit_test(what_is_beyond_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
