/* SPDX-License-Identifier: MIT */
/* Moments: what is taken into them, and under which names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "runtime/puppet/tracking.h"

static sn_tracking moment;

static int add(const char *name)
{
    return sn_tracking_expression(&moment, name, strlen(name));
}

static void expressions_have_one_name(void **state)
{
    (void)state;
    memset(&moment, 0, sizeof moment);
    assert_int_equal(add("JOY"), 0);
    assert_int_equal(add("happy"), 0);
    assert_string_equal(moment.expressions[0].name, "happy");
    assert_int_equal(add("Blink_L"), 1);
    assert_int_equal(add("blinkleft"), 1);
    assert_int_equal(add("EyeBlinkLeft"), 2);
    assert_string_equal(moment.expressions[2].name, "eyeBlinkLeft");
    assert_int_equal(add("MyHat"), 3);
    assert_int_equal(add("myhat"), 3);
    assert_string_equal(moment.expressions[3].name, "MyHat");
    assert_int_equal(add(""), -1);
    assert_int_equal(sn_tracking_expression(&moment, "a\0b", 3), -1);
    assert_int_equal(add("a name that is longer than any expression's can be"), -1);
    assert_int_equal(moment.expression_count, 4);
}

static void a_full_list_takes_no_more(void **state)
{
    (void)state;
    char name[16];
    memset(&moment, 0, sizeof moment);
    for (int i = 0; i < SN_TRACKING_EXPRESSION_LIMIT; ++i) {
        snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(add(name), i);
    }
    assert_int_equal(add("one more"), -1);
    assert_int_equal(add("x7"), 7);
    sn_tracking_weigh(&moment, -1, 1);
}

static void weights_are_within_0_and_1(void **state)
{
    (void)state;
    memset(&moment, 0, sizeof moment);
    const int index = add("aa");
    sn_tracking_weigh(&moment, index, .25);
    assert_true(moment.expressions[0].weight == .25);
    sn_tracking_weigh(&moment, index, NAN);
    assert_true(moment.expressions[0].weight == .25);
    sn_tracking_weigh(&moment, index, 3);
    assert_true(moment.expressions[0].weight == 1);
    sn_tracking_weigh(&moment, index, -3);
    assert_true(moment.expressions[0].weight == 0);
}

static void rotations_are_unit(void **state)
{
    (void)state;
    memset(&moment, 0, sizeof moment);
    assert_true(sn_tracking_rotate(&moment, SN_HUMANOID_HEAD, (const double[4]){0, 3, 0, 4}, 2));
    assert_true(fabs(moment.rotations[SN_HUMANOID_HEAD][1] - .6) < 1e-12);
    assert_true(moment.confidence[SN_HUMANOID_HEAD] == 1);
    assert_true(sn_tracking_has(&moment, SN_HUMANOID_HEAD));
    sn_tracking_lose(&moment, SN_HUMANOID_HEAD);
    assert_true(moment.tracked == 0);
    assert_false(sn_tracking_rotate(&moment, SN_HUMANOID_HEAD, (const double[4]){0, 0, 0, 0}, 1));
    assert_false(sn_tracking_rotate(&moment, SN_HUMANOID_HEAD, (const double[4]){0, NAN, 0, 1}, 1));
    assert_false(sn_tracking_rotate(&moment, SN_HUMANOID_HEAD, (const double[4]){0, INFINITY, 0, 1}, 1));
    assert_true(moment.tracked == 0);
    const int last = SN_HUMANOID_COUNT - 1;
    assert_true(sn_tracking_rotate(&moment, last, (const double[4]){0, 0, 0, 1}, 1));
    assert_true(sn_tracking_has(&moment, last) && !sn_tracking_has(&moment, last - 1));
}

int test_tracking(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_one_name),
        cmocka_unit_test(a_full_list_takes_no_more),
        cmocka_unit_test(weights_are_within_0_and_1),
        cmocka_unit_test(rotations_are_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
