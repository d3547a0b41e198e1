/* SPDX-License-Identifier: MIT */
/* Palms and fingers. A finger bone gets the minimum rotation from its T-pose direction, relative to its parent bone:
 * along the hand, or, for a thumb, diagonally forward. */
#include <math.h>
#include <string.h>

#include "author/retarget/body.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "runtime/puppet/landmarks_person.h"

#define MIN_SINE 0.1

/* Axes of a hand that points along `along`, towards the middle finger's knuckle; the index finger is in front of the
 * little finger. */
static bool palm_axes(int side, const double along[3], const double little[3], const double index[3], double world[4])
{
    double forward[3], left[3], up[3];
    if (!sn_landmark_direction(little, index, forward)) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        left[d] = side == 0 ? along[d] : -along[d];
    }
    sn_cross3(forward, left, up);
    sn_rig_axes(left, up, world);
    return sn_length3(up) > MIN_SINE;
}

double sn_landmark_solve_palm(const sn_landmark_person *p, int side, double world[4])
{
    const int points[] = {SN_POSE_WRIST + side, SN_POSE_LITTLE + side, SN_POSE_INDEX + side};
    const double confidence = sn_landmark_min_visibility(p, 3, points);
    double along[3], midpoint[3];
    if (p->has_hand[side]) {
        const double(*hand)[3] = p->hands[side];
        const bool is_valid = sn_landmark_direction(hand[SN_HAND_WRIST], hand[SN_HAND_MIDDLE], along) &&
                              palm_axes(side, along, hand[SN_HAND_LITTLE], hand[SN_HAND_INDEX], world);
        return is_valid ? 1 : 0;
    }
    for (int d = 0; d < 3; ++d) {
        midpoint[d] = (p->points[points[1]][d] + p->points[points[2]][d]) / 2;
    }
    const bool is_valid = confidence > 0 && sn_landmark_direction(p->points[points[0]], midpoint, along) &&
                          palm_axes(side, along, p->points[points[1]], p->points[points[2]], world);
    return is_valid ? confidence : 0;
}

static void solve_finger(sn_landmark_person *p, int side, int finger, const double palm[4])
{
    const double(*points)[3] = p->hands[side] + SN_HAND_THUMB + 4 * finger;
    const int first = sn_humanoid_bone_index(side, SN_PART_THUMB + 3 * finger);
    const double outwards = side == 0 ? 1 : -1, diagonal = sqrt(0.5);
    const double rest[3] = {finger == 0 ? diagonal * outwards : outwards, 0, finger == 0 ? diagonal : 0};
    double world[4], direction[3], inverse_world[4], rotation[4];
    memcpy(world, palm, sizeof world);
    for (int i = 0; i < 3 && sn_landmark_direction(points[i], points[i + 1], direction); ++i) {
        sn_quaternion_conjugate(world, inverse_world);
        sn_rig_rotate(inverse_world, direction, direction);
        sn_rig_rotate_to(rest, direction, rotation);
        sn_quaternion_multiply(world, rotation, world);
        sn_tracking_set_rotation(p->tracking_frame, first + i, rotation, 1);
    }
}

void sn_landmark_solve_fingers(sn_landmark_person *p, int side, const double palm[4])
{
    for (int finger = 0; finger < 5 && p->has_hand[side]; ++finger) {
        solve_finger(p, side, finger, palm);
    }
}
