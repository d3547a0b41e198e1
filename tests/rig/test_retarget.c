/* SPDX-License-Identifier: MIT */
/* Motions of a person of sticks for others: where their joints must be is known from the motion itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "author/retarget/retarget.h"
#include "tests/support/log.h"
#include "tests/support/rig_people.h"

#define FRAMES 12
#define WIDTH (12 * PERSON_JOINTS)

static double worlds[FRAMES * WIDTH], poses[FRAMES * WIDTH];

/* Joint j turns by a vector of its own against its parent, from none in the first frame on; the hips go their way. */
static void move(const people *p, double amount, double *out)
{
    for (int f = 0; f < FRAMES; ++f) {
        for (int j = 0; j < p->count; ++j) {
            const double t = amount * f / (FRAMES - 1);
            const double vector[3] = {t * sin(1.7 * j + 1), t * sin(2.3 * j + 2), t * sin(3.1 * j)};
            double q[4], turn[9], local[12], up[12], *world = out + 12 * ((size_t)f * (size_t)p->count + (size_t)j);
            sn_quaternion_from_vector(vector, q);
            sn_quaternion_to_matrix(q, turn);
            for (int d = 0; d < 3; ++d) {
                const double rest = p->rest[12 * j + 4 * d + 3];
                const double parent = p->parents[j] >= 0 ? p->rest[12 * p->parents[j] + 4 * d + 3] : 0;
                memcpy(local + 4 * d, turn + 3 * d, 3 * sizeof(double));
                local[4 * d + 3] = rest - parent + (p->parents[j] < 0 ? t * (.3 + .2 * d) : 0);
            }
            if (p->parents[j] >= 0) {
                memcpy(up, world + 12 * (p->parents[j] - j), sizeof up);
                sn_affine_multiply(up, local, world);
            } else {
                memcpy(world, local, sizeof local);
            }
        }
    }
}

/* Where a pose takes a joint. */
static void posed_place(const people *p, const double *frames, int f, int joint, double place[3])
{
    const double *rest = p->rest + 12 * joint, at[3] = {rest[3], rest[7], rest[11]};
    sn_affine_apply(frames + 12 * ((size_t)f * (size_t)p->count + (size_t)joint), at, place);
}

static void retarget(const people *from, const people *to, bool is_capture)
{
    sn_arena arena = {0};
    const sn_rig_motion motion = {skeleton_of(from), FRAMES, worlds, is_capture};
    const sn_rig_skeleton target = skeleton_of(to);
    assert_int_equal(sn_retarget(&motion, &target, &arena, poses), SN_OK);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Every joint of `to` is at scale m (the joint of `from`), m a rotation; both have the same joints. */
static void assert_places(const people *from, const people *to, double scale, const double *m, const double *offset)
{
    for (int f = 0; f < FRAMES; ++f) {
        for (int j = 0; j < to->count; ++j) {
            const double *w = worlds + 12 * ((size_t)f * (size_t)from->count + (size_t)j);
            const double theirs[3] = {w[3], w[7], w[11]};
            double wanted[3], place[3];
            sn_affine_apply(m, theirs, wanted);
            posed_place(to, poses, f, j, place);
            for (int d = 0; d < 3; ++d) {
                if (fabs(place[d] - scale * wanted[d] - offset[d]) > 1e-9) {
                    fail_msg("frame %d, %s, axis %d: %g where %g was expected", f, to->names[j], d, place[d],
                             scale * wanted[d] + offset[d]);
                }
            }
        }
    }
}

static const double none[3], identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* Arms that rest sideways, aslant or down: what is done with them is the same. */
static void any_rest_pose_moves_alike(void **state)
{
    (void)state;
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            people from, to;
            make_person(&from, &(person){.arm_angle = .75 * a});
            make_person(&to, &(person){.arm_angle = .75 * b});
            move(&from, .8, worlds);
            retarget(&from, &to, false);
            assert_places(&from, &to, 1, identity, none);
        }
    }
}

static void another_size_goes_as_far_for_its_size(void **state)
{
    (void)state;
    people from, to;
    make_person(&from, &(person){.arm_angle = 1.4, .scale = 37});
    make_person(&to, &(person){.scale = .6});
    move(&from, .5, worlds);
    retarget(&from, &to, false);
    assert_places(&from, &to, .6 / 37, identity, none);
}

