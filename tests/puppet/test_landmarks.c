/* SPDX-License-Identifier: MIT */
/* Landmarks of a person whose rotations are known give these back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/math/vec3.h"
#include "tests/support/landmark_person.h"
#include "tests/support/poses.h"
#include "tests/support/standing_person.h"

#define EXACT 1e-9
#define RIGHT_ANGLE 1.57079632679489662

static const int arms[2] = {SN_HUMANOID_LEFT + SN_PART_UPPER_ARM, SN_HUMANOID_RIGHT + SN_PART_UPPER_ARM};
static const int legs[2] = {SN_HUMANOID_LEFT + SN_PART_UPPER_LEG, SN_HUMANOID_RIGHT + SN_PART_UPPER_LEG};

/* Of the turn between two rotations. */
static double angle_between(const double *a, const double *b)
{
    double back[4], turn[4];
    sn_quaternion_conjugate(a, back);
    sn_quaternion_multiply(back, b, turn);
    return 2 * atan2(sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]), fabs(turn[3]));
}

/* world rotations of what is tracked */
static void turns_of(const sn_tracking *tracking_frame, double (*worlds)[4])
{
    for (int b = 0; b < SN_HUMANOID_COUNT; ++b) {
        const int above = sn_humanoid_parent(b);
        const double identity[4] = {0, 0, 0, 1},
                     *local = sn_tracking_has(tracking_frame, b) ? tracking_frame->rotations[b] : identity;
        sn_quaternion_multiply(above < 0 ? identity : worlds[above], local, worlds[b]);
    }
}

static void expect_turn(const sn_tracking *tracking_frame, int bone, const double *local)
{
    if (!sn_tracking_has(tracking_frame, bone)) {
        fail_msg("%s is not tracked", sn_humanoid_name(bone));
    }
    const double angle = angle_between(tracking_frame->rotations[bone], local);
    if (!(angle < EXACT)) {
        fail_msg("%s is off by %g", sn_humanoid_name(bone), angle);
    }
}

/* A bone that points along `axis` is swung by up to `most`, and twisted by up to `twist`. */
static void swing(sn_test_person *person, uint64_t *state, int bone, const double axis[3], double most, double twist)
{
    const double other[3] = {axis[1], axis[2], axis[0]};
    double side[3], a = sn_test_uniform(state, 0, 6.28), across[3];
    sn_cross3(axis, other, side);
    sn_cross3(axis, side, across);
    for (int d = 0; d < 3; ++d) {
        across[d] = cos(a) * side[d] + sin(a) * across[d];
    }
    sn_test_turn(person, bone, across[0], across[1], across[2], sn_test_uniform(state, 0, most));
    sn_test_turn(person, bone, axis[0], axis[1], axis[2], sn_test_uniform(state, -twist, twist));
}

static void shake_arm(sn_test_person *person, uint64_t *state, int side)
{
    const double out = side == 0 ? 1 : -1, along[3] = {out, 0, 0};
    const int lower = arms[side] + 1, hand = arms[side] + 2;
    swing(person, state, arms[side], along, 2.4, 1.9);
    sn_test_turn(person, lower, 0, -out, 0, sn_test_uniform(state, 0.5, 2.2));
    const double twist = sn_test_uniform(state, -1.7, 1.7);
    sn_test_turn(person, lower, along[0], 0, 0, SN_FOREARM_TWIST_FRACTION * twist);
    sn_test_turn(person, hand, along[0], 0, 0, (1 - SN_FOREARM_TWIST_FRACTION) * twist);
    swing(person, state, hand, along, 1, 0);
    for (int finger = 0; finger < 15; ++finger) {
        const double thumb[3] = {out * sqrt(0.5), 0, sqrt(0.5)};
        swing(person, state, sn_humanoid_bone_index(side, SN_PART_THUMB + finger), finger < 3 ? thumb : along, 1.5, 0);
    }
}

