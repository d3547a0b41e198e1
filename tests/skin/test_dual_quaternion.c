/* SPDX-License-Identifier: MIT */
/* Dual quaternions: one motion is itself, blends stay rigid, and signs do not matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/skin/dual_quaternion.h"

static const double first[4] = {0, 0, 0.6, 0.8}, second[4] = {0.36, 0.48, 0, 0.8};
static const double shift[3] = {1, -2, 3}, other_shift[3] = {-0.5, 0, 2};

static void move(double weight, double sign, const double *point, double *to)
{
    const double flipped[4] = {sign * second[0], sign * second[1], sign * second[2], sign * second[3]};
    const sn_dual_quaternion a = sn_dual_quaternion_make(first, shift);
    const sn_dual_quaternion b = sn_dual_quaternion_make(flipped, other_shift);
    sn_dual_quaternion sum = {{0}, {0}};
    sn_dual_quaternion_add(1 - weight, &a, &sum);
    sn_dual_quaternion_add(weight, &b, &sum);
    sn_dual_quaternion_apply(&sum, point, to);
}

static void test_one_motion_is_itself(void **state)
{
    (void)state;
    const double point[3] = {0.3, 0.7, -1.1};
    double matrix[9], to[3];
    sn_quaternion_to_matrix(second, matrix);
    move(1, 1, point, to);
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(to[d] - sn_dot3(matrix + 3 * d, point) - other_shift[d]) < 1e-14);
    }
}

static void test_blends_are_rigid_whatever_the_signs(void **state)
{
    (void)state;
    const double points[2][3] = {{0.3, 0.7, -1.1}, {2, -1, 0.5}};
    for (double weight = 0; weight <= 1; weight += 0.125) {
        double to[2][3], flipped[3];
        for (int i = 0; i < 2; ++i) {
            move(weight, 1, points[i], to[i]);
            move(weight, -1, points[i], flipped);
            assert_true(sn_distance3(to[i], flipped) < 1e-14);
        }
        assert_true(fabs(sn_distance3(to[0], to[1]) - sn_distance3(points[0], points[1])) < 1e-14);
    }
}

int test_dual_quaternion(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_motion_is_itself),
                                       cmocka_unit_test(test_blends_are_rigid_whatever_the_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
