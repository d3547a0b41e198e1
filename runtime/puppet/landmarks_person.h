/* SPDX-License-Identifier: MIT */
/* One moment's landmarks in the axes of the rotations, and the bones' world rotations as they are found. Private to the
 * solver of landmarks. */
#ifndef SN_RUNTIME_PUPPET_LANDMARKS_PERSON_H
#define SN_RUNTIME_PUPPET_LANDMARKS_PERSON_H

#include "runtime/puppet/landmarks.h"

/* MediaPipe's landmarks of a pose; those of the right side are one behind those of the left. */
enum {
    SN_POSE_NOSE = 0,
    SN_POSE_EAR = 7,
    SN_POSE_SHOULDER = 11,
    SN_POSE_ELBOW = 13,
    SN_POSE_WRIST = 15,
    SN_POSE_LITTLE = 17, /* its knuckle */
    SN_POSE_INDEX = 19,
    SN_POSE_HIP = 23,
    SN_POSE_KNEE = 25,
    SN_POSE_ANKLE = 27,
    SN_POSE_HEEL = 29,
    SN_POSE_TOE = 31
};

/* Of a hand: the wrist, then four points a finger, from the thumb on. */
enum { SN_HAND_WRIST = 0, SN_HAND_THUMB = 1, SN_HAND_INDEX = 5, SN_HAND_MIDDLE = 9, SN_HAND_LITTLE = 17 };

typedef struct sn_landmark_person {
    sn_landmark_solver *solver;
    sn_tracking *moment;
    double seconds; /* since the last moment, 0 .. 0.25; 0 at the first */
    double points[SN_POSE_COUNT][3];
    double visibility[SN_POSE_COUNT]; /* 0 where a point does not count */
    bool has_image;
    double image[SN_POSE_COUNT][2]; /* left and up in the picture, in its heights */
    bool has_hand[2];
    double hands[2][SN_HAND_COUNT][3];
    double world[SN_HUMANOID_COUNT][4]; /* of bones that are tracked */
} sn_landmark_person;

/* The world rotation of the nearest bone above that is tracked; the identity where there is none. */
void sn_landmark_above(const sn_landmark_person *person, int bone, double world[4]);
/* After all that are above. */
void sn_landmark_turn(sn_landmark_person *person, int bone, const double world[4], double confidence);
/* The least visibility of points. */
double sn_landmark_sees(const sn_landmark_person *person, int count, const int *points);
/* To unit length; false where it has none. */
bool sn_landmark_way(const double from[3], const double to[3], double way[3]);

void sn_landmark_turn_arm(sn_landmark_person *person, int side);
void sn_landmark_turn_leg(sn_landmark_person *person, int side);
/* The hand's world rotation by its palm, and how sure that is; 0: it cannot be seen. */
double sn_landmark_palm(const sn_landmark_person *person, int side, double world[4]);
/* Fingers have their rotations against the palm: `palm` as sn_landmark_palm gave it. */
void sn_landmark_turn_fingers(sn_landmark_person *person, int side, const double palm[4]);
/* After the hips are turned. */
void sn_landmark_place_hips(sn_landmark_person *person);

#endif
