/* SPDX-License-Identifier: MIT */
/* Private to the landmark solver: the landmarks of one frame in the axes of the rotations, and the world rotations of
 * solved bones. */
#ifndef SN_RUNTIME_PUPPET_LANDMARKS_PERSON_H
#define SN_RUNTIME_PUPPET_LANDMARKS_PERSON_H

#include "runtime/puppet/landmarks.h"

/* MediaPipe's pose landmarks of the left side; the right side's index is one more. */
enum {
    SN_POSE_NOSE = 0,
    SN_POSE_EAR = 7,
    SN_POSE_SHOULDER = 11,
    SN_POSE_ELBOW = 13,
    SN_POSE_WRIST = 15,
    SN_POSE_LITTLE = 17, /* knuckle of the little finger */
    SN_POSE_INDEX = 19,
    SN_POSE_HIP = 23,
    SN_POSE_KNEE = 25,
    SN_POSE_ANKLE = 27,
    SN_POSE_HEEL = 29,
    SN_POSE_TOE = 31
};

/* MediaPipe's hand landmarks: the wrist, then four points per finger, starting with the thumb. */
enum { SN_HAND_WRIST = 0, SN_HAND_THUMB = 1, SN_HAND_INDEX = 5, SN_HAND_MIDDLE = 9, SN_HAND_LITTLE = 17 };

typedef struct sn_landmark_person {
    sn_landmark_solver *solver;
    sn_tracking *tracking_frame;
    double seconds; /* since the last frame, 0 to 0.25; 0 in the first */
    double points[SN_POSE_COUNT][3];
    double visibility[SN_POSE_COUNT]; /* 0 for points that are not used */
    bool has_image;
    double image[SN_POSE_COUNT][2]; /* left and up in the picture, in picture heights */
    bool has_hand[2];
    double hands[2][SN_HAND_COUNT][3];
    double world[SN_HUMANOID_COUNT][4]; /* of tracked bones */
} sn_landmark_person;

/* World rotation of the nearest tracked ancestor; the identity if there is none. */
void sn_landmark_parent_rotation(const sn_landmark_person *person, int bone, double world[4]);
/* Sets a bone's rotation from its world rotation. Ancestors must be set first. */
void sn_landmark_set_bone(sn_landmark_person *person, int bone, const double world[4], double confidence);
/* Minimum visibility of some landmarks. */
double sn_landmark_min_visibility(const sn_landmark_person *person, int count, const int *points);
/* Unit direction between two points; false if they coincide. */
bool sn_landmark_direction(const double from[3], const double to[3], double direction[3]);

void sn_landmark_solve_arm(sn_landmark_person *person, int side);
void sn_landmark_solve_leg(sn_landmark_person *person, int side);
/* Computes the hand's world rotation from its palm and returns its confidence; 0: not visible. */
double sn_landmark_solve_palm(const sn_landmark_person *person, int side, double world[4]);
/* Sets the finger rotations relative to the palm (from sn_landmark_solve_palm). */
void sn_landmark_solve_fingers(sn_landmark_person *person, int side, const double palm[4]);
/* Sets the hips position. Call it after the hips are rotated. */
void sn_landmark_solve_hips(sn_landmark_person *person);

#endif
