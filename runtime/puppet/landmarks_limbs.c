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
#define BEND_SEEN 0.1
#define BEND_SURE 0.35
/* Radians: twists up to the first angle have full weight, beyond the second none. A hinge does not bend backwards; such
 * measurements are noise of a straight limb. */
#define ARM_TWIST_SURE 2.0
#define ARM_TWIST_LIMIT 2.4
#define LEG_TWIST_SURE 1.2
#define LEG_TWIST_LIMIT 1.7
/* Maximum twist of a forearm to either side, radians. Zero is a palm parallel to the elbow's axis: palm down in the
 * T-pose, thumb up with the elbow bent forward. */
#define FOREARM_REACH 1.8
#define PI 3.14159265358979323846

/* A limb at rest. */
typedef struct limb {
    int upper;       /* bone index; the lower bone follows */
    int points[3];   /* landmarks: shoulder, elbow, wrist (or hip, knee, ankle) */
    double rest[3];  /* direction of both bones */
    double hinge[3]; /* direction of upper x lower for a slightly bent limb */
    double twist_sure, twist_limit;
} limb;

/* Composes `base` with the minimum rotation that takes its image of `rest` to `direction`. */
static void swing(const double before[4], const double rest[3], const double way[3], double world[4])
{
    double from[3], turn[4];
    sn_rig_rotate(before, rest, from);
    sn_rig_turn_to(from, way, turn);
    sn_quaternion_multiply(turn, before, world);
}

/* Angle about the upper bone from the untwisted hinge to the observed one; *weight: its reliability, 0 to 1. */
static double seen_twist(const limb *l, const double untwisted[4], const double upper[3], const double lower[3],
                         double *weight)
{
    double hinge[3], normal[3], across[3];
    sn_rig_rotate(untwisted, l->hinge, hinge);
    sn_cross3(upper, lower, normal);
    sn_cross3(hinge, normal, across);
    const double angle = atan2(sn_dot3(across, upper), sn_dot3(hinge, normal));
    *weight = sn_smoothstep(BEND_SEEN, BEND_SURE, sn_length3(normal)) *
              (1 - sn_smoothstep(l->twist_sure, l->twist_limit, fabs(angle)));
    return angle;
}

/* Moves the kept twist towards a measurement. The rate is independent of the frame rate; at full weight the measurement
 * is adopted at once. */
static double keep_twist(sn_kept_twist *kept, double angle, double weight, double seconds)
{
    const double share = weight >= 1 ? 1 : kept->is_known ? 1 - pow(1 - weight, 30 * seconds) : weight;
    kept->angle += share * (angle - kept->angle);
    kept->is_known = kept->is_known || weight > 0;
    return kept->angle;
}

/* World rotations of the upper bone and of the untwisted lower bone, and their confidence (0: not visible). */
static void solve_limb(const sn_landmark_person *p, const limb *l, sn_kept_twist *kept, double world[2][4],
                       double seen[2])
{
    double above[4], ways[2][3], turn[4], weight = 0, angle = 0;
    seen[0] = sn_landmark_sees(p, 2, l->points);
    seen[1] = sn_landmark_sees(p, 3, l->points);
    if (!(seen[0] > 0) || !sn_landmark_way(p->points[l->points[0]], p->points[l->points[1]], ways[0])) {
        seen[0] = seen[1] = 0;
        return;
    }
    if (seen[1] > 0 && !sn_landmark_way(p->points[l->points[1]], p->points[l->points[2]], ways[1])) {
        seen[1] = 0;
    }
    sn_landmark_above(p, l->upper, above);
    swing(above, l->rest, ways[0], world[0]);
    if (seen[1] > 0) {
        angle = seen_twist(l, world[0], ways[0], ways[1], &weight);
    }
    sn_rig_about(ways[0], keep_twist(kept, angle, weight, p->seconds), turn);
    sn_quaternion_multiply(turn, world[0], world[0]);
    if (seen[1] > 0) {
        swing(world[0], l->rest, ways[1], world[1]);
    }
}

/* Updates the forearm's twist from the palm, limited to the anatomical range. Beyond half a turn it stays on its
 * previous side. */
static void keep_forearm(sn_kept_twist *kept, double twist)
{
    const double turns = kept->is_known ? floor((twist - kept->angle) / (2 * PI) + 0.5) : 0;
    kept->angle = fmin(fmax(twist - 2 * PI * turns, -FOREARM_REACH), FOREARM_REACH);
    kept->is_known = true;
}

