/* SPDX-License-Identifier: MIT */
/* Arms and legs: two bones and a hinge. The upper bone gets the minimum rotation from the torso to its direction, then
 * a twist about that direction such that the elbow or knee bends in the plane of the limb. */
#include <math.h>
#include <string.h>

#include "author/retarget/body.h"
#include "author/retarget/twist.h"
#include "host/math/quaternion.h"
#include "host/math/smoothstep.h"
#include "host/math/vec3.h"
#include "runtime/puppet/landmarks_person.h"

/* Sines of the bend angle from which its plane is used partly and fully. */
#define MIN_BEND_SINE 0.1
#define FULL_BEND_SINE 0.35
/* Radians: twists up to the first angle have full weight, beyond the second none. A hinge does not bend backwards; such
 * measurements are noise of a straight limb. */
#define ARM_TWIST_FULL 2.0
#define ARM_TWIST_LIMIT 2.4
#define LEG_TWIST_FULL 1.2
#define LEG_TWIST_LIMIT 1.7
/* Maximum twist of a forearm to either side, radians. Zero is a palm parallel to the elbow's axis: palm down in the
 * T-pose, thumb up with the elbow bent forward. */
#define FOREARM_TWIST_LIMIT 1.8
#define PI 3.14159265358979323846

/* A limb at rest. */
typedef struct limb {
    int upper;       /* bone index; the lower bone follows */
    int points[3];   /* landmarks: shoulder, elbow, wrist (or hip, knee, ankle) */
    double rest[3];  /* direction of both bones */
    double hinge[3]; /* direction of upper x lower for a slightly bent limb */
    double twist_full, twist_limit;
} limb;

/* Composes `base` with the minimum rotation that takes its image of `rest` to `direction`. */
static void swing_to(const double base[4], const double rest[3], const double direction[3], double world[4])
{
    double from[3], rotation[4];
    sn_rig_rotate(base, rest, from);
    sn_rig_rotate_to(from, direction, rotation);
    sn_quaternion_multiply(rotation, base, world);
}

/* Angle about the upper bone from the untwisted hinge to the observed one; *weight: its reliability, 0 to 1. */
static double observed_twist(const limb *l, const double untwisted[4], const double upper[3], const double lower[3],
                             double *weight)
{
    double hinge[3], normal[3], cross[3];
    sn_rig_rotate(untwisted, l->hinge, hinge);
    sn_cross3(upper, lower, normal);
    sn_cross3(hinge, normal, cross);
    const double angle = atan2(sn_dot3(cross, upper), sn_dot3(hinge, normal));
    *weight = sn_smoothstep(MIN_BEND_SINE, FULL_BEND_SINE, sn_length3(normal)) *
              (1 - sn_smoothstep(l->twist_full, l->twist_limit, fabs(angle)));
    return angle;
}

/* Moves the kept twist towards a measurement. The rate is independent of the frame rate; at full weight the measurement
 * is adopted at once. */
static double update_twist(sn_stored_twist *stored, double angle, double weight, double seconds)
{
    const double fraction = weight >= 1 ? 1 : stored->is_known ? 1 - pow(1 - weight, 30 * seconds) : weight;
    stored->angle += fraction * (angle - stored->angle);
    stored->is_known = stored->is_known || weight > 0;
    return stored->angle;
}

/* World rotations of the upper bone and of the untwisted lower bone, and their confidence (0: not visible). */
static void solve_limb(const sn_landmark_person *p, const limb *l, sn_stored_twist *stored, double world[2][4],
                       double confidence[2])
{
    double parent_world[4], directions[2][3], rotation[4], weight = 0, angle = 0;
    confidence[0] = sn_landmark_min_visibility(p, 2, l->points);
    confidence[1] = sn_landmark_min_visibility(p, 3, l->points);
    if (!(confidence[0] > 0) ||
        !sn_landmark_direction(p->points[l->points[0]], p->points[l->points[1]], directions[0])) {
        confidence[0] = confidence[1] = 0;
        return;
    }
    if (confidence[1] > 0 && !sn_landmark_direction(p->points[l->points[1]], p->points[l->points[2]], directions[1])) {
        confidence[1] = 0;
    }
    sn_landmark_parent_rotation(p, l->upper, parent_world);
    swing_to(parent_world, l->rest, directions[0], world[0]);
    if (confidence[1] > 0) {
        angle = observed_twist(l, world[0], directions[0], directions[1], &weight);
    }
    sn_rig_axis_rotation(directions[0], update_twist(stored, angle, weight, p->seconds), rotation);
    sn_quaternion_multiply(rotation, world[0], world[0]);
    if (confidence[1] > 0) {
        swing_to(world[0], l->rest, directions[1], world[1]);
    }
}

/* Updates the forearm's twist from the palm, limited to the anatomical range. Beyond half a turn it stays on its
 * previous side. */
