/* SPDX-License-Identifier: MIT */
/* Measures a humanoid: legs, soles, and the clearance of hanging arms. */
#include "author/motions/body.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

/* Fractions of the leg length, where the surface does not determine them. */
#define BALL_LENGTH 0.17
#define HEEL_LENGTH 0.06
#define ARM_RADIUS 0.05
#define MAX_STANCE 1.3       /* of the hip joint's distance to the middle */
#define FREE_BALL_LENGTH 0.2 /* of the leg length: longer feet rise less */
/* Range of the arm that must clear the body: from the elbow's height to the finger tips, and to the front and back.
 * Fractions of the arm's length. */
#define CLEARANCE_TOP 0.3
#define CLEARANCE_BOTTOM 1.3
#define CLEARANCE_DEPTH 0.3
#define MIN_ARM_OUT 7.0 /* degrees */
#define MAX_ARM_OUT 35.0
#define DEGREES 57.29577951308232

typedef enum surface_region { OTHER, TRUNK, FOOT_LEFT, FOOT_RIGHT, ARM_LEFT, ARM_RIGHT } surface_region;

/* The region that a joint moves. */
static surface_region region_of(const sn_motion_skin *skin, int32_t joint)
{
    while (joint >= 0 && skin->roles[joint] < 0) {
        joint = skin->skeleton->parents[joint];
    }
    const int bone = joint >= 0 ? skin->roles[joint] : -1;
    if (bone < SN_HUMANOID_LEFT) {
        return bone >= SN_HUMANOID_HIPS && bone <= SN_HUMANOID_UPPER_CHEST ? TRUNK : OTHER;
    }
    const int side = (bone - SN_HUMANOID_LEFT) / SN_PART_COUNT, part = (bone - SN_HUMANOID_LEFT) % SN_PART_COUNT;
    return part == SN_PART_FOOT || part == SN_PART_TOES             ? (surface_region)(FOOT_LEFT + side)
           : part == SN_PART_UPPER_LEG || part == SN_PART_LOWER_LEG ? TRUNK
           : part == SN_PART_LOWER_ARM                              ? (surface_region)(ARM_LEFT + side)
                                                                    : OTHER;
}

static void rest_position(const sn_person *person, int side, int part, double position[3])
{
    const bool is_found = sn_person_rest(person, sn_humanoid_bone_index(side, part), position);
    SN_ASSERT(is_found); /* only for required bones */
}

static bool measure_leg(sn_motion_body *b, const sn_person *person, int side)
{
    const double sign = side == 0 ? 1 : -1;
    rest_position(person, side, SN_PART_UPPER_LEG, b->sides[side].hip);
    rest_position(person, side, SN_PART_LOWER_LEG, b->sides[side].knee);
    rest_position(person, side, SN_PART_FOOT, b->sides[side].ankle);
    b->leg_length += (b->sides[side].hip[1] - b->sides[side].ankle[1]) / 2;
    b->sides[side].stance =
        fmin(sign * (b->sides[side].ankle[0] - b->hips[0]), MAX_STANCE * sign * (b->sides[side].hip[0] - b->hips[0]));
    return sn_distance3(b->sides[side].hip, b->sides[side].knee) > 0 &&
           sn_distance3(b->sides[side].knee, b->sides[side].ankle) > 0;
}

/* The ball is at the toe joint; without one, at the tip of the foot, which cannot bend. */
static void measure_sole(sn_motion_body *b, const sn_person *person, const sn_motion_skin *skin, int side)
{
    const double *ankle = b->sides[side].ankle;
    double low = HUGE_VAL, front = -HUGE_VAL, back = HUGE_VAL, toes[3], position[3];
    for (int i = 0; i < skin->surface->count; ++i) {
        if (region_of(skin, skin->surface->joints[i]) == FOOT_LEFT + (surface_region)side) {
            sn_person_to_metres(person, skin->surface->positions + 3 * (size_t)i, position);
            low = fmin(low, position[1]);
            front = fmax(front, position[2]);
            back = fmin(back, position[2]);
        }
    }
    const bool has_surface = low < ankle[1];
    double *ball = b->sides[side].ball, *heel = b->sides[side].heel;
    ball[0] = heel[0] = 0;
    ball[1] = heel[1] = has_surface ? low - ankle[1] : -fmax(ankle[1], 0);
    ball[2] = has_surface ? fmax(front - ankle[2], 0) : BALL_LENGTH * b->leg_length;
    heel[2] = has_surface ? fmin(back - ankle[2], 0) : -HEEL_LENGTH * b->leg_length;
    if (sn_person_rest(person, sn_humanoid_bone_index(side, SN_PART_TOES), toes) && toes[2] > ankle[2]) {
        ball[1] = toes[1] - ankle[1];
        ball[2] = toes[2] - ankle[2];
    }
    b->sides[side].heel_gain = fmin(1, FREE_BALL_LENGTH * b->leg_length / fmax(ball[2], 1e-9));
}

