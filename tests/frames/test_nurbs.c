/* SPDX-License-Identifier: MIT */
/* Curves against circles and Bernstein polynomials; derivatives against finite differences; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/frames/nurbs.h"
#include "host/math/vec3.h"

/* A circle of radius 2 in the plane z = 3, of four quarters (Piegl and Tiller, figure 7.16a). */
static sn_nurbs circle(void)
{
    static const double points[27] = {2, 0,  3,  2, 2, 3,  0, 2, 3,  -2, 2, 3, -2, 0,
                                      3, -2, -2, 3, 0, -2, 3, 2, -2, 3,  2, 0, 3};
    static double weights[9];
    static const double knots[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    for (int i = 0; i < 9; ++i) {
        weights[i] = i % 2 ? sqrt(0.5) : 1;
    }
    return (sn_nurbs){2, 9, points, weights, knots};
}

static void test_a_circle_is_one(void **state)
{
    (void)state;
    const sn_nurbs c = circle();
    assert_null(sn_nurbs_fault(&c));
    for (int i = 0; i <= 400; ++i) {
        double point[3], slope[3];
        sn_nurbs_evaluate(&c, i / 100.0, point, slope);
        assert_true(fabs(hypot(point[0], point[1]) - 2) < 1e-14 && fabs(point[2] - 3) < 1e-14);
        assert_true(fabs(point[0] * slope[0] + point[1] * slope[1]) < 1e-13 && fabs(slope[2]) < 1e-13);
        assert_true(point[0] * slope[1] - point[1] * slope[0] > 4); /* counter-clockwise */
    }
    double start[3], before[3];
    sn_nurbs_evaluate(&c, 0, start, NULL);
    sn_nurbs_evaluate(&c, -5, before, NULL); /* taken into the range */
    assert_memory_equal(start, before, sizeof start);
    sn_nurbs_evaluate(&c, 4, before, NULL);
    assert_true(sn_distance3(start, before) < 1e-15);
}

/* One span is Bezier's curve. */
static void test_a_span_is_bezier(void **state)
{
    (void)state;
    const double points[12] = {0, 0, 0, 1, 2, 0, 3, -1, 1, 4, 0, 5}, weights[4] = {1, 1, 1, 1};
    double knots[8];
    sn_nurbs_clamped_knots(3, 4, knots);
    const sn_nurbs c = {3, 4, points, weights, knots};
    for (int i = 0; i <= 10; ++i) {
        const double u = i / 10.0, v = 1 - u, b[4] = {v * v * v, 3 * u * v * v, 3 * u * u * v, u * u * u};
        const double db[3] = {3 * v * v, 6 * u * v, 3 * u * u};
        double point[3], slope[3];
        sn_nurbs_evaluate(&c, u, point, slope);
        for (int d = 0; d < 3; ++d) {
            double expected = 0, rate = 0;
            for (int j = 0; j < 4; ++j) {
                expected += b[j] * points[3 * j + d];
                rate += j < 3 ? db[j] * (points[3 * j + 3 + d] - points[3 * j + d]) : 0;
            }
            assert_true(fabs(point[d] - expected) < 1e-14 && fabs(slope[d] - rate) < 1e-13);
        }
    }
}

/* Uneven knots, a knot of multiplicity 2, uneven weights. */
static void test_derivatives_are_those_of_differences(void **state)
{
    (void)state;
    const double points[21] = {0, 0, 0, 1, 2, 0, 3, -1, 1, 4, 0, 5, 6, 2, 2, 5, 5, 1, 2, 7, 0};
    const double weights[7] = {1, 2, 0.5, 1, 3, 0.25, 1}, knots[11] = {-1, -1, -1, -1, 0.5, 2, 2, 5, 5, 5, 5};
    const sn_nurbs c = {3, 7, points, weights, knots};
    assert_null(sn_nurbs_fault(&c));
    for (int i = 1; i < 60; ++i) {
        const double u = -1 + i * 0.1 + 0.013, h = 1e-5;
        double point[3], slope[3], ahead[3], behind[3];
        sn_nurbs_evaluate(&c, u, point, slope);
        sn_nurbs_evaluate(&c, u + h, ahead, NULL);
        sn_nurbs_evaluate(&c, u - h, behind, NULL);
        for (int d = 0; d < 3 && u + h < 5; ++d) {
            assert_true(fabs((ahead[d] - behind[d]) / (2 * h) - slope[d]) < 1e-6 * (1 + fabs(slope[d])));
        }
    }
}

static void test_faults(void **state)
{
    (void)state;
    const double points[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    const struct {
        int degree, count;
        double weights[4], knots[8];
        const char *says;
    } cases[] = {
        {2, 4, {1, 1, 1, 1}, {0, 0, 0, 1, 2, 2, 2}, NULL},
        {2, 4, {1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6}, NULL}, /* not clamped */
        {0, 4, {1, 1, 1, 1}, {0}, "degree"},
        {8, 4, {1, 1, 1, 1}, {0}, "degree"},
        {3, 3, {1, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 1}, "points"},
        {2, 4, {1, 0, 1, 1}, {0, 0, 0, 1, 2, 2, 2}, "weights"},
        {2, 4, {1, 1, NAN, 1}, {0, 0, 0, 1, 2, 2, 2}, "weights"},
        {2, 4, {1, 1, 1, INFINITY}, {0, 0, 0, 1, 2, 2, 2}, "weights"},
        {2, 4, {1, 1, 1, 1}, {0, 0, 0, 3, 2, 2, 2}, "ascend"},
        {2, 4, {1, 1, 1, 1}, {0, 0, 0, 1, 2, 2, NAN}, "ascend"},
        {2, 4, {1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}, "must not be empty"},
        {2, 4, {1, 1, 1, 1}, {0, 0, 0, 0, 2, 2, 2}, "not continuous"},
        {1, 4, {1, 1, 1, 1}, {0, 0, 1, 1, 2, 2}, "not continuous"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sn_nurbs c = {cases[i].degree, cases[i].count, points, cases[i].weights, cases[i].knots};
        const char *fault = sn_nurbs_fault(&c);
        assert_true(cases[i].says ? fault && strstr(fault, cases[i].says) != NULL : !fault);
    }
}

static void test_samples_are_even_enough(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_nurbs_samples s;
    const sn_nurbs c = circle();
    assert_int_equal(sn_nurbs_sample(&c, 0.1, &arena, &s), SN_OK);
    assert_true(s.count > 4 * 30 && s.count < 4 * 60);
    for (int i = 0; i < s.count; ++i) {
        const double *at = s.points + 3 * i, *t = s.tangents + 3 * i;
        assert_true(fabs(sn_length3(t) - 1) < 1e-14 && fabs(sn_dot3(at, t)) < 1e-13);
        assert_true(i == 0 || sn_distance3(at, at - 3) < 0.13);
    }
    assert_true(s.points[0] == 2 && fabs(s.points[3 * (s.count - 1)] - 2) < 1e-15);
    /* three control points at one place: the curve stands still at its start, and points on */
    const double points[15] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 1, 1, 6, 1, 1}, weights[5] = {1, 1, 1, 1, 1};
    double knots[8];
    sn_nurbs_clamped_knots(2, 5, knots);
    const sn_nurbs still = {2, 5, points, weights, knots};
    assert_null(sn_nurbs_fault(&still));
    assert_int_equal(sn_nurbs_sample(&still, 1e9, &arena, &s), SN_OK);
    assert_int_equal(s.count, 3 * 8 + 1);
    for (int i = 0; i < s.count; ++i) {
        assert_true(s.tangents[3 * i] == 1 && s.tangents[3 * i + 1] == 0 && s.tangents[3 * i + 2] == 0);
    }
    sn_arena_finish(&arena);
}

int test_nurbs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_circle_is_one),
        cmocka_unit_test(test_a_span_is_bezier),
        cmocka_unit_test(test_derivatives_are_those_of_differences),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_samples_are_even_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