/* Rotates forearm and hand as observed, except that twist beyond the forearm's range is removed. */
static void turn_hand(sn_landmark_person *p, int side, const double forearm[4], const double rest[3], double seen)
{
    const int bones[] = {sn_humanoid_of(side, SN_PART_LOWER_ARM), sn_humanoid_of(side, SN_PART_HAND)};
    double palm[4], back[4], local[4], turn[4], world[4];
    const double palm_seen = sn_landmark_palm(p, side, palm);
    double measured = 0;
    if (palm_seen > 0) {
        sn_quaternion_conjugate(forearm, back);
        sn_quaternion_multiply(back, palm, local);
        sn_rig_twist(local, rest, turn);
        measured = sn_rig_twist_angle(turn, rest);
        keep_forearm(&p->solver->forearm[side], measured);
    }
    const double twist = p->solver->forearm[side].angle;
    sn_rig_about(rest, SN_FOREARM_SHARE * twist, turn);
    sn_quaternion_multiply(forearm, turn, world);
    sn_landmark_turn(p, bones[0], world, seen);
    if (palm_seen > 0) {
        sn_rig_about(rest, twist - measured, turn);
        sn_quaternion_multiply(turn, local, local);
        sn_quaternion_multiply(forearm, local, world);
        sn_landmark_turn(p, bones[1], world, palm_seen);
        sn_landmark_turn_fingers(p, side, palm);
    }
}

void sn_landmark_turn_arm(sn_landmark_person *p, int side)
{
    const double outwards = side == 0 ? 1 : -1;
    const limb arm = {.upper = sn_humanoid_of(side, SN_PART_UPPER_ARM),
                      .points = {SN_POSE_SHOULDER + side, SN_POSE_ELBOW + side, SN_POSE_WRIST + side},
                      .rest = {outwards, 0, 0},
                      .hinge = {0, -outwards, 0},
                      .twist_sure = ARM_TWIST_SURE,
                      .twist_limit = ARM_TWIST_LIMIT};
    double world[2][4], seen[2];
    solve_limb(p, &arm, &p->solver->upper_arm[side], world, seen);
    if (seen[0] > 0) {
        sn_landmark_turn(p, arm.upper, world[0], seen[0]);
    }
    if (seen[1] > 0) {
        turn_hand(p, side, world[1], arm.rest, seen[1]);
    }
}

/* Rotates a foot by its sole (heel to toe) and the ankle above it. */
static void turn_foot(sn_landmark_person *p, int side)
{
    const int points[] = {SN_POSE_ANKLE + side, SN_POSE_HEEL + side, SN_POSE_TOE + side};
    const double seen = sn_landmark_sees(p, 3, points);
    double ahead[3], up[3], left[3], world[4];
    if (!(seen > 0) || !sn_landmark_way(p->points[points[1]], p->points[points[2]], ahead) ||
        !sn_landmark_way(p->points[points[1]], p->points[points[0]], up)) {
        return;
    }
    sn_cross3(up, ahead, left);
    if (sn_length3(left) > BEND_SEEN) {
        sn_cross3(ahead, left, up);
        sn_rig_axes(left, up, world);
    } else {
        sn_landmark_above(p, sn_humanoid_of(side, SN_PART_FOOT), world);
        swing(world, (const double[3]){0, 0, 1}, ahead, world);
    }
    sn_landmark_turn(p, sn_humanoid_of(side, SN_PART_FOOT), world, seen);
}

void sn_landmark_turn_leg(sn_landmark_person *p, int side)
{
    const limb leg = {.upper = sn_humanoid_of(side, SN_PART_UPPER_LEG),
                      .points = {SN_POSE_HIP + side, SN_POSE_KNEE + side, SN_POSE_ANKLE + side},
                      .rest = {0, -1, 0},
                      .hinge = {1, 0, 0},
                      .twist_sure = LEG_TWIST_SURE,
                      .twist_limit = LEG_TWIST_LIMIT};
    double world[2][4], seen[2];
    solve_limb(p, &leg, &p->solver->thigh[side], world, seen);
    for (int i = 0; i < 2; ++i) {
        if (seen[i] > 0) {
            sn_landmark_turn(p, leg.upper + i, world[i], seen[i]);
        }
    }
    if (seen[1] > 0) {
        turn_foot(p, side);
    }
}