/* The mean distance of the forearm's skin to its axis, in the target's rest pose. */
static double arm_radius(const sn_motion_body *b, const sn_person *person, const sn_motion_skin *skin, int side)
{
    const int32_t elbow = skin->of_role[sn_humanoid_bone_index(side, SN_PART_LOWER_ARM)];
    const int32_t wrist = skin->of_role[sn_humanoid_bone_index(side, SN_PART_HAND)];
    double ends[2][3], position[3], sum = 0;
    int count = 0;
    for (int k = 0; k < 2 && elbow >= 0 && wrist >= 0; ++k) {
        const double *rest = skin->skeleton->rest + 12 * (size_t)(k == 0 ? elbow : wrist);
        sn_person_to_metres(person, (double[3]){rest[3], rest[7], rest[11]}, ends[k]);
    }
    for (int i = 0; i < skin->surface->count && elbow >= 0 && wrist >= 0; ++i) {
        if (region_of(skin, skin->surface->joints[i]) == ARM_LEFT + (surface_region)side) {
            sn_person_to_metres(person, skin->surface->positions + 3 * (size_t)i, position);
            sum += sn_segment_distance(position, ends[0], ends[1]);
            ++count;
        }
    }
    return count > 0 ? sum / count : ARM_RADIUS * b->leg_length;
}

/* The angle at which a hanging arm touches the trunk and the legs. */
static void measure_arm(sn_motion_body *b, const sn_person *person, const sn_motion_skin *skin, int side)
{
    const double sign = side == 0 ? 1 : -1, radius = arm_radius(b, person, skin, side);
    double shoulder[3], elbow[3], hand[3], position[3], angle = MIN_ARM_OUT / DEGREES;
    rest_position(person, side, SN_PART_UPPER_ARM, shoulder);
    rest_position(person, side, SN_PART_LOWER_ARM, elbow);
    double length = sn_distance3(shoulder, elbow);
    length +=
        sn_person_rest(person, sn_humanoid_bone_index(side, SN_PART_HAND), hand) ? sn_distance3(elbow, hand) : length;
    for (int i = 0; i < skin->surface->count; ++i) {
        if (region_of(skin, skin->surface->joints[i]) == TRUNK) {
            sn_person_to_metres(person, skin->surface->positions + 3 * (size_t)i, position);
            const double below = shoulder[1] - position[1], beside = sign * (position[0] - shoulder[0]);
            if (below > CLEARANCE_TOP * length && below < CLEARANCE_BOTTOM * length &&
                fabs(position[2] - shoulder[2]) < CLEARANCE_DEPTH * length) {
                angle = fmax(angle, atan2(beside + radius, below));
            }
        }
    }
    b->sides[side].arm_out = fmin(angle * DEGREES, MAX_ARM_OUT);
}

bool sn_motion_body_init(sn_motion_body *b, const sn_person *person, const sn_motion_skin *skin)
{
    *b = (sn_motion_body){0};
    bool is_valid = sn_person_rest(person, SN_HUMANOID_HIPS, b->hips);
    for (int side = 0; side < 2; ++side) {
        is_valid = measure_leg(b, person, side) && is_valid;
    }
    for (int side = 0; side < 2; ++side) {
        measure_sole(b, person, skin, side);
        measure_arm(b, person, skin, side);
    }
    return is_valid && b->leg_length > 0;
}
