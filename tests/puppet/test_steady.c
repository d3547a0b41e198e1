/* SPDX-License-Identifier: MIT */
/* What is tracked comes in gently, is held and relaxes when it is lost; what is not sure is not shown; recordings pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/puppet/tracking_filter.h"
#include "tests/puppet/puppet_model.h"

#define HEAD SN_HUMANOID_HEAD

static sn_tracking_filter tracking_filter;
static sn_person_pose pose;
static made_source made;

static void begin(bool is_recorded)
{
    memset(&tracking_filter, 0, sizeof tracking_filter);
    tracking_filter.is_recorded = is_recorded;
    make_source(&made);
}

/* A frame at 60 Hz, with the moment or without one. */
static double advance(bool has_frame, double confidence)
{
    made.tracking_frame.confidence[HEAD] = confidence;
    made.tracking_frame.seconds += 1 / 60.;
    sn_tracking_filter_advance(&tracking_filter, has_frame ? &made.tracking_frame : NULL, 1 / 60.);
    memset(&pose, 0, sizeof pose);
    sn_tracking_filter_add(&tracking_filter, &pose);
    return pose.bone_weights[HEAD];
}

static void it_comes_is_held_and_goes(void **state)
{
    (void)state;
    double before = 0, share;
    begin(false);
    made_turn(&made, HEAD, 0, .5, 0);
    for (int i = 0; i < 18; ++i, before = share) {
        share = advance(true, 1);
        assert_true(share > before && share - before < .1);
    }
    assert_true(before > .999);
    for (int i = 0; i < 29; ++i) {
        assert_true(advance(false, 1) > .999);
    }
    before = 1;
    for (int i = 0; i < 62; ++i, before = share) {
        share = advance(false, 1);
        assert_true(share <= before && before - share < .04);
    }
    assert_true(share == 0);
    made_turn(&made, HEAD, 0, -.5, 0); /* found again: the old place is forgotten */
    share = advance(true, 1);
    assert_true(share > 0 && share < .05 && pose.rotations[HEAD][1] < -.2);
}

static void what_is_not_sure_is_not_shown(void **state)
{
    (void)state;
    begin(false);
    made_turn(&made, HEAD, 0, .5, 0);
    for (int i = 0; i < 60; ++i) {
        assert_true(advance(true, .4) == 0);
    }
    for (int i = 0; i < 60; ++i) {
        advance(true, .6);
    }
    assert_true(pose.bone_weights[HEAD] > .999);
    made_turn(&made, HEAD, 0, -.5, 0);
    for (int i = 0; i < 20; ++i) { /* not below the gate that it came in by, but the one that it goes out by */
        advance(true, .4);
    }
    assert_true(pose.rotations[HEAD][1] < -.2);
    made_turn(&made, HEAD, 0, .5, 0);
    for (int i = 0; i < 20; ++i) {
        advance(true, .1);
    }
    assert_true(pose.rotations[HEAD][1] < -.2 && pose.bone_weights[HEAD] > .999);
}

/* Moments at 20 Hz, frames at 60: each frame goes on. */
static void frames_between_moments_go_on(void **state)
{
    (void)state;
    double least = 1, most = 0, before = 0;
    begin(false);
    for (int i = 0; i < 120; ++i) {
        made_turn(&made, HEAD, 0, .01 * (i - i % 3), 0);
        made.tracking_frame.seconds = (i - i % 3) / 60.;
        sn_tracking_filter_advance(&tracking_filter, i % 3 == 0 ? &made.tracking_frame : NULL, 1 / 60.);
        memset(&pose, 0, sizeof pose);
        sn_tracking_filter_add(&tracking_filter, &pose);
        const double step = pose.rotations[HEAD][1] - before;
        before = pose.rotations[HEAD][1];
        if (i > 90) {
            least = fmin(least, step);
            most = fmax(most, step);
        }
    }
    assert_true(least > .2 * most);
}

static void recordings_pass_as_they_are(void **state)
{
    (void)state;
    double presence;
    begin(true);
    for (int i = 0; i < 10; ++i) {
        made_turn(&made, HEAD, 0, i % 2 ? .5 : -.5, 0);
        made_weigh(&made, "aa", i % 2);
        assert_true(advance(true, 1) == 1);
        assert_true(memcmp(pose.rotations[HEAD], made.tracking_frame.rotations[HEAD], sizeof pose.rotations[HEAD]) ==
                    0);
        assert_true(sn_tracking_filter_weight(&tracking_filter, 0, &presence) == i % 2 && presence == 1);
    }
}

