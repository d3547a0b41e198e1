/* SPDX-License-Identifier: MIT */
/* Converts a person's landmarks to bone rotations. Each bone is swung from its direction in the T-pose to the direction
 * between its landmarks, then twisted about that direction: by the plane in which the elbow or knee bends, by the palm,
 * or by the sole. Where the plane is undefined (a straight arm), the last twist is kept.
 *
 * Not observable, and left without a rotation: shoulder blades, toes, the twist of fingers. Hips, spine and chest share
 * one line from hips to shoulders: the hips take the lean; spine and chest share the rotation of the shoulders relative
 * to the hips. */
#ifndef SN_RUNTIME_PUPPET_LANDMARKS_H
#define SN_RUNTIME_PUPPET_LANDMARKS_H

#include "host/math/one_euro.h"
#include "runtime/puppet/message.h"

/* Hysteresis: a landmark is used once its visibility reaches SN_VISIBILITY_GAINED, until it falls below
 * SN_VISIBILITY_LOST. */
#define SN_VISIBILITY_GAINED 0.5
#define SN_VISIBILITY_LOST 0.3
/* The forearm bone takes this fraction of the twist and the hand the remainder, so that the skin deforms at both ends.
 */
#define SN_FOREARM_TWIST_FRACTION 0.5
/* Angle by which the line from between the ears to the tip of the nose points below the head's viewing direction,
 * radians. */
#define SN_NOSE_ANGLE 0.22

/* A twist that is kept while it cannot be observed. */
typedef struct sn_stored_twist {
    double angle;
    bool is_known;
} sn_stored_twist;

/* State between frames. Zero-initialize. */
typedef struct sn_landmark_solver {
    double seconds;
    bool has_before;
    bool is_mirrored;
    bool is_visible[SN_POSE_COUNT];
    double leg_length;         /* length of the last visible legs, metres; 0: none yet */
    double lateral_position;   /* last known lateral position of the hips, metres; 0: unknown */
    sn_one_euro_state picture; /* filter of the picture's height at the person's distance, metres */
    sn_stored_twist upper_arm[2], forearm[2], thigh[2]; /* the character's left, right */
} sn_landmark_solver;

/* Sets the tracked flags, rotations, confidence, hips position, hips height and time of `tracking_frame`, not its
 * expressions. Accepts any finite landmarks; a bone whose landmarks coincide is left out. Scalar double precision, no
 * allocation. */
void sn_landmarks_solve(sn_landmark_solver *solver, const sn_landmarks *landmarks, sn_tracking *tracking_frame);

#endif