static sn_test_person shaken(uint64_t *state)
{
    sn_test_person person = sn_test_person_at_rest();
    const double down[3] = {0, -1, 0}, up[3] = {0, 1, 0};
    swing(&person, state, SN_HUMANOID_HIPS, up, 1, 3);
    const double twist = sn_test_uniform(state, -1, 1);
    sn_test_turn(&person, SN_HUMANOID_SPINE, 0, 1, 0, twist / 2);
    sn_test_turn(&person, SN_HUMANOID_CHEST, 0, 1, 0, twist / 2);
    swing(&person, state, SN_HUMANOID_NECK, up, 0.5, 0.5);
    memcpy(person.locals[SN_HUMANOID_HEAD], person.locals[SN_HUMANOID_NECK], 4 * sizeof(double));
    for (int side = 0; side < 2; ++side) {
        shake_arm(&person, state, side);
        swing(&person, state, legs[side], down, 1.8, 1);
        sn_test_turn(&person, legs[side] + 1, 1, 0, 0, sn_test_uniform(state, 0.5, 2.2));
        swing(&person, state, legs[side] + 2, up, 0.8, 0.8);
    }
    return person;
}

/* Twists, too, where bends show them. */
static void test_rotations_are_recovered(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int trial = 0; trial < 300; ++trial) {
        sn_test_person person = shaken(&state);
        const sn_landmarks seen = sn_test_see(&person, true);
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
            const int part = (bone - SN_HUMANOID_LEFT) % SN_PART_COUNT;
            const bool is_shown = bone < SN_HUMANOID_LEFT ? bone <= SN_HUMANOID_HEAD && bone != SN_HUMANOID_UPPER_CHEST
                                                          : part != SN_PART_SHOULDER && part != SN_PART_TOES;
            assert_int_equal(sn_tracking_has(&tracking_frame, bone), is_shown);
            if (is_shown) {
                expect_turn(&tracking_frame, bone, person.locals[bone]);
            }
        }
    }
}

/* The palm by three landmarks of the pose says as much as that of a hand's own. */
static void test_palms_of_the_pose_do(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int trial = 0; trial < 100; ++trial) {
        sn_test_person person = shaken(&state);
        const sn_landmarks seen = sn_test_see(&person, false);
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        for (int side = 0; side < 2; ++side) {
            for (int part = 0; part < 3; ++part) {
                expect_turn(&tracking_frame, arms[side] + part, person.locals[arms[side] + part]);
            }
            assert_false(sn_tracking_has(&tracking_frame, sn_humanoid_bone_index(side, SN_PART_INDEX)));
        }
    }
}

static void put(sn_landmarks *seen, int point, double x, double y, double z)
{
    memcpy(seen->pose[point], (const double[3]){x, y, z}, 3 * sizeof(double));
}

static void test_the_t_pose_is_no_rotation(void **unused)
{
    (void)unused;
    const sn_landmarks seen = sn_test_stand();
    const sn_tracking tracking_frame = sn_test_solve_once(&seen);
    const double none[4] = {0, 0, 0, 1};
    const int bones[] = {SN_HUMANOID_HIPS, SN_HUMANOID_SPINE, SN_HUMANOID_CHEST, arms[0],     arms[1],
                         arms[0] + 1,      arms[1] + 1,       arms[0] + 2,       arms[1] + 2, legs[0],
                         legs[1],          legs[0] + 1,       legs[1] + 1,       legs[0] + 2, legs[1] + 2};
    for (size_t i = 0; i < sizeof bones / sizeof *bones; ++i) {
        expect_turn(&tracking_frame, bones[i], none);
        assert_true(fabs(tracking_frame.confidence[bones[i]] - 0.9) <= 1e-12);
    }
    assert_true(angle_between(tracking_frame.rotations[SN_HUMANOID_HEAD], none) < 0.01);
    assert_true(tracking_frame.has_hips);
    assert_true(fabs(tracking_frame.hips[1] - 0.9) <= 1e-12);
    assert_true(fabs(tracking_frame.hips_height - 0.82) <= 1e-12);
}