/* A capture may have any axis up, look anywhere and be anywhere: it begins where the other stands, looking ahead. */
static void captures_begin_in_place(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        for (int turns = 0; turns < 4; ++turns) {
            people from, plain, to;
            make_person(&plain, &(person){.arm_angle = .4});
            make_person(&to, &(person){.arm_angle = 1.1});
            from = plain;
            double m[12], back[12], turned[12];
            turn_person(&from, axis, turns * 1.5707963267948966);
            move(&plain, .3, worlds);
            sn_affine_identity(m);
            memcpy(m, from.rest, 3 * sizeof(double));
            memcpy(m + 4, from.rest + 4, 3 * sizeof(double));
            memcpy(m + 8, from.rest + 8, 3 * sizeof(double));
            for (size_t i = 0; i < (size_t)FRAMES * PERSON_JOINTS; ++i) { /* the whole world turned, and moved off */
                sn_affine_multiply(m, worlds + 12 * i, turned);
                memcpy(worlds + 12 * i, turned, sizeof turned);
                worlds[12 * i + 3] += 7;
                worlds[12 * i + 11] -= 5;
            }
            retarget(&from, &to, true);
            /* the lowest ankles are the floor, which the first frame stands on but for what frames sink below it */
            double place[3], offset[3];
            const double *hips = worlds;
            sn_affine_invert(m, back);
            double first[3];
            sn_affine_apply(back, (const double[3]){hips[3], hips[7], hips[11]}, first);
            posed_place(&to, poses, 0, 0, place);
            assert_true(fabs(place[0]) < 1e-9 && fabs(place[2]) < 1e-9);
            for (int d = 0; d < 3; ++d) {
                offset[d] = place[d] - first[d];
            }
            assert_places(&from, &to, 1, back, offset);
        }
    }
}

/* Nodes of a negative scale, at rest and in motion: the joints are where they were. */
static void mirrored_axes_move_alike(void **state)
{
    (void)state;
    for (int target = 0; target < 2; ++target) {
        people from, to;
        make_person(&from, &(person){.arm_angle = .3});
        make_person(&to, &(person){.arm_angle = 1});
        move(&from, .8, worlds);
        people *mirrored = target ? &to : &from;
        for (int i = 0; i < PERSON_JOINTS * (1 + FRAMES); ++i) {
            double *w = i < PERSON_JOINTS ? mirrored->rest + 12 * i : worlds + 12 * (i - PERSON_JOINTS);
            for (int d = 0; d < 3 && (i < PERSON_JOINTS || !target); ++d) {
                w[4 * d] *= -2;
            }
        }
        retarget(&from, &to, false);
        assert_places(&from, &to, 1, identity, none);
    }
}

/* Whoever lies in most frames, or in all, lies: the rest, which stands, says which axis is up. */
static void a_capture_of_one_who_lies(void **state)
{
    (void)state;
    for (int standing = 0; standing <= FRAMES / 2; standing += FRAMES / 4) {
        people from, to;
        double *w = worlds, m[12], turned[12], offset[3], place[3];
        make_person(&from, &(person){.arm_angle = .2});
        make_person(&to, &(person){.arm_angle = .2});
        move(&from, .1, worlds);
        sn_affine_identity(m); /* face down, the head where it looked */
        m[5] = m[10] = 0;
        m[6] = -1;
        m[9] = 1;
        for (int i = 0; i < FRAMES * PERSON_JOINTS; ++i) {
            sn_affine_multiply(m, w + 12 * i, turned);
            if (i >= standing * PERSON_JOINTS) {
                memcpy(w + 12 * i, turned, sizeof turned);
            }
        }
        retarget(&from, &to, true);
        posed_place(&to, poses, 0, 0, place);
        for (int d = 0; d < 3; ++d) {
            offset[d] = place[d] - worlds[4 * d + 3];
        }
        for (int i = 0; i < FRAMES * PERSON_JOINTS; ++i) { /* toes slope as the lows of such feet have it */
            const int j = i % PERSON_JOINTS;
            posed_place(&to, poses, i / PERSON_JOINTS, j, place);
            for (int d = 0; d < 3 && j != 17 && j != 21; ++d) {
                assert_true(fabs(place[d] - w[12 * i + 4 * d + 3] - offset[d]) < 1e-9);
            }
        }
    }
}

