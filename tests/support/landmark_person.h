/* SPDX-License-Identifier: MIT */
/* A person whose bones have known rotations, and the landmarks that a tracker would see of it. */
#ifndef SN_TESTS_SUPPORT_LANDMARK_PERSON_H
#define SN_TESTS_SUPPORT_LANDMARK_PERSON_H

#include <math.h>
#include <string.h>

#include "author/retarget/body.h"
#include "host/math/quaternion.h"
#include "runtime/puppet/landmarks_person.h"

typedef struct sn_test_person {
    double locals[SN_HUMANOID_COUNT][4], worlds[SN_HUMANOID_COUNT][4];
} sn_test_person;

static inline sn_test_person sn_test_person_at_rest(void)
{
    sn_test_person person = {0};
    for (int b = 0; b < SN_HUMANOID_COUNT; ++b) {
        person.locals[b][3] = 1;
    }
    return person;
}

/* A turn by an angle about an axis, before the one that is there: locals[bone] = locals[bone] turn. */
static inline void sn_test_turn(sn_test_person *person, int bone, double x, double y, double z, double angle)
{
    const double s = sin(angle / 2) / sqrt(x * x + y * y + z * z), turn[4] = {s * x, s * y, s * z, cos(angle / 2)};
    sn_quaternion_multiply(person->locals[bone], turn, person->locals[bone]);
}

/* place = from + the bone's turn of (x, y, z) */
static inline void sn_test_place(const sn_test_person *person, int bone, const double *from, double x, double y,
                                 double z, double *place)
{
    const double offset[3] = {x, y, z};
    double turned[3];
    sn_rig_rotate(person->worlds[bone], offset, turned);
    for (int d = 0; d < 3; ++d) {
        place[d] = from[d] + turned[d];
    }
}

static inline void sn_test_finger(const sn_test_person *person, int side, int finger, double (*points)[3])
{
    const double out = side == 0 ? 1 : -1, half = sqrt(0.5);
    for (int k = 0; k < 3; ++k) {
        const double length = 0.03 - 0.005 * k;
        const double along = finger == 0 ? half * length : length;
        sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_THUMB + 3 * finger + k), points[k], out * along, 0,
                      finger == 0 ? along : 0, points[k + 1]);
    }
}

static inline void sn_test_hand(const sn_test_person *person, int side, double (*points)[3])
{
    const int hand = sn_humanoid_bone_index(side, SN_PART_HAND);
    const double out = side == 0 ? 1 : -1,
                 knuckles[5][2] = {{0.02, 0.03}, {0.09, 0.03}, {0.09, 0}, {0.09, -0.015}, {0.09, -0.03}};
    memset(points, 0, SN_HAND_COUNT * sizeof *points);
    for (int finger = 0; finger < 5; ++finger) {
        double(*first)[3] = points + 1 + 4 * finger;
        sn_test_place(person, hand, points[0], out * knuckles[finger][0], 0, knuckles[finger][1], first[0]);
        sn_test_finger(person, side, finger, first);
    }
}

static inline void sn_test_side(const sn_test_person *person, int side, const double *shoulders, double (*points)[3])
{
    const double out = side == 0 ? 1 : -1, none[3] = {0};
    double(*p)[3] = points + side;
    sn_test_place(person, SN_HUMANOID_CHEST, shoulders, 0.18 * out, 0, 0, p[SN_POSE_SHOULDER]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_UPPER_ARM), p[SN_POSE_SHOULDER], 0.28 * out, 0, 0,
                  p[SN_POSE_ELBOW]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_LOWER_ARM), p[SN_POSE_ELBOW], 0.25 * out, 0, 0,
                  p[SN_POSE_WRIST]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_HAND), p[SN_POSE_WRIST], 0.09 * out, 0, 0.03,
                  p[SN_POSE_INDEX]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_HAND), p[SN_POSE_WRIST], 0.09 * out, 0, -0.03,
                  p[SN_POSE_LITTLE]);
    sn_test_place(person, SN_HUMANOID_HIPS, none, 0.1 * out, 0, 0, p[SN_POSE_HIP]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_UPPER_LEG), p[SN_POSE_HIP], 0, -0.42, 0,
                  p[SN_POSE_KNEE]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_LOWER_LEG), p[SN_POSE_KNEE], 0, -0.4, 0,
                  p[SN_POSE_ANKLE]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_FOOT), p[SN_POSE_ANKLE], 0, -0.08, -0.04,
                  p[SN_POSE_HEEL]);
    sn_test_place(person, sn_humanoid_bone_index(side, SN_PART_FOOT), p[SN_POSE_HEEL], 0, 0, 0.22, p[SN_POSE_TOE]);
}

/* Left, up, ahead become MediaPipe's right in the picture, down, away. */
static inline void sn_test_to_picture(double *point)
{
    point[1] = -point[1];
    point[2] = -point[2];
}

/* All of it is seen; the face has no matrix. Fills in the worlds, too. */
static inline sn_landmarks sn_test_see(sn_test_person *person, bool with_hands)
{
    sn_landmarks seen = {.has_pose = true, .has_hand = {with_hands, with_hands}};
    double points[SN_POSE_COUNT][3] = {{0}}, shoulders[3], skull[3];
    const double none[3] = {0};
    for (int b = 0; b < SN_HUMANOID_COUNT; ++b) {
        const int above = sn_humanoid_parent(b);
        sn_quaternion_multiply(above < 0 ? (const double[4]){0, 0, 0, 1} : person->worlds[above], person->locals[b],
                               person->worlds[b]);
    }
    sn_test_place(person, SN_HUMANOID_HIPS, none, 0, 0.5, 0, shoulders);
    sn_test_place(person, SN_HUMANOID_CHEST, shoulders, 0, 0.2, 0, skull);
    sn_test_place(person, SN_HUMANOID_HEAD, skull, 0, -0.1 * sin(SN_NOSE_ANGLE), 0.1 * cos(SN_NOSE_ANGLE),
                  points[SN_POSE_NOSE]);
    for (int side = 0; side < 2; ++side) {
        sn_test_place(person, SN_HUMANOID_HEAD, skull, side == 0 ? 0.08 : -0.08, 0, 0, points[SN_POSE_EAR + side]);
        sn_test_side(person, side, shoulders, points);
        sn_test_hand(person, side, seen.hands[side]);
        for (int i = 0; i < SN_HAND_COUNT; ++i) {
            sn_test_to_picture(seen.hands[side][i]);
        }
    }
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        sn_test_to_picture(points[i]);
        memcpy(seen.pose[i], points[i], sizeof points[i]);
        seen.pose[i][3] = 1;
    }
    return seen;
}

#endif