/* Arms straight at 45 degrees down, then straight up; the left one is the one in front of the right half. */
static void test_raised_and_lowered_arms(void **unused)
{
    (void)unused;
    for (int up = 0; up < 2; ++up) {
        sn_landmarks seen = sn_test_stand();
        const double angle = up ? RIGHT_ANGLE : -RIGHT_ANGLE / 2, c = cos(angle), s = sin(angle);
        for (int side = 0; side < 2; ++side) {
            const double out = side == 0 ? 1 : -1;
            put(&seen, SN_POSE_ELBOW + side, out * (0.18 + 0.28 * c), -0.5 - 0.28 * s, 0);
            put(&seen, SN_POSE_WRIST + side, out * (0.18 + 0.53 * c), -0.5 - 0.53 * s, 0);
        }
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        expect_turn(&tracking_frame, arms[0], (const double[4]){0, 0, sin(angle / 2), cos(angle / 2)});
        expect_turn(&tracking_frame, arms[1], (const double[4]){0, 0, -sin(angle / 2), cos(angle / 2)});
    }
}

static void test_only_the_arm_that_is_raised(void **unused)
{
    (void)unused;
    sn_landmarks seen = sn_test_stand();
    put(&seen, SN_POSE_ELBOW, 0.18, -0.78, 0); /* to the right in the picture: the person's left */
    put(&seen, SN_POSE_WRIST, 0.18, -1.03, 0);
    sn_tracking tracking_frame = sn_test_solve_once(&seen);
    expect_turn(&tracking_frame, arms[0], (const double[4]){0, 0, sqrt(0.5), sqrt(0.5)});
    expect_turn(&tracking_frame, arms[1], (const double[4]){0, 0, 0, 1});
    seen.mirrored = true;
    tracking_frame = sn_test_solve_once(&seen);
    expect_turn(&tracking_frame, arms[0], (const double[4]){0, 0, 0, 1});
    expect_turn(&tracking_frame, arms[1], (const double[4]){0, 0, -sqrt(0.5), sqrt(0.5)});
}

/* Thighs ahead, shins down; the hips come down by the length of a thigh. */
static void test_sitting(void **unused)
{
    (void)unused;
    sn_landmarks seen = sn_test_stand();
    for (int side = 0; side < 2; ++side) {
        const double x = side == 0 ? 0.1 : -0.1;
        put(&seen, SN_POSE_KNEE + side, x, 0, -0.42);
        put(&seen, SN_POSE_ANKLE + side, x, 0.4, -0.42);
        put(&seen, SN_POSE_HEEL + side, x, 0.48, -0.38);
        put(&seen, SN_POSE_TOE + side, x, 0.48, -0.6);
    }
    const sn_tracking tracking_frame = sn_test_solve_once(&seen);
    for (int side = 0; side < 2; ++side) {
        expect_turn(&tracking_frame, legs[side], (const double[4]){-sqrt(0.5), 0, 0, sqrt(0.5)});
        expect_turn(&tracking_frame, legs[side] + 1, (const double[4]){sqrt(0.5), 0, 0, sqrt(0.5)});
        expect_turn(&tracking_frame, legs[side] + 2, (const double[4]){0, 0, 0, 1});
    }
    assert_true(fabs(tracking_frame.hips[1] - 0.48) <= 1e-12);
    assert_true(fabs(tracking_frame.hips_height - 0.82) <= 1e-12);
}

/* The right upper arm sideways, its forearm up, the palm ahead: the arm turns about itself by a right angle, then the
 * elbow bends by one. */
static void test_waving(void **unused)
{
    (void)unused;
    sn_landmarks seen = sn_test_stand();
    put(&seen, SN_POSE_WRIST + 1, -0.46, -0.75, 0);
    put(&seen, SN_POSE_LITTLE + 1, -0.49, -0.84, 0);
    put(&seen, SN_POSE_INDEX + 1, -0.43, -0.84, 0);
    const sn_tracking tracking_frame = sn_test_solve_once(&seen);
    expect_turn(&tracking_frame, arms[1], (const double[4]){-sqrt(0.5), 0, 0, sqrt(0.5)});
    expect_turn(&tracking_frame, arms[1] + 1, (const double[4]){0, sqrt(0.5), 0, sqrt(0.5)});
    expect_turn(&tracking_frame, arms[1] + 2, (const double[4]){0, 0, 0, 1});
}

