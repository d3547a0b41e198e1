/* SPDX-License-Identifier: MIT */
/* Palms and fingers. A finger bone gets the minimum rotation from its T-pose direction, relative to its parent bone:
 * along the hand, or, for a thumb, diagonally forward. */
#include <math.h>
#include <string.h>

#include "author/retarget/body.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "runtime/puppet/landmarks_person.h"

#define LEAST_SINE 0.1

/* Axes of a hand that points along `along`, towards the middle finger's knuckle; the index finger is in front of the
 * little finger. */
static bool palm_axes(int side, const double along[3], const double little[3], const double index[3], double world[4])
{
    double ahead[3], left[3], up[3];
    if (!sn_landmark_way(little, index, ahead)) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        left[d] = side == 0 ? along[d] : -along[d];
    }
    sn_cross3(ahead, left, up);
    sn_rig_axes(left, up, world);
    return sn_length3(up) > LEAST_SINE;
}

double sn_landmark_palm(const sn_landmark_person *p, int side, double world[4])
{
    const int points[] = {SN_POSE_WRIST + side, SN_POSE_LITTLE + side, SN_POSE_INDEX + side};
    const double seen = sn_landmark_sees(p, 3, points);
    double along[3], middle[3];
    if (p->has_hand[side]) {
        const double(*hand)[3] = p->hands[side];
        const bool is_there = sn_landmark_way(hand[SN_HAND_WRIST], hand[SN_HAND_MIDDLE], along) &&
                              palm_axes(side, along, hand[SN_HAND_LITTLE], hand[SN_HAND_INDEX], world);
        return is_there ? 1 : 0;
    }
    for (int d = 0; d < 3; ++d) {
        middle[d] = (p->points[points[1]][d] + p->points[points[2]][d]) / 2;
    }
    const bool is_there = seen > 0 && sn_landmark_way(p->points[points[0]], middle, along) &&
                          palm_axes(side, along, p->points[points[1]], p->points[points[2]], world);
    return is_there ? seen : 0;
}

static void turn_finger(sn_landmark_person *p, int side, int finger, const double palm[4])
{
    const double(*points)[3] = p->hands[side] + SN_HAND_THUMB + 4 * finger;
    const int first = sn_humanoid_of(side, SN_PART_THUMB + 3 * finger);
    const double out = side == 0 ? 1 : -1, half = sqrt(0.5);
    const double rest[3] = {finger == 0 ? half * out : out, 0, finger == 0 ? half : 0};
    double world[4], way[3], back[4], turn[4];
    memcpy(world, palm, sizeof world);
    for (int i = 0; i < 3 && sn_landmark_way(points[i], points[i + 1], way); ++i) {
        sn_quaternion_conjugate(world, back);
        sn_rig_rotate(back, way, way);
        sn_rig_turn_to(rest, way, turn);
        sn_quaternion_multiply(world, turn, world);
        sn_tracking_rotate(p->moment, first + i, turn, 1);
    }
}

void sn_landmark_turn_fingers(sn_landmark_person *p, int side, const double palm[4])
{
    for (int finger = 0; finger < 5 && p->has_hand[side]; ++finger) {
        turn_finger(p, side, finger, palm);
    }
}
