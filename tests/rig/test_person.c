/* SPDX-License-Identifier: MIT */
/* Normalised rotations on rigs of any rest: VRM's formula, missing bones, the base below, places of the hips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "author/retarget/person.h"
#include "host/math/vec3.h"
#include "tests/support/count_allocations.h"
#include "tests/support/log.h"
#include "tests/support/rig_people.h"

static sn_arena arena;
static sn_person_pose pose;
static double poses[12 * PERSON_JOINTS], base[12 * PERSON_JOINTS];
static sn_rig_skeleton target;

/* has_roles: as a VRM, whose rest is the T-pose. */
static sn_person *make(const people *of, bool has_roles, sn_result wanted)
{
    sn_person *sticks = NULL;
    target = skeleton_of(of);
    target.roles = has_roles ? of->roles : NULL;
    sn_arena_finish(&arena);
    memset(&pose, 0, sizeof pose);
    const sn_person_desc desc = {.target = &target, .metre = 1};
    assert_int_equal(sn_person_create(&desc, &arena, &sticks), wanted);
    return sticks;
}

static void turn(int bone, double x, double y, double z)
{
    const double vector[3] = {x, y, z};
    sn_quaternion_from_vector(vector, pose.rotations[bone]);
    pose.bone_weights[bone] = 1;
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

/* Where the pose has the way from one joint to another, unit. */
static void way_of(const people *p, const char *from, const char *to, double way[3])
{
    double ends[2][3];
    const int joints[2] = {joint_of(p, from), joint_of(p, to)};
    for (int k = 0; k < 2; ++k) {
        const double *rest = p->rest + 12 * joints[k], at[3] = {rest[3], rest[7], rest[11]};
        sn_affine_apply(poses + 12 * joints[k], at, ends[k]);
    }
    sn_subtract3(ends[1], ends[0], way);
    sn_normalize3(way, (const double[3]){0, 0, 0});
}

static void assert_way(const people *p, const char *from, const char *to, double x, double y, double z)
{
    const double wanted[3] = {x, y, z};
    double way[3];
    way_of(p, from, to, way);
    for (int d = 0; d < 3; ++d) {
        if (fabs(way[d] - wanted[d]) > 1e-6) {
            fail_msg("%s to %s: %g %g %g", from, to, way[0], way[1], way[2]);
        }
    }
}

static void assert_same(const double *a, const double *b, int count, double tolerance)
{
    for (int i = 0; i < 12 * count; ++i) {
        if (fabs(a[i] - b[i]) > tolerance) {
            fail_msg("joint %d, number %d: %g where %g was expected", i / 12, i % 12, a[i], b[i]);
        }
    }
}

/* Turned about any axis, too: whichever way a rig looks, x is to its left and z ahead. */
static void of_a_vrm_it_is_the_formula(void **state)
{
    (void)state;
    for (int turns = 0; turns < 4; ++turns) {
        people p, plain;
        double m[12], back[12], wanted[12 * PERSON_JOINTS];
        make_person(&p, &(person){.arm_angle = .1}); /* a VRM's rest is the T-pose, whatever it looks like */
        plain = p;
        turn_person(&p, 1, turns * 1.5707963267948966);
        sn_person *sticks = make(&p, true, SN_OK);
        for (int j = 0; j < p.count; ++j) {
            turn(p.roles[j], .4 * sin(j + 1.), .3 * sin(2. * j), .5 * cos(3. * j));
        }
        sn_person_apply(sticks, &pose, NULL, poses);
        /* Q = Q_parent N, about the joint, in the rig's axes */
        sn_affine_identity(m);
        memcpy(m, p.rest, 3 * sizeof(double));
        memcpy(m + 4, p.rest + 4, 3 * sizeof(double));
        memcpy(m + 8, p.rest + 8, 3 * sizeof(double));
        assert_true(sn_affine_invert(m, back));
        for (int j = 0; j < p.count; ++j) {
            double r[9], local[12], other[12], *to = wanted + 12 * j;
            const double *at = plain.rest + 12 * j;
            sn_quaternion_to_matrix(pose.rotations[p.roles[j]], r);
            for (int d = 0; d < 3; ++d) {
                memcpy(local + 4 * d, r + 3 * d, 3 * sizeof(double));
                local[4 * d + 3] = at[4 * d + 3] - r[3 * d] * at[3] - r[3 * d + 1] * at[7] - r[3 * d + 2] * at[11];
            }
            sn_affine_multiply(m, local, other);
            sn_affine_multiply(other, back, local);
            if (p.parents[j] >= 0) {
                sn_affine_multiply(wanted + 12 * p.parents[j], local, to);
            } else {
                memcpy(to, local, sizeof local);
            }
        }
        assert_same(poses, wanted, p.count, 1e-9);
    }
}

/* Others rest as they like: nothing said of the arms is arms sideways, and then they go where they are told. */
static void arms_that_rest_down(void **state)
{
    (void)state;
    people p;
    make_person(&p, &(person){.arm_angle = 1.2});
    sn_person *sticks = make(&p, false, SN_OK);
    turn(SN_HUMANOID_HEAD, 0, 0, 0);
    sn_person_apply(sticks, &pose, NULL, poses);
    assert_way(&p, "leftUpperArm", "leftLowerArm", 1, 0, 0);
    assert_way(&p, "rightLowerArm", "rightHand", -1, 0, 0);
    turn(sn_humanoid_bone_index(0, SN_PART_UPPER_ARM), 0, 0,
         1.5); /* from_vector: the tangent's half angle, about 74 degrees */
    sn_person_apply(sticks, &pose, NULL, poses);
    double q[4], angle;
    sn_quaternion_from_vector((const double[3]){0, 0, 1.5}, q);
    angle = 2 * atan2(q[2], q[3]);
    assert_way(&p, "leftUpperArm", "leftLowerArm", cos(angle), sin(angle), 0);
    assert_way(&p, "leftLowerArm", "leftHand", cos(angle), sin(angle), 0);
    assert_way(&p, "rightUpperArm", "rightLowerArm", -1, 0, 0);
}

/* The chest of a rig without one turns what it would turn. */
static void a_missing_bone_turns_those_below(void **state)
{
    (void)state;
    for (int spines = 1; spines <= 3; ++spines) {
        for (int has_roles = 0; has_roles < 2; ++has_roles) {
            people p;
            double way[3];
            make_person(&p, &(person){.spines = spines});
            sn_person *sticks = make(&p, has_roles, SN_OK);
            turn(SN_HUMANOID_SPINE, 0, .2, 0);
            turn(SN_HUMANOID_CHEST, 0, .2, 0);
            turn(SN_HUMANOID_UPPER_CHEST, 0, .2, 0);
            turn(SN_HUMANOID_NECK, 0, .2, 0);
            sn_person_apply(sticks, &pose, NULL, poses);
            double q[4], m[9];
            sn_quaternion_from_vector((const double[3]){0, .2, 0}, q);
            const double one = 2 * atan2(q[1], q[3]);
            way_of(&p, "rightUpperArm", "leftUpperArm", way);
            assert_true(fabs(atan2(-way[2], way[0]) - 3 * one) < 1e-9);
            const double *head = poses + 12 * joint_of(&p, "head");
            for (int d = 0; d < 9; ++d) {
                m[d] = head[d / 3 * 4 + d % 3];
            }
            assert_true(fabs(atan2(m[2], m[0]) - 4 * one) < 1e-9);
        }
    }
}

static void make_base(const people *p)
{
    for (int j = 0; j < p->count; ++j) {
        double r[9], q[4], local[12];
        const double vector[3] = {.2 * sin(j), .3 * cos(2. * j), .1 * j / p->count};
        const double *at = p->rest + 12 * j;
        sn_quaternion_from_vector(vector, q);
        sn_quaternion_to_matrix(q, r);
        for (int d = 0; d < 3; ++d) {
            memcpy(local + 4 * d, r + 3 * d, 3 * sizeof(double));
            local[4 * d + 3] = at[4 * d + 3] - r[3 * d] * at[3] - r[3 * d + 1] * at[7] - r[3 * d + 2] * at[11] +
                               (p->parents[j] < 0 ? .3 + d : 0);
        }
        if (p->parents[j] >= 0) {
            sn_affine_multiply(base + 12 * p->parents[j], local, base + 12 * j);
        } else {
            memcpy(base + 12 * j, local, sizeof local);
        }
    }
}

/* What is not tracked is as the base has it, wherever the tracked ones take it. */
static void the_base_goes_on_below(void **state)
{
    (void)state;
    for (int spines = 1; spines <= 3; ++spines) {
        people p;
        make_person(&p, &(person){.arm_angle = .8, .spines = spines});
        sn_person *sticks = make(&p, false, SN_OK);
        make_base(&p);
        sn_person_apply(sticks, &pose, base, poses);
        assert_same(poses, base, p.count, 1e-9);
        turn(sn_humanoid_bone_index(1, SN_PART_UPPER_LEG), -.5, 0, 0);
        sn_person_apply(sticks, &pose, base, poses);
        int moved = 0;
        for (int j = 0; j < p.count; ++j) {
            const bool is_leg = strncmp(p.names[j], "right", 5) == 0 && p.parents[j] >= 0 &&
                                (strstr(p.names[j], "Leg") || strstr(p.names[j], "Foot") || strstr(p.names[j], "Toes"));
            moved += is_leg;
            if (!is_leg) {
                assert_same(poses + 12 * j, base + 12 * j, 1, 1e-9);
            } else if (strcmp(p.names[j], "rightUpperLeg") != 0) { /* the shin to the thigh as before */
                double back[12], a[12], b[12];
                assert_true(sn_affine_invert(poses + 12 * p.parents[j], back));
                sn_affine_multiply(back, poses + 12 * j, a);
                assert_true(sn_affine_invert(base + 12 * p.parents[j], back));
                sn_affine_multiply(back, base + 12 * j, b);
                assert_same(a, b, 1, 1e-9);
            }
        }
        assert_int_equal(moved, 4);
        pose.bone_weights[sn_humanoid_bone_index(1, SN_PART_UPPER_LEG)] = 1e-6; /* comes in gently */
        sn_person_apply(sticks, &pose, base, poses);
        assert_same(poses, base, p.count, 1e-4);
    }
}

/* Of a T-pose and of A-poses, with and without roles, turned about any axis: arms hang 70 degrees down, elbows bend
 * ahead; what hangs further down, and all else, is as it was. */
static void arms_hang_at_ease(void **state)
{
    (void)state;
    static const double angles[] = {0, .1, .6, 1, 1.4};
    for (int k = 0; k < 10; ++k) {
        people p;
        const bool has_roles = k >= 5;
        const double angle = angles[k % 5], slope = angle > SN_PERSON_ARM ? angle : SN_PERSON_ARM;
        make_person(&p, &(person){.arm_angle = angle});
        sn_person *sticks = make(&p, has_roles, SN_OK);
        for (int j = 0; j < p.count; ++j) {
            sn_affine_identity(base + 12 * j);
        }
        sn_person_apply_relaxed(sticks, base, poses);
        for (int side = 0; side < 2; ++side) {
            const char *const arm[2][3] = {{"leftUpperArm", "leftLowerArm", "leftHand"},
                                           {"rightUpperArm", "rightLowerArm", "rightHand"}};
            const double out = side == 0 ? 1 : -1;
            double lower[3];
            assert_way(&p, arm[side][0], arm[side][1], out * cos(slope), -sin(slope), 0);
            way_of(&p, arm[side][1], arm[side][2], lower);
            assert_true(angle > SN_PERSON_ARM
                            ? fabs(lower[2]) < 1e-9
                            : fabs(lower[2] - sin(SN_PERSON_ELBOW)) < 1e-6 && lower[1] < -.9 * sin(slope));
        }
        for (int j = 0; j < p.count; ++j) {
            if (!strstr(p.names[j], "Arm") && !strstr(p.names[j], "Hand")) {
                assert_same(poses + 12 * j, base + 12 * j, 1, 1e-9);
            }
        }
    }
}

/* Hips at 1, ankles at .1: of somebody twice as tall, or of whom nothing is known. */
static void hips_are_scaled(void **state)
{
    (void)state;
    people p;
    double place[3], hips[3];
    make_person(&p, &(person){.scale = 3});
    sn_person *sticks = make(&p, true, SN_OK);
    const double at[3] = {p.rest[3], p.rest[7], p.rest[11]};
    pose.hips_weight = 1;
    pose.hips_height = 1.8;
    pose.hips_height_weight = 1;
    memcpy(pose.hips, (const double[3]){.5, 2, -1}, sizeof pose.hips);
    sn_person_apply(sticks, &pose, NULL, poses);
    sn_affine_apply(poses, at, place);
    const double scale = 2.7 / 1.8;
    assert_true(fabs(place[0] - .5 * scale) < 1e-9 && fabs(place[1] - 2 * scale) < 1e-9);
    assert_true(fabs(place[2] + scale) < 1e-9);
    sn_person_hips(sticks, hips);
    assert_true(sn_distance3(hips, place) < 1e-9);
    pose.hips_height_weight = .25;
    sn_person_apply(sticks, &pose, NULL, poses);
    sn_affine_apply(poses, at, place);
    assert_true(fabs(place[1] - 2 * (1 + .25 * (scale - 1))) < 1e-9);
    pose.hips_height = 0;
    sn_person_apply(sticks, &pose, NULL, poses);
    sn_affine_apply(poses, at, place);
    assert_true(fabs(place[1] - 2) < 1e-9);
    pose.hips_weight = .5;
    sn_person_apply(sticks, &pose, NULL, poses);
    sn_affine_apply(poses, at, place);
    assert_true(fabs(place[1] - .5 * (2 + 3)) < 1e-9);
    assert_true(sn_person_rest(sticks, SN_HUMANOID_HEAD, place) && fabs(place[1] - 4.8) < 1e-9);
    assert_false(sn_person_rest(sticks, SN_HUMANOID_JAW, place));
}

static void nothing_is_allocated(void **state)
{
    (void)state;
    people p;
    sn_arena_finish(&arena);
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    make_person(&p, &(person){.arm_angle = .4});
    sn_person *sticks = make(&p, false, SN_OK);
    make_base(&p);
    const int before = allocation_count;
    assert_true(before > 0);
    turn(SN_HUMANOID_HEAD, .1, .2, .3);
    sn_person_apply(sticks, &pose, base, poses);
    sn_person_apply(sticks, &pose, NULL, poses);
    assert_int_equal(allocation_count, before);
    sn_arena_finish(&arena);
    sn_set_allocator(NULL, NULL, NULL);
}

static void who_is_no_person_is_refused(void **state)
{
    (void)state;
    people p;
    make_person(&p, &(person){.scale = 1});
    p.count = 6; /* without limbs */
    begin_log();
    make(&p, true, SN_ERROR_FORMAT);
    assert_one_error("person: cannot be posed as a person: it lacks the humanoid bones leftUpperLeg");
    sn_set_log(NULL, NULL);
}

static int finish(void **state)
{
    (void)state;
    sn_arena_finish(&arena);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

int test_person(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_vrm_it_is_the_formula),
        cmocka_unit_test(arms_that_rest_down),
        cmocka_unit_test(a_missing_bone_turns_those_below),
        cmocka_unit_test(the_base_goes_on_below),
        cmocka_unit_test(arms_hang_at_ease),
        cmocka_unit_test(hips_are_scaled),
        cmocka_unit_test(nothing_is_allocated),
        cmocka_unit_test(who_is_no_person_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
