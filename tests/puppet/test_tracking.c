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

static sn_tracking tracking_frame;

static int add(const char *name)
{
    return sn_tracking_expression(&tracking_frame, name, strlen(name));
}

static void expressions_have_one_name(void **state)
{
    (void)state;
    memset(&tracking_frame, 0, sizeof tracking_frame);
    assert_int_equal(add("JOY"), 0);
    assert_int_equal(add("happy"), 0);
    assert_string_equal(tracking_frame.expressions[0].name, "happy");
    assert_int_equal(add("Blink_L"), 1);
    assert_int_equal(add("blinkleft"), 1);
    assert_int_equal(add("EyeBlinkLeft"), 2);
    assert_string_equal(tracking_frame.expressions[2].name, "eyeBlinkLeft");
    assert_int_equal(add("MyHat"), 3);
    assert_int_equal(add("myhat"), 3);
    assert_string_equal(tracking_frame.expressions[3].name, "MyHat");
    assert_int_equal(add(""), -1);
    assert_int_equal(sn_tracking_expression(&tracking_frame, "a\0b", 3), -1);
    assert_int_equal(add("a name that is longer than any expression's can be"), -1);
    assert_int_equal(tracking_frame.expression_count, 4);
}

static void a_full_list_takes_no_more(void **state)
{
    (void)state;
    char name[16];
    memset(&tracking_frame, 0, sizeof tracking_frame);
    for (int i = 0; i < SN_TRACKING_EXPRESSION_LIMIT; ++i) {
        snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(add(name), i);
    }
    assert_int_equal(add("one more"), -1);
    assert_int_equal(add("x7"), 7);
    sn_tracking_set_weight(&tracking_frame, -1, 1);
}

static void weights_are_within_0_and_1(void **state)
{
    (void)state;
    memset(&tracking_frame, 0, sizeof tracking_frame);
    const int index = add("aa");
    sn_tracking_set_weight(&tracking_frame, index, .25);
    assert_true(tracking_frame.expressions[0].weight == .25);
    sn_tracking_set_weight(&tracking_frame, index, NAN);
    assert_true(tracking_frame.expressions[0].weight == .25);
    sn_tracking_set_weight(&tracking_frame, index, 3);
    assert_true(tracking_frame.expressions[0].weight == 1);
    sn_tracking_set_weight(&tracking_frame, index, -3);
    assert_true(tracking_frame.expressions[0].weight == 0);
}

static void rotations_are_unit(void **state)
{
    (void)state;
    memset(&tracking_frame, 0, sizeof tracking_frame);
    assert_true(sn_tracking_set_rotation(&tracking_frame, SN_HUMANOID_HEAD, (const double[4]){0, 3, 0, 4}, 2));
    assert_true(fabs(tracking_frame.rotations[SN_HUMANOID_HEAD][1] - .6) < 1e-12);
    assert_true(tracking_frame.confidence[SN_HUMANOID_HEAD] == 1);
    assert_true(sn_tracking_has(&tracking_frame, SN_HUMANOID_HEAD));
    sn_tracking_clear_bone(&tracking_frame, SN_HUMANOID_HEAD);
    assert_true(tracking_frame.tracked == 0);
    assert_false(sn_tracking_set_rotation(&tracking_frame, SN_HUMANOID_HEAD, (const double[4]){0, 0, 0, 0}, 1));
    assert_false(sn_tracking_set_rotation(&tracking_frame, SN_HUMANOID_HEAD, (const double[4]){0, NAN, 0, 1}, 1));
    assert_false(sn_tracking_set_rotation(&tracking_frame, SN_HUMANOID_HEAD, (const double[4]){0, INFINITY, 0, 1}, 1));
    assert_true(tracking_frame.tracked == 0);
    const int last = SN_HUMANOID_COUNT - 1;
    assert_true(sn_tracking_set_rotation(&tracking_frame, last, (const double[4]){0, 0, 0, 1}, 1));
    assert_true(sn_tracking_has(&tracking_frame, last) && !sn_tracking_has(&tracking_frame, last - 1));
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