/* What turns about x stays, what turns about y and z turns the other way, left is right. */
static void test_a_mirror(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int trial = 0; trial < 50; ++trial) {
        sn_test_person person = shaken(&state);
        sn_landmarks seen = sn_test_see(&person, true);
        seen.mirrored = true;
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
            const int other = bone < SN_HUMANOID_LEFT    ? bone
                              : bone < SN_HUMANOID_RIGHT ? bone + SN_PART_COUNT
                                                         : bone - SN_PART_COUNT;
            const double *q = person.locals[other], mirrored[4] = {q[0], -q[1], -q[2], q[3]};
            if (sn_tracking_has(&tracking_frame, bone)) {
                expect_turn(&tracking_frame, bone, mirrored);
            }
        }
    }
}

/* An elbow that comes straight, and a little beyond, and back: the arm keeps its twist and never jumps. */
static void test_no_flip_through_a_straight_elbow(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    double before[SN_HUMANOID_COUNT][4], now[SN_HUMANOID_COUNT][4];
    const int steps = 240;
    for (int i = 0; i <= steps; ++i) {
        sn_test_person person = sn_test_person_at_rest();
        const double bend = 0.5 + 0.62 * cos(6.283185307 * i / steps), sway = 0.3 * sin(12.0 * i / steps);
        sn_test_turn(&person, arms[0], 0, 0, 1, -0.8 + sway);
        sn_test_turn(&person, arms[0], 1, 0, 0, 0.7);
        sn_test_turn(&person, arms[0] + 1, 0, -1, 0, bend);
        sn_landmarks seen = sn_test_see(&person, true);
        seen.seconds = i / 60.0;
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        turns_of(&tracking_frame, now);
        for (int bone = arms[0]; bone <= arms[0] + 2; ++bone) {
            assert_true(i == 0 || angle_between(before[bone], now[bone]) < 0.08);
            assert_true(angle_between(person.worlds[bone], now[bone]) < (bone == arms[0] ? 0.06 : 0.3));
        }
        memcpy(before, now, sizeof now);
    }
}

/* A palm that turns on and on, which none can: the forearm goes as far as it can, and never jumps to the other end. */
static void test_a_forearm_has_an_end(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    const int lower = arms[0] + 1;
    for (int i = 0; i <= 60; ++i) {
        sn_test_person person = sn_test_person_at_rest();
        const double twist = 3.6 * i / 60;
        sn_test_turn(&person, lower, 0, -1, 0, 1);
        sn_test_turn(&person, arms[0] + 2, 1, 0, 0, twist);
        sn_landmarks seen = sn_test_see(&person, true);
        seen.seconds = i / 30.0;
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        assert_true(fabs(solver.forearm[0].angle - fmin(twist, 1.8)) < EXACT);
        const double wrist = angle_between(tracking_frame.rotations[arms[0] + 2], (const double[4]){0, 0, 0, 1});
        assert_true(fabs(wrist - (1 - SN_FOREARM_TWIST_FRACTION) * fmin(twist, 1.8)) < EXACT);
    }
}

/* Noise on a straight arm stays noise: its elbow's plane is anywhere. */
static void test_a_straight_arm_does_not_spin(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    uint64_t state = 4;
    const double none[4] = {0, 0, 0, 1};
    for (int i = 0; i < 600; ++i) {
        sn_landmarks seen = sn_test_stand();
        for (int point = SN_POSE_ELBOW; point < SN_POSE_WRIST + 2; ++point) {
            for (int d = 0; d < 3; ++d) {
                seen.pose[point][d] += sn_test_uniform(&state, -0.005, 0.005);
            }
        }
        seen.seconds = i / 30.0;
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        assert_true(angle_between(tracking_frame.rotations[arms[0]], none) < 0.1);
    }
}