/* The left arm up is the left arm up, whatever the order of joints. */
static void sides_are_not_swapped(void **state)
{
    (void)state;
    people from, to;
    double place[2][3];
    make_person(&from, &(person){.arm_angle = 0});
    make_person(&to, &(person){.arm_angle = 1.5});
    move(&from, 0, worlds);
    for (int j = 7; j < 10; ++j) { /* in the last frame, the left arm straight up */
        double *w = worlds + 12 * ((FRAMES - 1) * PERSON_JOINTS + j);
        const double up[12] = {0, -1, 0, .18, 1, 0, 0, 1.45 + (j == 8 ? .3 : j == 9 ? .57 : 0), 0, 0, 1, 0};
        memcpy(w, up, sizeof up);
    }
    retarget(&from, &to, true);
    posed_place(&to, poses, FRAMES - 1, 9, place[0]);
    posed_place(&to, poses, FRAMES - 1, 13, place[1]);
    assert_true(fabs(place[0][0] - .18) < 1e-9 && fabs(place[0][1] - 2.02) < 1e-9);
    assert_true(fabs(place[1][0] + .75) < 1e-9 && fabs(place[1][1] - 1.45) < 1e-9);
}

/* About x, of a pose relative to rest. */
static double bend_of(const double *pose)
{
    return atan2(pose[9], pose[5]);
}

static void spines_share_what_they_bend(void **state)
{
    (void)state;
    for (int back = 0; back < 2; ++back) {
        people from, to;
        make_person(&from, &(person){.spines = back ? 1 : 3});
        make_person(&to, &(person){.spines = back ? 3 : 1});
        move(&from, 0, worlds);
        const int chest = back ? 1 : 3;
        for (int j = 1; j < from.count; ++j) { /* the chest, and what is on it, by .6; below it .2 and .4 */
            const bool is_leg = j >= from.count - 8;
            const double angle = is_leg ? 0 : j < chest ? .2 * j : .6;
            double *w = worlds + 12 * ((size_t)(FRAMES - 1) * (size_t)from.count + (size_t)j);
            w[5] = w[10] = cos(angle);
            w[9] = sin(angle);
            w[6] = -sin(angle);
        }
        retarget(&from, &to, false);
        const double *last = poses + 12 * (size_t)(FRAMES - 1) * (size_t)to.count;
        for (int j = 1; j <= (back ? 3 : 1); ++j) {
            assert_true(fabs(bend_of(last + 12 * j) - (back ? .2 * j : .6)) < 1e-2); /* blends are not by the angle */
        }
        assert_true(fabs(bend_of(last + 12 * (back ? 3 : 1)) - .6) < 1e-9);
        assert_true(fabs(bend_of(last)) < 1e-9);
    }
}

/* Joints whose axes lie along their bones, as some suits' files have them: all zero rotations are no pose that anyone
 * stands in. A frame that does is found. */
static void a_rest_that_is_none_is_not_used(void **state)
{
    (void)state;
    people from, to;
    make_person(&from, &(person){.arm_angle = 1.2});
    make_person(&to, &(person){.arm_angle = 1.2});
    move(&from, .7, worlds);
    for (int j = 0; j < from.count; ++j) { /* an axis of its own, in every frame */
        const double vector[3] = {sin(5.0 * j), cos(3.0 * j), sin(2.0 * j + 1)};
        double q[4], turn[9], own[12], product[12];
        sn_quaternion_from_vector(vector, q);
        sn_quaternion_to_matrix(q, turn);
        sn_affine_identity(own);
        for (int d = 0; d < 3; ++d) {
            memcpy(own + 4 * d, turn + 3 * d, 3 * sizeof(double));
        }
        for (int f = 0; f < FRAMES; ++f) {
            double *w = worlds + 12 * (f * PERSON_JOINTS + j);
            sn_affine_multiply(w, own, product);
            memcpy(w, product, sizeof product);
        }
        from.rest[12 * j + 3] = .1 * j; /* all along x */
        from.rest[12 * j + 7] = from.rest[12 * j + 11] = 0;
    }
    retarget(&from, &to, true);
    double place[3], offset[3];
    posed_place(&to, poses, 0, 0, place);
    for (int d = 0; d < 3; ++d) {
        offset[d] = place[d] - worlds[4 * d + 3];
    }
    assert_places(&from, &to, 1, identity, offset);
}

