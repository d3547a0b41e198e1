/* SPDX-License-Identifier: MIT */
/* Where landmarks say that somebody is: aside in the picture, on the floor, crouched. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/landmark_person.h"
#include "tests/support/standing_person.h"

static const int legs[2] = {SN_HUMANOID_LEFT + SN_PART_UPPER_LEG, SN_HUMANOID_RIGHT + SN_PART_UPPER_LEG};

/* A picture of the person by a camera far off, so many metres high; `aside` metres to the right of its middle. */
static void picture(sn_landmarks *seen, double size, double aside, double down)
{
    seen->has_image = true;
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        seen->image[i][0] = (seen->pose[i][0] + aside) / size;
        seen->image[i][1] = (seen->pose[i][1] + down) / size;
    }
}

/* Metres to the left, whatever the size of the person in the picture; from its middle, not from its upper edge. */
static void test_stepping_aside(void **unused)
{
    (void)unused;
    static const double sizes[] = {0.9, 2.5, 8};
    for (int k = 0; k < 3; ++k) {
        sn_landmarks seen = sn_test_stand();
        picture(&seen, sizes[k], 0.7, 0.3);
        sn_tracking tracking_frame = sn_test_solve_once(&seen);
        assert_true(tracking_frame.has_hips && fabs(tracking_frame.hips[0] - 0.7) < 1e-9 &&
                    tracking_frame.hips[2] == 0);
        assert_true(fabs(tracking_frame.hips[1] - 0.9) < 1e-9); /* on the floor, wherever in the picture */
        seen.mirrored = true;
        tracking_frame = sn_test_solve_once(&seen);
        assert_true(fabs(tracking_frame.hips[0] + 0.7) < 1e-9);
        for (int i = SN_POSE_KNEE; i < SN_POSE_COUNT; ++i) {
            seen.pose[i][3] = 0; /* legs are out of the picture: as somebody stands */
            seen.image[i][0] = 100;
        }
        tracking_frame = sn_test_solve_once(&seen);
        assert_true(tracking_frame.has_hips && fabs(tracking_frame.hips[0] + 0.7) < 1e-9);
        assert_true(fabs(tracking_frame.hips[1] - 1.09 * tracking_frame.hips_height) < 1e-9);
    }
}

/* Shaken landmarks of a picture do not send anybody off: a millimetre of noise is one or two. */
static void test_a_shaken_picture(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    for (int f = 0; f < 120; ++f) {
        sn_landmarks seen = sn_test_stand();
        seen.seconds = f / 30.;
        picture(&seen, 2.5, 0.7, 0);
        for (int i = 0; i < SN_POSE_COUNT; ++i) {
            seen.image[i][0] += 4e-4 * sin(100. * f + i);
            seen.image[i][1] += 4e-4 * sin(170. * f + 3 * i);
        }
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        assert_true(tracking_frame.has_hips && fabs(tracking_frame.hips[0] - 0.7) < 4e-3);
    }
}

/* Whoever stands aside stays there through a moment that does not say where, and its height is that moment's. */
static void test_a_moment_without_a_picture(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    for (int f = 0; f < 3; ++f) {
        sn_landmarks seen = sn_test_stand();
        seen.seconds = f / 30.;
        picture(&seen, 2.5, 0.6, 0);
        seen.has_image = f != 1;
        seen.pose[SN_POSE_HEEL][1] = seen.pose[SN_POSE_HEEL + 1][1] = f == 1 ? 0.95 : 0.9;
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        assert_true(tracking_frame.has_hips && fabs(tracking_frame.hips[0] - 0.6) < 1e-9);
        assert_true(fabs(tracking_frame.hips[1] - (f == 1 ? 0.95 : 0.9)) < 1e-9);
    }
}

/* A picture that has nothing to do with the metres, or is one point, says nothing of the place. */
static void test_a_picture_of_nothing(void **unused)
{
    (void)unused;
    sn_landmarks seen = sn_test_stand();
    picture(&seen, 2.5, 0.7, 0);
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        seen.image[i][0] = -seen.image[i][0];
        seen.image[i][1] = -seen.image[i][1];
    }
    sn_tracking tracking_frame = sn_test_solve_once(&seen);
    assert_true(tracking_frame.has_hips && tracking_frame.hips[0] == 0);
    memset(seen.image, 0, sizeof seen.image);
    tracking_frame = sn_test_solve_once(&seen);
    assert_true(tracking_frame.has_hips && tracking_frame.hips[0] == 0);
    picture(&seen, 1000, 0.7, 0);
    tracking_frame = sn_test_solve_once(&seen);
    assert_true(tracking_frame.has_hips && tracking_frame.hips[0] == 0);
}

/* Knees bend: the feet stay, the hips come down, by one leg that is seen as by two. */
static void test_a_crouch(void **unused)
{
    (void)unused;
    for (int hidden = 0; hidden < 2; ++hidden) {
        sn_test_person person = sn_test_person_at_rest();
        for (int side = 0; side < 2; ++side) {
            sn_test_turn(&person, legs[side], 1, 0, 0, -0.8);
            sn_test_turn(&person, legs[side] + 1, 1, 0, 0, 1.6);
            sn_test_turn(&person, legs[side] + 2, 1, 0, 0, -0.8);
        }
        sn_landmarks seen = sn_test_see(&person, false);
        seen.pose[SN_POSE_KNEE][3] = seen.pose[SN_POSE_ANKLE][3] = hidden ? 0 : 1;
        picture(&seen, 2.5, -0.2, 0);
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        assert_true(tracking_frame.has_hips && fabs(tracking_frame.hips[1] - (0.08 + 0.82 * cos(0.8))) < 1e-9);
        assert_true(fabs(tracking_frame.hips_height - 0.82) < 1e-9 && fabs(tracking_frame.hips[0] + 0.2) < 1e-9);
        assert_int_equal(sn_tracking_has(&tracking_frame, legs[0]), !hidden);
    }
}

int test_landmarks_place(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stepping_aside),
        cmocka_unit_test(test_a_shaken_picture),
        cmocka_unit_test(test_a_moment_without_a_picture),
        cmocka_unit_test(test_a_picture_of_nothing),
        cmocka_unit_test(test_a_crouch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