static void a_face_that_is_lost_relaxes(void **state)
{
    (void)state;
    double presence;
    begin(false);
    made_weigh(&made, "aa", 1);
    for (int i = 0; i < 60; ++i) {
        advance(true, 1);
    }
    assert_true(sn_tracking_filter_weight(&tracking_filter, 0, &presence) > .99 && presence == 1);
    made.tracking_frame.is_face_lost = true;
    for (int i = 0; i < 100; ++i) {
        advance(true, 1);
    }
    sn_tracking_filter_weight(&tracking_filter, 0, &presence);
    assert_true(presence == 0);
}

/* A place that comes with its height is in that height's measure from the first frame on. */
static void a_height_comes_with_its_place(void **state)
{
    (void)state;
    begin(false);
    made.tracking_frame.has_hips = true;
    made.tracking_frame.hips[1] = .5;
    made.tracking_frame.hips_height = .45;
    for (int i = 0; i < 30; ++i) {
        advance(true, 1);
        assert_true(pose.hips_weight == 0 || pose.hips_height_weight == 1);
    }
    assert_true(pose.hips_weight == 1);
}

/* The hips' place is divided by it: noise of 4% must not be a shake, and what becomes known must not be a jump. */
static void a_height_is_steady(void **state)
{
    (void)state;
    double before = 0, least = 1e9, most = 0;
    uint32_t random = 1;
    begin(false);
    made.tracking_frame.has_hips = true;
    made.tracking_frame.hips[1] = 1;
    for (int i = 0; i < 60; ++i) {
        advance(true, 1);
        assert_true(pose.hips_height_weight == 0);
    }
    for (int i = 0; i < 600; ++i) {
        random = 1664525 * random + 1013904223;
        made.tracking_frame.hips_height = .85 * (1 + .08 * (random / 4294967296. - .5));
        const double share = pose.hips_height_weight;
        advance(true, 1);
        assert_true(pose.hips_height_weight >= share && pose.hips_height_weight - share < .1);
        const double scale = 1 / pose.hips_height;
        assert_true(i < 60 || fabs(scale - before) < 1e-3 * scale);
        before = scale;
        least = i < 60 ? least : fmin(least, pose.hips_height);
        most = i < 60 ? most : fmax(most, pose.hips_height);
    }
    assert_true(pose.hips_height_weight == 1 && most - least < .01 && least > .84 && most < .86);
    made.tracking_frame.hips_height = 0; /* legs are out of the picture: they are as long */
    advance(true, 1);
    assert_true(pose.hips_height > .84 && pose.hips_height_weight == 1);
}

static void the_later_source_prevails(void **state)
{
    (void)state;
    static sn_tracking_filter other;
    begin(false);
    made_turn(&made, HEAD, 0, .5, 0);
    made_turn(&made, SN_HUMANOID_NECK, 0, .5, 0);
    for (int i = 0; i < 30; ++i) {
        advance(true, 1);
    }
    other = tracking_filter;
    begin(true);
    made_turn(&made, HEAD, 0, -.5, 0);
    advance(true, 1);
    memset(&pose, 0, sizeof pose);
    sn_tracking_filter_add(&other, &pose);
    sn_tracking_filter_add(&tracking_filter, &pose);
    assert_true(pose.rotations[HEAD][1] < -.2 && pose.rotations[SN_HUMANOID_NECK][1] > .2);
    assert_true(pose.bone_weights[HEAD] == 1 && pose.bone_weights[SN_HUMANOID_NECK] > .999);
}

static void wrists_do_not_twist(void **state)
{
    (void)state;
    const int arm = sn_humanoid_bone_index(1, SN_PART_LOWER_ARM), hand = sn_humanoid_bone_index(1, SN_PART_HAND);
    memset(&pose, 0, sizeof pose);
    sn_quaternion_from_vector((const double[3]){0, 0, 0}, pose.rotations[arm]);
    sn_quaternion_from_vector((const double[3]){1.2, 0, 0}, pose.rotations[hand]);
    pose.bone_weights[hand] = 1;
    sn_tracking_filter_limit_twists(&pose); /* of an arm that is not tracked nothing is taken */
    assert_true(pose.rotations[arm][0] == 0);
    pose.bone_weights[arm] = 1;
    sn_tracking_filter_limit_twists(&pose);
    assert_true(2 * asin(pose.rotations[hand][0]) < .61 && pose.rotations[arm][0] > .1);
}

int test_steady(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_is_held_and_goes),    cmocka_unit_test(what_is_not_sure_is_not_shown),
        cmocka_unit_test(frames_between_moments_go_on), cmocka_unit_test(recordings_pass_as_they_are),
        cmocka_unit_test(a_face_that_is_lost_relaxes),  cmocka_unit_test(the_later_source_prevails),
        cmocka_unit_test(a_height_is_steady),           cmocka_unit_test(a_height_comes_with_its_place),
        cmocka_unit_test(wrists_do_not_twist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