/* A .vrma says where it looks: a clip that begins turned stays so. */
static void other_files_keep_their_heading(void **state)
{
    (void)state;
    people from, to;
    double place[3], turn[12] = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0}, turned[12];
    make_person(&from, &(person){0});
    make_person(&to, &(person){.arm_angle = .5});
    move(&from, 0, worlds);
    for (int i = 0; i < FRAMES * PERSON_JOINTS; ++i) {
        sn_affine_multiply(turn, worlds + 12 * i, turned);
        memcpy(worlds + 12 * i, turned, sizeof turned);
    }
    retarget(&from, &to, false);
    posed_place(&to, poses, 0, 17, place); /* the left toes were ahead and left: now right of the middle and behind */
    assert_true(fabs(place[0] - .15) < 1e-9 && fabs(place[2] + .1) < 1e-9);
}

/* A tail, and an ear: not a humanoid's. */
static void others_move_by_their_names(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    people from = {.count = COUNT, .names = {"body", "tail1", "tail2", "tail3", "ear"}, .parents = {-1, 0, 1, 2, 0}};
    const double places[COUNT][3] = {{0, 1, 0}, {0, 1, -1}, {0, .8, -2}, {0, .7, -3}, {.3, 1.5, .5}};
    for (int j = 0; j < COUNT; ++j) {
        sn_affine_identity(from.rest + 12 * j);
        for (int d = 0; d < 3; ++d) {
            from.rest[12 * j + 4 * d + 3] = places[j][d];
        }
    }
    people to = from;
    turn_person(&to, 0, -1.5707963267948966); /* and its axes, which do not matter */
    for (int i = 0; i < 12 * COUNT; ++i) {
        to.rest[i] *= i % 4 == 3 ? 2.5 : 1;
    }
    move(&from, .6, worlds);
    retarget(&from, &to, false);
    double m[12];
    sn_affine_identity(m);
    m[5] = m[10] = 0;
    m[6] = 1;
    m[9] = -1;
    assert_places(&from, &to, 2.5, m, none);
}

static void legs_without_length_are_refused(void **state)
{
    (void)state;
    people from, to;
    make_person(&from, &(person){0});
    make_person(&to, &(person){0});
    move(&from, 0, worlds);
    for (int swap = 0; swap < 2; ++swap) {
        people point = swap ? to : from;
        for (int j = 14; j < point.count; ++j) {
            memcpy(point.rest + 12 * j, point.rest, 12 * sizeof(double));
        }
        const sn_rig_motion motion = {skeleton_of(swap ? &from : &point), 1, worlds, false};
        const sn_rig_skeleton target = skeleton_of(swap ? &point : &to);
        sn_arena arena = {0};
        begin_log();
        assert_int_equal(sn_retarget(&motion, &target, &arena, poses), SN_ERROR_FORMAT);
        assert_one_error("person: the legs of the skeleton have zero length");
        sn_arena_finish(&arena);
    }
}