static void update_forearm(sn_stored_twist *stored, double twist)
{
    const double full_turns = stored->is_known ? floor((twist - stored->angle) / (2 * PI) + 0.5) : 0;
    stored->angle = fmin(fmax(twist - 2 * PI * full_turns, -FOREARM_TWIST_LIMIT), FOREARM_TWIST_LIMIT);
    stored->is_known = true;
}

/* Rotates forearm and hand as observed, except that twist beyond the forearm's range is removed. */
static void solve_hand(sn_landmark_person *p, int side, const double forearm[4], const double rest[3],
                       double confidence)
{
    const int bones[] = {sn_humanoid_bone_index(side, SN_PART_LOWER_ARM), sn_humanoid_bone_index(side, SN_PART_HAND)};
    double palm[4], inverse_forearm[4], local[4], rotation[4], world[4];
    const double palm_confidence = sn_landmark_solve_palm(p, side, palm);
    double measured = 0;
    if (palm_confidence > 0) {
        sn_quaternion_conjugate(forearm, inverse_forearm);
        sn_quaternion_multiply(inverse_forearm, palm, local);
        sn_rig_twist(local, rest, rotation);
        measured = sn_rig_twist_angle(rotation, rest);
        update_forearm(&p->solver->forearm[side], measured);
    }
    const double twist = p->solver->forearm[side].angle;
    sn_rig_axis_rotation(rest, SN_FOREARM_TWIST_FRACTION * twist, rotation);
    sn_quaternion_multiply(forearm, rotation, world);
    sn_landmark_set_bone(p, bones[0], world, confidence);
    if (palm_confidence > 0) {
        sn_rig_axis_rotation(rest, twist - measured, rotation);
        sn_quaternion_multiply(rotation, local, local);
        sn_quaternion_multiply(forearm, local, world);
        sn_landmark_set_bone(p, bones[1], world, palm_confidence);
        sn_landmark_solve_fingers(p, side, palm);
    }
}

void sn_landmark_solve_arm(sn_landmark_person *p, int side)
{
    const double outwards = side == 0 ? 1 : -1;
    const limb arm = {.upper = sn_humanoid_bone_index(side, SN_PART_UPPER_ARM),
                      .points = {SN_POSE_SHOULDER + side, SN_POSE_ELBOW + side, SN_POSE_WRIST + side},
                      .rest = {outwards, 0, 0},
                      .hinge = {0, -outwards, 0},
                      .twist_full = ARM_TWIST_FULL,
                      .twist_limit = ARM_TWIST_LIMIT};
    double world[2][4], confidence[2];
    solve_limb(p, &arm, &p->solver->upper_arm[side], world, confidence);
    if (confidence[0] > 0) {
        sn_landmark_set_bone(p, arm.upper, world[0], confidence[0]);
    }
    if (confidence[1] > 0) {
        solve_hand(p, side, world[1], arm.rest, confidence[1]);
    }
}

/* Rotates a foot by its sole (heel to toe) and the ankle above it. */
static void solve_foot(sn_landmark_person *p, int side)
{
    const int points[] = {SN_POSE_ANKLE + side, SN_POSE_HEEL + side, SN_POSE_TOE + side};
    const double confidence = sn_landmark_min_visibility(p, 3, points);
    double forward[3], up[3], left[3], world[4];
    if (!(confidence > 0) || !sn_landmark_direction(p->points[points[1]], p->points[points[2]], forward) ||
        !sn_landmark_direction(p->points[points[1]], p->points[points[0]], up)) {
        return;
    }
    sn_cross3(up, forward, left);
    if (sn_length3(left) > MIN_BEND_SINE) {
        sn_cross3(forward, left, up);
        sn_rig_axes(left, up, world);
    } else {
        sn_landmark_parent_rotation(p, sn_humanoid_bone_index(side, SN_PART_FOOT), world);
        swing_to(world, (const double[3]){0, 0, 1}, forward, world);
    }
    sn_landmark_set_bone(p, sn_humanoid_bone_index(side, SN_PART_FOOT), world, confidence);
}

void sn_landmark_solve_leg(sn_landmark_person *p, int side)
{
    const limb leg = {.upper = sn_humanoid_bone_index(side, SN_PART_UPPER_LEG),
                      .points = {SN_POSE_HIP + side, SN_POSE_KNEE + side, SN_POSE_ANKLE + side},
                      .rest = {0, -1, 0},
                      .hinge = {1, 0, 0},
                      .twist_full = LEG_TWIST_FULL,
                      .twist_limit = LEG_TWIST_LIMIT};
    double world[2][4], confidence[2];
    solve_limb(p, &leg, &p->solver->thigh[side], world, confidence);
    for (int i = 0; i < 2; ++i) {
        if (confidence[i] > 0) {
            sn_landmark_set_bone(p, leg.upper + i, world[i], confidence[i]);
        }
    }
    if (confidence[1] > 0) {
        solve_foot(p, side);
    }
}
