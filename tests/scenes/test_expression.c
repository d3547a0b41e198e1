/* SPDX-License-Identifier: MIT */
/* Expressions have the values that arithmetic gives, and what is no expression is refused where it goes wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/script/expression.h"

static double value(const char *text, double t, int i, int n)
{
    sn_expression expression;
    sn_expression_error error = {0};
    if (!sn_expression_compile(text, &expression, &error)) {
        fail_msg("%s: %zu: %s", text, error.at, error.message);
    }
    return sn_expression_value(&expression, t, i, n);
}

static void test_values(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const struct {
        const char *text;
        double t, expected;
    } cases[] = {
        {"1", 0, 1},
        {" 1 +\t2*3 ", 0, 7},
        {"(1 + 2)*3", 0, 9},
        {"8/4/2", 0, 1},
        {"8 - 4 - 2", 0, 2},
        {"-2^2", 0, -4},
        {"2^3^2", 0, 512},
        {"2^-1", 0, 0.5},
        {"--3", 0, 3},
        {"1.5e2 - .5", 0, 149.5},
        {"0.4*sin(9*t)", 0.3, 0.4 * sin(2.7)},
        {"cos(pi*t)", 2, 1},
        {"tan(pi/4)", 0, tan(pi / 4)},
        {"exp(1) + sqrt(4) + abs(-3) + floor(-0.5)", 0, exp(1) + 4},
        {"min(t, 2) + max(t, 2)", 5, 7},
        {"mod(-1, 3)", 0, 2},
        {"step(1, t)", 1, 1},
        {"step(1, t)", 0.999, 0},
        {"smooth(1, 3, t)", 2, 0.5},
        {"smooth(1, 3, t)", 9, 1},
        {"clamp(t, -1, 1)", -7, -1},
        {"i*10 + n", 0, 37},
        {"1/t", 0, 0},
        {"sqrt(-1)", 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const double found = value(cases[k].text, cases[k].t, 3, 7);
        if (!(fabs(found - cases[k].expected) < 1e-12)) {
            fail_msg("%s is %g, not %g", cases[k].text, found, cases[k].expected);
        }
    }
}

static void test_random_numbers_differ_and_stay(void **state)
{
    (void)state;
    double sum = 0;
    for (int i = 0; i < 1000; ++i) {
        const double x = value("random(i)", 0, i, 1000);
        assert_true(x >= 0 && x < 1 && x == value("random(i)", 5, i, 1));
        assert_true(x != value("random(i + 1)", 0, i, 1));
        sum += x;
    }
    assert_true(fabs(sum / 1000 - 0.5) < 0.05);
}

static void test_errors_say_where(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t at;
        const char *message;
    } cases[] = {
        {"", 0, "missing"},        {"1 +", 3, "missing"},   {"2 t", 2, "operator"},   {"sin t", 4, "'('"},
        {"sin(1", 5, "')'"},       {"min(1)", 5, "few"},    {"sin(1, 2)", 5, "many"}, {"u", 0, "unknown"},
        {"sint(1)", 0, "unknown"}, {"1e999", 0, "large"},   {"0x10", 1, "operator"},  {"inf", 0, "unknown"},
        {"(1", 2, "')'"},          {"1..2", 2, "operator"}, {".", 0, "missing"},      {"1)", 1, "operator"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        sn_expression expression;
        sn_expression_error error = {0};
        assert_false(sn_expression_compile(cases[k].text, &expression, &error));
        if (error.at != cases[k].at || !strstr(error.message, cases[k].message)) {
            fail_msg("'%s': at %zu: %s", cases[k].text, error.at, error.message);
        }
        assert_true(sn_expression_value(&expression, 1, 1, 1) == 0);
    }
}

/* Long and deep ones are refused, not run out of room. */
static void test_limits(void **state)
{
    (void)state;
    static char text[8192];
    sn_expression expression;
    sn_expression_error error;
    memset(text, '(', sizeof text - 1);
    assert_false(sn_expression_compile(text, &expression, &error));
    memset(text, '-', sizeof text - 1);
    assert_false(sn_expression_compile(text, &expression, &error));
    for (size_t i = 0; i + 2 < sizeof text; i += 2) {
        memcpy(text + i, "1+", 3);
    }
    assert_false(sn_expression_compile(text, &expression, &error));
    text[0] = '\0';
    for (int i = 0; i < 40; ++i) {
        strcat(text, "1+(");
    }
    assert_false(sn_expression_compile(text, &expression, &error));
}

int test_expression(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_random_numbers_differ_and_stay),
        cmocka_unit_test(test_errors_say_where),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