/* A joint that two skins bind at two places is two bones, which stay together. */
static void a_bone_that_is_there_twice_moves_as_one(void **state)
{
    (void)state;
    people from, to;
    make_person(&from, &(person){0});
    make_person(&to, &(person){.arm_angle = .9, .spines = 2});
    const int32_t elbow = 7; /* without one joint of the spine */
    const double bind[12] = {0, 0, 1, 3, 0, 1, 0, -2, -1, 0, 0, .5};
    assert_string_equal(to.names[elbow], "leftLowerArm");
    to.names[to.count] = to.names[elbow];
    to.parents[to.count] = to.parents[elbow];
    memcpy(to.rest + 12 * to.count, bind, sizeof bind);
    move(&from, .8, worlds);
    to.count += 1;
    retarget(&from, &to, false);
    for (int f = 0; f < FRAMES; ++f) { /* pose bind is the node's place, by either bone */
        const double *pose = poses + 12 * (size_t)f * (size_t)to.count;
        double places[2][12];
        sn_affine_multiply(pose + 12 * elbow, to.rest + 12 * elbow, places[0]);
        sn_affine_multiply(pose + 12 * (to.count - 1), bind, places[1]);
        for (int i = 0; i < 12; ++i) {
            assert_true(fabs(places[0][i] - places[1][i]) < 1e-12);
        }
    }
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    people from, to;
    make_person(&from, &(person){0});
    make_person(&to, &(person){0});
    for (int j = 0; j < to.count; ++j) { /* no names in common, and no feet */
        to.names[j] = j == 16 || j == 20 ? "x" : to.names[j];
        from.names[j] = j == 0 ? "pelvis" : from.names[j];
    }
    to.count = 20;
    move(&from, 0, worlds);
    for (int swap = 0; swap < 2; ++swap) {
        people other = {.count = 1, .names = {"lamp"}, .parents = {-1}, .rest = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        const sn_rig_motion motion = {skeleton_of(swap ? &other : &from), 1, worlds, true};
        const sn_rig_skeleton target = skeleton_of(swap ? &from : &other);
        sn_arena arena = {0};
        begin_log();
        assert_int_equal(sn_retarget(&motion, &target, &arena, poses), SN_ERROR_FORMAT);
        assert_one_error("person");
        assert_non_null(strstr(
            logged.last, "person lacks the humanoid bones hips, leftUpperLeg, leftLowerLeg, leftFoot, leftUpperArm"));
        sn_arena_finish(&arena);
    }
}

/* A back that is level throughout: of a quadruped with a human's names, and of one who crawls, whose arms are shorter.
 * Among its own names a quadruped moves all the same. */
static void quadrupeds_do_not_move_people(void **state)
{
    (void)state;
    for (int is_crawling = 0; is_crawling < 2; ++is_crawling) {
        people from, to;
        sn_arena arena = {0};
        make_person(&from, &(person){0});
        make_person(&to, &(person){.arm_angle = .7});
        for (int j = 1; j < 14; ++j) { /* shoulders at .9, elbows at .55 or .6, wrists at .1 or .35 */
            double *rest = from.rest + 12 * j;
            const bool is_hand = j == 9 || j == 13, is_elbow = j == 8 || j == 12;
            const double elbow = is_crawling ? .6 : .55, hand = is_crawling ? .35 : .1;
            rest[11] = j < 6 ? rest[7] - 1 : .45;
            rest[7] = is_hand ? hand : is_elbow ? elbow : j < 6 ? 1 : .9;
            rest[3] = j < 6 ? 0 : j < 10 ? .1 : -.1;
        }
        for (int f = 0; f < FRAMES; ++f) {
            memcpy(worlds + (size_t)f * 12 * (size_t)from.count, from.rest, 12 * (size_t)from.count * sizeof(double));
        }
        retarget(&from, &from, true);
        for (int j = 0; j < to.count; ++j) {
            to.names[j] = "";
        }
        const sn_rig_motion motion = {skeleton_of(&from), FRAMES, worlds, true};
        const sn_rig_skeleton target = skeleton_of(&to);
        begin_log();
        assert_int_equal(sn_retarget(&motion, &target, &arena, poses), is_crawling ? SN_OK : SN_ERROR_FORMAT);
        if (!is_crawling) {
            assert_one_error("person: cannot be retargeted to person: the joint names differ, and the motion is of a "
                             "four-legged animal");
        }
        sn_arena_finish(&arena);
    }
}

int test_retarget(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rest_pose_moves_alike),       cmocka_unit_test(another_size_goes_as_far_for_its_size),
        cmocka_unit_test(captures_begin_in_place),         cmocka_unit_test(sides_are_not_swapped),
        cmocka_unit_test(spines_share_what_they_bend),     cmocka_unit_test(a_rest_that_is_none_is_not_used),
        cmocka_unit_test(other_files_keep_their_heading),  cmocka_unit_test(others_move_by_their_names),
        cmocka_unit_test(legs_without_length_are_refused), cmocka_unit_test(a_bone_that_is_there_twice_moves_as_one),
        cmocka_unit_test(what_is_missing_is_named),        cmocka_unit_test(a_capture_of_one_who_lies),
        cmocka_unit_test(mirrored_axes_move_alike),        cmocka_unit_test(quadrupeds_do_not_move_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