/* The same bend that is half seen turns an arm as far in a second, whatever the rate. */
static void test_twist_knows_no_frame_rate(void **unused)
{
    (void)unused;
    double angles[2];
    for (int rate = 0; rate < 2; ++rate) {
        sn_landmark_solver solver = {0};
        sn_tracking tracking_frame = {0};
        const int per_second = rate == 0 ? 30 : 120;
        for (int i = 0; i <= per_second / 5; ++i) {
            sn_test_person person = sn_test_person_at_rest();
            sn_test_turn(&person, arms[0], 1, 0, 0, i == 0 ? 0 : 1);
            sn_test_turn(&person, arms[0] + 1, 0, -1, 0, 0.15);
            sn_landmarks seen = sn_test_see(&person, false);
            seen.seconds = 10 + i / (double)per_second;
            sn_landmarks_solve(&solver, &seen, &tracking_frame);
        }
        angles[rate] = angle_between(tracking_frame.rotations[arms[0]], (const double[4]){0, 0, 0, 1});
    }
    assert_true(angles[0] > 0.1 && angles[0] < 0.9);
    assert_true(fabs(angles[0] - angles[1]) <= 1e-9);
}

static void test_what_is_not_seen_is_not_tracked(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    sn_landmarks seen = sn_test_stand();
    const double levels[] = {0.4, 0.7, 0.4, 0.2, 0.4}; /* not yet, gained, kept, lost, lost */
    const bool is_tracked[] = {false, true, true, false, false};
    for (int i = 0; i < 5; ++i) {
        seen.pose[SN_POSE_ELBOW][3] = levels[i];
        seen.seconds = i;
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        for (int bone = arms[0]; bone <= arms[0] + 1; ++bone) {
            assert_int_equal(sn_tracking_has(&tracking_frame, bone), is_tracked[i]);
        }
        assert_true(sn_tracking_has(&tracking_frame, arms[1]));
    }
    seen.has_pose = false;
    sn_landmarks_solve(&solver, &seen, &tracking_frame);
    assert_true(tracking_frame.tracked == 0 && !tracking_frame.has_hips);
}

/* At a desk: hips and legs are out of the picture, the chest still turns. */
static void test_upper_body_alone(void **unused)
{
    (void)unused;
    sn_test_person person = sn_test_person_at_rest();
    sn_test_turn(&person, SN_HUMANOID_CHEST, 0, 1, 0, 0.6);
    sn_landmarks seen = sn_test_see(&person, false);
    for (int point = SN_POSE_HIP; point < SN_POSE_COUNT; ++point) {
        seen.pose[point][3] = 0.05;
    }
    const sn_tracking tracking_frame = sn_test_solve_once(&seen);
    double worlds[SN_HUMANOID_COUNT][4];
    turns_of(&tracking_frame, worlds);
    assert_false(sn_tracking_has(&tracking_frame, SN_HUMANOID_HIPS) || sn_tracking_has(&tracking_frame, legs[0]) ||
                 tracking_frame.has_hips);
    assert_true(angle_between(worlds[SN_HUMANOID_CHEST], person.worlds[SN_HUMANOID_CHEST]) < EXACT);
    expect_turn(&tracking_frame, arms[0], person.locals[arms[0]]);
}

/* A face's matrix goes before ears and nose; its scale does not count, and a mirrored or flat one is none. */
static void test_the_matrix_of_a_face(void **unused)
{
    (void)unused;
    sn_landmarks seen = sn_test_stand();
    const double c = cos(0.5), s = sin(0.5);
    const double matrix[16] = {3 * c, 0, -3 * s, 0, 0, 3, 0, 0, 3 * s, 0, 3 * c, 0, 1, 2, -40, 1};
    seen.has_face = true;
    memcpy(seen.face, matrix, sizeof matrix);
    for (int mirrored = 0; mirrored < 2; ++mirrored) {
        double worlds[SN_HUMANOID_COUNT][4];
        seen.mirrored = mirrored == 1;
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        turns_of(&tracking_frame, worlds);
        const double half = mirrored ? -0.25 : 0.25;
        assert_true(angle_between(worlds[SN_HUMANOID_HEAD], (const double[4]){0, sin(half), 0, cos(half)}) < EXACT);
    }
    seen.mirrored = false;
    for (int bad = 0; bad < 2; ++bad) {
        for (int d = 8; d < 11; ++d) {
            seen.face[d] = bad == 0 ? -matrix[d] : 0;
        }
        const sn_tracking tracking_frame = sn_test_solve_once(&seen);
        assert_true(angle_between(tracking_frame.rotations[SN_HUMANOID_HEAD], (const double[4]){0, 0, 0, 1}) < 0.01);
    }
}

