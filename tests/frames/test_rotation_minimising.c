/* SPDX-License-Identifier: MIT */
/* Frames along curves whose rotation-minimising frames are known: a line, a circle, a helix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/frames/rotation_minimising.h"
#include "host/math/vec3.h"

#define MOST 1601

static double points[3 * MOST], tangents[3 * MOST], frames[9 * MOST];

static void assert_rotation(const double *frame)
{
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            const double dot = frame[a] * frame[b] + frame[3 + a] * frame[3 + b] + frame[6 + a] * frame[6 + b];
            assert_true(fabs(dot - (a == b)) < 1e-13);
        }
    }
    const double det = frame[0] * (frame[4] * frame[8] - frame[5] * frame[7]) -
                       frame[1] * (frame[3] * frame[8] - frame[5] * frame[6]) +
                       frame[2] * (frame[3] * frame[7] - frame[4] * frame[6]);
    assert_true(fabs(det - 1) < 1e-12);
}

static double column_dot(const double *frame, int column, const double *axis)
{
    return frame[column] * axis[0] + frame[3 + column] * axis[1] + frame[6 + column] * axis[2];
}

/* Of curvature a / (a^2 + b^2) and torsion b / (a^2 + b^2): r turns by -torsion against the Frenet frame. */
static void make_helix(int count, double a, double b, double length)
{
    const double c = sqrt(a * a + b * b);
    for (int i = 0; i < count; ++i) {
        const double s = length * i / (count - 1) / c;
        const double point[3] = {a * cos(s), a * sin(s), b * s}, tangent[3] = {-a * sin(s) / c, a * cos(s) / c, b / c};
        for (int d = 0; d < 3; ++d) {
            points[3 * i + d] = point[d];
            tangents[3 * i + d] = tangent[d];
        }
    }
}

static double helix_error(int count, double a, double b, double length)
{
    const double c = sqrt(a * a + b * b), normal[3] = {-1, 0, 0}; /* Frenet's at the start */
    double largest = 0;
    make_helix(count, a, b, length);
    sn_frames_minimise_rotation(count, points, tangents, normal, frames);
    for (int i = 0; i < count; ++i) {
        const double along = length * i / (count - 1), s = along / c, angle = -b / (c * c) * along;
        const double n[3] = {-cos(s), -sin(s), 0}, binormal[3] = {b * sin(s) / c, -b * cos(s) / c, a / c};
        double error = 0;
        assert_rotation(frames + 9 * i);
        for (int d = 0; d < 3; ++d) {
            const double expected = cos(angle) * n[d] + sin(angle) * binormal[d];
            error += pow(frames[9 * i + 3 * d + 1] - expected, 2);
        }
        largest = fmax(largest, sqrt(error));
    }
    return largest;
}

static void test_a_helix_is_met_to_fourth_order(void **state)
{
    (void)state;
    const double coarse = helix_error(101, 1, 0.5, 20), fine = helix_error(201, 1, 0.5, 20);
    assert_true(fine < 2e-5);
    assert_true(coarse / fine > 14 && coarse / fine < 18);
    assert_true(helix_error(MOST, 0.3, -1, 20) < 1e-7);
}

/* In its plane; and across it. */
static void test_a_circle_does_not_turn(void **state)
{
    (void)state;
    const double across[3] = {0, 0, 1}, slanted[3] = {1, 0, 1};
    make_helix(64, 2, 0, 4 * 3.14159265358979323846);
    sn_frames_minimise_rotation(64, points, tangents, across, frames);
    for (int i = 0; i < 64; ++i) {
        assert_rotation(frames + 9 * i);
        assert_true(fabs(column_dot(frames + 9 * i, 1, across) - 1) < 1e-12);
    }
    sn_frames_minimise_rotation(64, points, tangents, slanted, frames);
    for (int i = 0; i < 64; ++i) {
        const double outwards[3] = {points[3 * i] / 2, points[3 * i + 1] / 2, 0};
        assert_true(fabs(column_dot(frames + 9 * i, 1, across) - sqrt(0.5)) < 1e-12);
        assert_true(fabs(column_dot(frames + 9 * i, 1, outwards) - sqrt(0.5)) < 1e-12);
    }
}

/* Places that are the same, a tangent turned about, a normal that is none: frames all the same. */
static void test_degenerate_lines_have_frames(void **state)
{
    (void)state;
    const double none[3] = {0}, up[3] = {0, 1, 0};
    const double still[12] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}, turned[12] = {0, 1, 0, 0, 1, 0, 0, -1, 0, 1, 0, 0};
    sn_frames_minimise_rotation(4, still, turned, none, frames);
    for (int i = 0; i < 4; ++i) {
        assert_rotation(frames + 9 * i);
        assert_true(fabs(column_dot(frames + 9 * i, 0, turned + 3 * i) - 1) < 1e-14);
    }
    sn_frames_minimise_rotation(1, still, turned, up, frames); /* along the tangent */
    assert_rotation(frames);
}

int test_rotation_minimising(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_helix_is_met_to_fourth_order),
        cmocka_unit_test(test_a_circle_does_not_turn),
        cmocka_unit_test(test_degenerate_lines_have_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
