/* SPDX-License-Identifier: MIT */
/* The test motions of the root: their distances are fractions of the height, at any size. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/model/root_motion.h"
#include "tests/support/bar.h"

#define STEP (1.0 / 240)

/* A bar of 1.5 x 0.5 x 0.5, scaled to a diagonal of 1 by default, or kept. */
static sn_model *cook_sized(sn_cook_context *cooking, double size)
{
    sn_model *model = NULL;
    sn_cook_desc desc = sn_default_cook_desc();
    *cooking = (sn_cook_context){.path = NULL};
    cooking->mesh = sn_test_bar(&cooking->arena, 3, 1, 1, 0.5);
    desc.mode_count = 2;
    desc.cluster_count = 2;
    desc.size = size;
    assert_int_equal(sn_cook_context_run(cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(cooking->bytes, cooking->size, &model), SN_OK);
    return model;
}

typedef struct path {
    double max_height, min_height, max_speed, max_angle, end[12];
} path;

/* Of the middle of the bar; angles are those between the rest pose's axes and the motion's. */
static path follow(const sn_model *model, sn_root_motion_type type)
{
    sn_root_motion motion;
    double pose[12], middle[3], before[3];
    path p = {0};
    sn_root_motion_init(model, type, pose, &motion);
    for (int i = 0; i * STEP <= sn_root_motion_seconds(&motion) + 1; ++i) {
        sn_root_motion_pose(&motion, i * STEP, pose);
        double distance = 0;
        for (int d = 0; d < 3; ++d) {
            const double *row = pose + 4 * d;
            middle[d] = row[0] * motion.centre[0] + row[1] * motion.centre[1] + row[2] * motion.centre[2] + row[3];
            distance = hypot(distance, i > 0 ? middle[d] - before[d] : 0);
            before[d] = middle[d];
        }
        const double height = (middle[1] - motion.centre[1]) / motion.height;
        p.max_height = fmax(p.max_height, height);
        p.min_height = fmin(p.min_height, height);
        p.max_speed = fmax(p.max_speed, distance / STEP / motion.height);
        p.max_angle = fmax(p.max_angle, acos(fmin(fmax((pose[0] + pose[5] + pose[10] - 1) / 2, -1), 1)));
    }
    memcpy(p.end, pose, sizeof pose);
    for (int d = 0; d < 3; ++d) {
        p.end[4 * d + 3] /= motion.height;
    }
    return p;
}

static void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%g instead of %g", value, expected);
    }
}

static void test_distances_are_fractions_of_the_height(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_cook_context cooking;
        sn_model *model = cook_sized(&cooking, i == 0 ? 0 : 300);
        const double pi = 3.14159265358979323846;
        const path jump = follow(model, SN_ROOT_MOTION_JUMP), dash = follow(model, SN_ROOT_MOTION_DASH),
                   shake = follow(model, SN_ROOT_MOTION_SHAKE), turn = follow(model, SN_ROOT_MOTION_TURN);
        expect_near(jump.max_height, 0.5, 1e-3);
        expect_near(jump.min_height, -0.15, 1e-3);
        expect_near(dash.max_speed, 2, 1e-6);
        expect_near(dash.end[11], 2 * (0.5 * 0.15 + 0.6 + 0.5 * 0.1), 1e-9);
        expect_near(shake.max_angle, pi / 4, 1e-3);
        expect_near(turn.max_angle, pi, 1e-6);
        const path *returning[] = {&jump, &shake, &turn};
        for (int k = 0; k < 3; ++k) { /* they end where they began */
            for (int e = 0; e < 12; ++e) {
                expect_near(returning[k]->end[e], e % 5 == 0 && e < 11 ? 1 : 0, 1e-6);
            }
            assert_true(returning[k]->max_speed < 3);
        }
        sn_model_release(model);
        sn_cook_context_finish(&cooking);
    }
}

static void test_the_dash_has_ended(void **state)
{
    (void)state;
    sn_cook_context cooking;
    sn_model *model = cook_sized(&cooking, 0);
    sn_root_motion motion;
    double before[12], stopped[12], last[12];
    sn_root_motion_init(model, SN_ROOT_MOTION_DASH, before, &motion);
    expect_near(motion.height, model->height, 1e-6 * model->height);
    sn_root_motion_pose(&motion, SN_ROOT_MOTION_DASH_END - 0.02, before);
    sn_root_motion_pose(&motion, SN_ROOT_MOTION_DASH_END, stopped);
    sn_root_motion_pose(&motion, sn_root_motion_seconds(&motion), last);
    assert_true(before[11] < stopped[11] - 1e-4 * motion.height);
    expect_near(stopped[11], last[11], 1e-9);
    assert_true(sn_root_motion_seconds(&motion) >= SN_ROOT_MOTION_DASH_END + 2.5);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

/* A model that is bound face down, and whose clip stands: it jumps standing. */
static void test_a_model_that_is_bound_face_down(void **state)
{
    (void)state;
    static const int32_t frame_counts[1] = {2};
    static const double rates[1] = {60};
    static const float frames[24] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0,
                                     0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0}; /* x becomes y */
    sn_cook_context cooking;
    sn_model *model = cook_sized(&cooking, 0);
    sn_model standing = *model;
    sn_root_motion motion, lying;
    double pose[12];
    sn_root_motion_init(model, SN_ROOT_MOTION_JUMP, pose, &lying);
    assert_true(sn_model_upright_pose(model, pose));
    standing.counts.clip_count = 1;
    standing.counts.clip_frame_total = 2;
    standing.counts.clip_name_bytes = 5;
    standing.clip_names = "walk";
    standing.clip_frame_counts = frame_counts;
    standing.clip_frame_rates = rates;
    standing.clip_transforms = frames;
    assert_int_equal(sn_model_find_clip_of(&standing, "walk"), 0);
    assert_int_equal(sn_model_find_clip_of(&standing, "idle"), -1);
    assert_false(sn_model_upright_pose(&standing, pose));
    for (int i = 0; i < 12; ++i) {
        assert_true(pose[i] == (double)frames[i]);
    }
    sn_root_motion_init(&standing, SN_ROOT_MOTION_JUMP, pose, &motion);
    expect_near(motion.height, 3 * lying.height, 1e-5 * lying.height);
    sn_root_motion_pose(&motion, 0, pose);
    assert_true(pose[4] == 1 && pose[9] == 1);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

static void test_names(void **state)
{
    (void)state;
    const sn_model model = {.counts = {.clip_count = 3, .clip_name_bytes = 21},
                            .clip_names = "2H_Idle\0Idle\0Sit_idle"};
    assert_int_equal(sn_model_find_clip_of(&model, "idle"), 1);
    assert_int_equal(sn_model_find_clip_of(&model, "sit"), 2);
    sn_root_motion_type type = SN_ROOT_MOTION_COUNT;
    for (int i = 0; i < SN_ROOT_MOTION_COUNT; ++i) {
        assert_true(sn_root_motion_find(sn_root_motion_name((sn_root_motion_type)i), &type));
        assert_int_equal(type, i);
    }
    assert_false(sn_root_motion_find("jumps", &type));
}

int test_root_motion(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_are_fractions_of_the_height),
        cmocka_unit_test(test_the_dash_has_ended),
        cmocka_unit_test(test_a_model_that_is_bound_face_down),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