/* What MediaPipe's full model for poses says of a portrait: a man who looks at the camera, his arms crossed. */
static void test_a_portrait(void **unused)
{
    (void)unused;
    char text[8192];
    sn_landmarks seen;
    int version;
    double worlds[SN_HUMANOID_COUNT][4], way[3];
    FILE *file = fopen(SN_SOURCE_DIR "/tests/fuzz/corpus/landmarks/portrait.json", "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_int_equal(sn_message_read(text, size, &seen, &version), SN_MESSAGE_ACCEPTED);
    const sn_tracking tracking_frame = sn_test_solve_once(&seen);
    turns_of(&tracking_frame, worlds);
    assert_true(angle_between(worlds[SN_HUMANOID_HEAD], (const double[4]){0, 0, 0, 1}) < 0.15);
    for (int side = 0; side < 2; ++side) {
        const double out[3] = {side == 0 ? 1 : -1, 0, 0};
        sn_rig_rotate(worlds[arms[side]], out, way);
        assert_true(way[1] < -0.7);
        sn_rig_rotate(worlds[arms[side] + 1], out, way);
        assert_true(out[0] * way[0] < -0.5 && way[2] > 0);
        assert_false(sn_tracking_has(&tracking_frame, legs[side]));
    }
}

/* Points that fall together, lie on a line, or are anywhere: rotations are rotations. */
static void test_any_points_do(void **unused)
{
    (void)unused;
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    uint64_t state = 5;
    for (int trial = 0; trial < 3000; ++trial) {
        sn_landmarks seen = {.has_pose = true, .has_face = true, .has_hand = {true, true}};
        const double size = trial % 3 == 0 ? 100 : trial % 3 == 1 ? 1e-7 : 1;
        double *const groups[] = {seen.pose[0], seen.hands[0][0], seen.face};
        const size_t counts[] = {4 * SN_POSE_COUNT, 6 * SN_HAND_COUNT, 16};
        for (int g = 0; g < 3; ++g) {
            for (size_t i = 0; i < counts[g]; ++i) {
                const bool is_flat = trial % 5 == 0 && (g == 0 ? i % 4 != 0 : i % 3 != 0);
                groups[g][i] = trial % 7 == 0 || is_flat ? 0 : size * sn_test_uniform(&state, -1, 1);
            }
        }
        for (int i = 0; i < SN_POSE_COUNT; ++i) {
            seen.pose[i][3] = sn_test_uniform(&state, 0.3, 1);
        }
        seen.seconds = trial % 11 == 0 ? 0 : trial / 30.0;
        seen.mirrored = trial % 13 == 0;
        sn_landmarks_solve(&solver, &seen, &tracking_frame);
        for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
            const double *q = tracking_frame.rotations[bone];
            if (sn_tracking_has(&tracking_frame, bone)) {
                assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) <= 1e-9);
            }
        }
        assert_true(!tracking_frame.has_hips || (isfinite(tracking_frame.hips[1]) && tracking_frame.hips[1] >= 0));
    }
}

int test_landmarks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotations_are_recovered),
        cmocka_unit_test(test_palms_of_the_pose_do),
        cmocka_unit_test(test_the_t_pose_is_no_rotation),
        cmocka_unit_test(test_raised_and_lowered_arms),
        cmocka_unit_test(test_only_the_arm_that_is_raised),
        cmocka_unit_test(test_sitting),
        cmocka_unit_test(test_waving),
        cmocka_unit_test(test_a_mirror),
        cmocka_unit_test(test_no_flip_through_a_straight_elbow),
        cmocka_unit_test(test_a_forearm_has_an_end),
        cmocka_unit_test(test_a_straight_arm_does_not_spin),
        cmocka_unit_test(test_twist_knows_no_frame_rate),
        cmocka_unit_test(test_what_is_not_seen_is_not_tracked),
        cmocka_unit_test(test_upper_body_alone),
        cmocka_unit_test(test_the_matrix_of_a_face),
        cmocka_unit_test(test_a_portrait),
        cmocka_unit_test(test_any_points_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
