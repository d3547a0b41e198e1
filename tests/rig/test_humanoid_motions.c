/* SPDX-License-Identifier: MIT */
/* Motions that are generated for a person of sticks: loops, standing feet, arms, joint angles, absent bones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "author/motions/humanoid_motions.h"
#include "author/motions/two_bone.h"
#include "host/math/vec3.h"
#include "tests/support/rig_people.h"

enum { IDLE, WALK, JUMP, DANCE };

#define LEG 0.85 /* of the person, about */
#define DEGREES 57.29577951308232

static sn_arena arena;
static sn_rig_skeleton skeleton;

static sn_humanoid_motion *generate(const people *of, bool has_roles)
{
    sn_humanoid_motion *motions = NULL;
    sn_arena_finish(&arena);
    skeleton = skeleton_of(of);
    skeleton.roles = has_roles ? of->roles : NULL;
    assert_int_equal(sn_humanoid_motions_generate(&skeleton, &(sn_motion_surface){0}, &arena, &motions), SN_OK);
    return motions;
}

static int joint_of(const people *p, const char *name)
{
    for (int j = 0; j < p->count; ++j) {
        if (strcmp(p->names[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

static const double *pose_of(const people *p, const sn_humanoid_motion *motion, int frame, int joint)
{
    return motion->poses + 12 * ((size_t)frame * (size_t)p->count + (size_t)joint);
}

static void position_of(const people *p, const sn_humanoid_motion *motion, int frame, const char *name,
                        double position[3])
{
    const int joint = joint_of(p, name);
    const double *rest = p->rest + 12 * joint;
    sn_affine_apply(pose_of(p, motion, frame, joint), (const double[3]){rest[3], rest[7], rest[11]}, position);
}

static void direction_of(const people *p, const sn_humanoid_motion *motion, int frame, const char *from, const char *to,
                         double direction[3])
{
    double ends[2][3];
    position_of(p, motion, frame, from, ends[0]);
    position_of(p, motion, frame, to, ends[1]);
    sn_subtract3(ends[1], ends[0], direction);
    sn_normalize3(direction, (const double[3]){0});
}

/* The angle at b between the directions of two bones, in degrees: 0 for a straight limb. */
static double bend_of(const people *p, const sn_humanoid_motion *motion, int frame, const char *a, const char *b,
                      const char *c)
{
    double first[3], second[3];
    direction_of(p, motion, frame, a, b, first);
    direction_of(p, motion, frame, b, c, second);
    return acos(fmin(sn_dot3(first, second), 1)) * DEGREES;
}

static const char *const legs[2][4] = {{"leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"},
                                       {"rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"}};
static const char *const arms[2][3] = {{"leftUpperArm", "leftLowerArm", "leftHand"},
                                       {"rightUpperArm", "rightLowerArm", "rightHand"}};

/* Values and their speeds are continuous, at keys and at the end of the loop, too. */
static void test_curves_are_smooth(void **state)
{
    (void)state;
    const double step = 1e-7;
    for (int i = 0; i < SN_MOTION_COUNT; ++i) {
        const sn_motion_table *table = &sn_motion_tables[i];
        for (int k = 0; k < 4000; ++k) { /* keys are at multiples of 1 / 400 or less frequent repetitions of them */
            double values[3][2][SN_MOTION_CHANNEL_COUNT];
            for (int j = 0; j < 3; ++j) {
                sn_motion_evaluate(table, k / 4000.0 + (j - 1) * step, values[j]);
            }
            for (int c = 0; c < SN_MOTION_CHANNEL_COUNT; ++c) {
                for (int side = 0; side < 2; ++side) {
                    const double before = values[1][side][c] - values[0][side][c];
                    const double after = values[2][side][c] - values[1][side][c];
                    const double unit = c <= SN_HIPS_Z || (c >= SN_FOOT_OUT && c <= SN_FOOT_Z) ? 1 : DEGREES;
                    assert_true(fabs(after - before) / step < 0.05 * unit && fabs(after) < 40 * unit * step);
                }
            }
        }
    }
}

/* The speed changes no more from the last frame to the first than within the loop. */
static void test_frames_loop(void **state)
{
    (void)state;
    static const char *const names[SN_MOTION_COUNT] = {"idle", "walk", "jump", "dance"};
    people p;
    make_person(&p, &(person){0});
    const sn_humanoid_motion *motions = generate(&p, true);
    assert_non_null(motions);
    for (int i = 0; i < SN_MOTION_COUNT; ++i) {
        const sn_humanoid_motion *m = &motions[i];
        const size_t width = 12 * (size_t)p.count;
        const int last = m->frame_count - 1;
        double max_change = 0, change_at_end = 0;
        assert_string_equal(m->name, names[i]);
        assert_memory_equal(m->poses, m->poses + (size_t)last * width, width * sizeof(double));
        for (int f = 0; f < last; ++f) {
            const double *before = m->poses + (size_t)((f + last - 1) % last) * width;
            const double *at = m->poses + (size_t)f * width, *after = at + width;
            for (size_t k = 0; k < width; ++k) {
                const double change = fabs(after[k] - 2 * at[k] + before[k]);
                max_change = fmax(max_change, f > 0 ? change : 0);
                change_at_end = fmax(change_at_end, f > 0 ? 0 : change);
            }
        }
        assert_true(max_change > 1e-5 && change_at_end <= max_change); /* it moves */
    }
}

/* Standing feet neither leave the floor nor enter it: the balls of feet whose heels rise, too. */
static void test_feet_stand_on_the_floor(void **state)
{
    (void)state;
    people p;
    make_person(&p, &(person){0});
    const sn_humanoid_motion *motions = generate(&p, true);
    for (int i = 0; i < SN_MOTION_COUNT; ++i) {
        const sn_humanoid_motion *m = &motions[i];
        for (int f = 0; f < m->frame_count; ++f) {
            const double time = (double)f / (m->frame_count - 1);
            double lowest = HUGE_VAL;
            for (int side = 0; side < 2; ++side) {
                double ankle[3], toes[3];
                position_of(&p, m, f, legs[side][2], ankle);
                position_of(&p, m, f, legs[side][3], toes);
                assert_true(ankle[1] > 0.1 - 0.006 * LEG && toes[1] > 0.02 - 0.006 * LEG);
                lowest = fmin(lowest, fmin(ankle[1] - 0.1, toes[1] - 0.02));
                if (i == IDLE) {
                    double first[3];
                    position_of(&p, m, 0, legs[side][2], first);
                    assert_true(sn_distance3(ankle, first) < 0.003 * LEG);
                }
            }
            assert_true(lowest < 0.006 * LEG || (i == JUMP && time > 0.3 && time < 0.53));
        }
    }
    /* at the top of the jump both feet are in the air */
    double ankle[3];
    position_of(&p, &motions[JUMP], (int)(0.41 * (motions[JUMP].frame_count - 1)), "leftFoot", ankle);
    assert_true(ankle[1] > 0.1 + 0.2 * LEG);
}

/* A foot that stands in the walk moves backwards at a constant speed, as the floor would. */
static void test_walking_feet_do_not_slide(void **state)
{
    (void)state;
    people p;
    make_person(&p, &(person){0});
    const sn_humanoid_motion *m = &generate(&p, true)[WALK];
    const int first = (int)(0.12 * (m->frame_count - 1)), last = (int)(0.55 * (m->frame_count - 1));
    double speeds[2] = {HUGE_VAL, 0}, toes[2][3];
    for (int f = first; f < last; ++f) {
        position_of(&p, m, f, "leftToes", toes[0]);
        position_of(&p, m, f + 1, "leftToes", toes[1]);
        speeds[0] = fmin(speeds[0], toes[0][2] - toes[1][2]);
        speeds[1] = fmax(speeds[1], toes[0][2] - toes[1][2]);
    }
    assert_true(speeds[0] > 0 && speeds[1] < 1.05 * speeds[0]);
}

static void expect_joints_within_limits(const people *p, const sn_humanoid_motion *motions)
{
    for (int i = 0; i < SN_MOTION_COUNT; ++i) {
        for (int f = 0; f < motions[i].frame_count; ++f) {
            for (int side = 0; side < 2; ++side) {
                double thigh[3], shin[3], hinge[3];
                const double knee = bend_of(p, &motions[i], f, legs[side][0], legs[side][1], legs[side][2]);
                const double elbow = bend_of(p, &motions[i], f, arms[side][0], arms[side][1], arms[side][2]);
                assert_true(knee > 2 && knee < 120 && elbow > 5 && elbow < 130);
                direction_of(p, &motions[i], f, legs[side][0], legs[side][1], thigh);
                direction_of(p, &motions[i], f, legs[side][1], legs[side][2], shin);
                sn_cross3(thigh, shin, hinge); /* the shin bends backwards */
                assert_true(hinge[0] > 0);
                assert_true(thigh[1] < 0 && shin[1] < 0);
            }
            double back[3];
            direction_of(p, &motions[i], f, "hips", "head", back);
            assert_true(back[1] > 0.75);
        }
    }
}

static void test_joints_stay_within_their_limits(void **state)
{
    (void)state;
    people p;
    make_person(&p, &(person){0});
    expect_joints_within_limits(&p, generate(&p, true));
    make_person(&p, &(person){.arm_angle = 0.8, .scale = 130, .spines = 1});
    expect_joints_within_limits(&p, generate(&p, false));
}

/* From a T-pose, and from an A-pose with and without roles. */
static void test_arms_hang_in_idle(void **state)
{
    (void)state;
    const double angles[] = {0, 0.8, 0.8};
    for (int k = 0; k < 3; ++k) {
        people p;
        make_person(&p, &(person){.arm_angle = angles[k]});
        const sn_humanoid_motion *m = &generate(&p, k < 2)[IDLE];
        for (int f = 0; f < m->frame_count; ++f) {
            for (int side = 0; side < 2; ++side) {
                double upper[3], lower[3];
                direction_of(&p, m, f, arms[side][0], arms[side][1], upper);
                direction_of(&p, m, f, arms[side][1], arms[side][2], lower);
                assert_true(upper[1] < -0.95 && lower[1] < -0.85);
                assert_true(lower[2] > upper[2]); /* the elbow bends forward */
            }
        }
    }
}

/* The arms stay clear of a body that is wider than the shoulders. */
static void test_hanging_arms_clear_a_wide_body(void **state)
{
    (void)state;
    people p;
    sn_humanoid_motion *motions = NULL;
    const double points[4][3] = {{0.3, 1, 0}, {-0.3, 1, 0}, {0.1, 0, 0.2}, {-0.1, 0, 0.2}};
    make_person(&p, &(person){0});
    generate(&p, true);
    const int32_t joints[4] = {joint_of(&p, "hips"), joint_of(&p, "hips"), joint_of(&p, "leftFoot"),
                               joint_of(&p, "rightFoot")};
    const sn_motion_surface surface = {.count = 4, .positions = *points, .joints = joints};
    assert_int_equal(sn_humanoid_motions_generate(&skeleton, &surface, &arena, &motions), SN_OK);
    for (int f = 0; f < motions[IDLE].frame_count; ++f) {
        double hips[3], hand[3];
        position_of(&p, &motions[IDLE], f, "hips", hips);
        position_of(&p, &motions[IDLE], f, "leftHand", hand);
        assert_true(hand[0] - hips[0] > 0.3);
    }
}

static void test_optional_bones_may_be_absent(void **state)
{
    (void)state;
    static const char *const absent[] = {"neck",      "leftToes",     "rightToes",    "leftHand",
                                         "rightHand", "leftShoulder", "rightShoulder"};
    people p, reduced = {0};
    make_person(&p, &(person){.spines = 1});
    int32_t index[PERSON_JOINTS];
    for (int j = 0; j < p.count; ++j) {
        bool is_absent = false;
        for (size_t k = 0; k < sizeof absent / sizeof *absent; ++k) {
            is_absent = is_absent || strcmp(p.names[j], absent[k]) == 0;
        }
        index[j] = is_absent ? index[p.parents[j]] : reduced.count;
        if (!is_absent) {
            const int at = reduced.count++;
            reduced.names[at] = p.names[j];
            reduced.parents[at] = p.parents[j] < 0 ? -1 : index[p.parents[j]];
            reduced.roles[at] = p.roles[j];
            memcpy(reduced.rest + 12 * at, p.rest + 12 * j, 12 * sizeof(double));
        }
    }
    const sn_humanoid_motion *motions = generate(&reduced, true);
    assert_non_null(motions);
    for (int f = 0; f < motions[WALK].frame_count; ++f) {
        for (int side = 0; side < 2; ++side) {
            double ankle[3];
            position_of(&reduced, &motions[WALK], f, legs[side][2], ankle);
            assert_true(ankle[1] > 0.1 - 0.006 * LEG && ankle[1] < 0.1 + 0.3 * LEG);
        }
    }
}

/* Neither a chain nor a person whose legs have no length. */
static void test_others_get_no_motions(void **state)
{
    (void)state;
    people p;
    make_person(&p, &(person){0});
    for (int j = 0; j < p.count; ++j) {
        p.rest[12 * j + 3] = p.rest[12 * j + 7] = p.rest[12 * j + 11] = 0;
    }
    assert_null(generate(&p, true));
    make_person(&p, &(person){0});
    p.count = 6; /* without arms and legs */
    assert_null(generate(&p, true));
    assert_null(generate(&p, false));
}

static void test_bytes_are_the_same_again(void **state)
{
    (void)state;
    people p;
    sn_humanoid_motion *again = NULL;
    make_person(&p, &(person){0});
    const sn_humanoid_motion *motions = generate(&p, true);
    assert_int_equal(sn_humanoid_motions_generate(&skeleton, &(sn_motion_surface){0}, &arena, &again), SN_OK);
    for (int i = 0; i < SN_MOTION_COUNT; ++i) {
        assert_memory_equal(motions[i].poses, again[i].poses,
                            12 * sizeof(double) * (size_t)motions[i].frame_count * (size_t)p.count);
    }
}

static void test_two_bones_reach_a_point(void **state)
{
    (void)state;
    const double lengths[2] = {0.4, 0.3}, lines[2][3] = {{0.1, -0.5, 0.2}, {0, -2, 0}};
    for (int k = 0; k < 2; ++k) {
        double first[3], second[3];
        sn_two_bone_solve(lengths, lines[k], (const double[3]){0, 0, 1}, first, second);
        assert_true(fabs(sn_length3(first) - 0.4) < 1e-9 && fabs(sn_length3(second) - 0.3) < 1e-9);
        assert_true(first[2] > second[2]); /* the joint is in front */
        for (int d = 0; d < 3; ++d) {
            const double end = k == 0 ? lines[k][d] : d == 1 ? -0.6999 : 0;
            assert_true(fabs(first[d] + second[d] - end) < 1e-9);
        }
    }
}

int test_humanoid_motions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves_are_smooth),
        cmocka_unit_test(test_frames_loop),
        cmocka_unit_test(test_feet_stand_on_the_floor),
        cmocka_unit_test(test_walking_feet_do_not_slide),
        cmocka_unit_test(test_joints_stay_within_their_limits),
        cmocka_unit_test(test_arms_hang_in_idle),
        cmocka_unit_test(test_hanging_arms_clear_a_wide_body),
        cmocka_unit_test(test_optional_bones_may_be_absent),
        cmocka_unit_test(test_others_get_no_motions),
        cmocka_unit_test(test_bytes_are_the_same_again),
        cmocka_unit_test(test_two_bones_reach_a_point),
    };
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    sn_arena_finish(&arena);
    return status;
}
