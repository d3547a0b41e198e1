/* SPDX-License-Identifier: MIT */
/* A person's landmarks into rotations of its bones. Of each bone that its landmarks show: the swing from where it
 * points in the T-pose to where they say, and the twist about that, from the plane in which an elbow or a knee bends,
 * from the palm, from the sole. Where a plane says nothing (a straight arm), the twist stays what it was.
 *
 * What landmarks cannot show has no rotation: shoulder blades, toes, a twist within a finger. Hips, spine and chest
 * share one line from hips to shoulders: the lean is the hips', the turn of the shoulders against them is shared by
 * spine and chest. */
#ifndef SN_RUNTIME_PUPPET_LANDMARKS_H
#define SN_RUNTIME_PUPPET_LANDMARKS_H

#include "host/math/one_euro.h"
#include "runtime/puppet/message.h"

/* A landmark counts from SN_VISIBILITY_GAINED on, until it falls below SN_VISIBILITY_LOST. */
#define SN_VISIBILITY_GAINED 0.5
#define SN_VISIBILITY_LOST 0.3
/* Half of a forearm's twist is its bone's, half the hand's, so that neither end of the skin takes all of it. */
#define SN_FOREARM_SHARE 0.5
/* The nose's tip, seen from between the ears, is so far below where the head looks, in radians: 0.22 and 0.25 in two
 * portraits whose people look at the camera. */
#define SN_NOSE_DROP 0.22

/* An angle that is kept while what shows it is away. */
typedef struct sn_kept_twist {
    double angle;
    bool is_known;
} sn_kept_twist;

/* What is kept from moment to moment. Zeroes: nothing. */
typedef struct sn_landmark_solver {
    double seconds;
    bool has_before;
    bool is_mirrored;
    bool seen[SN_POSE_COUNT];
    double leg;                /* the length of one, of those that were seen last, metres; 0: none was */
    double sideways;           /* where the hips were last known to be, metres; 0: not known */
    sn_one_euro_state picture; /* its height where the person is, metres */
    sn_kept_twist upper_arm[2], forearm[2], thigh[2]; /* left, right of the character */
} sn_landmark_solver;

/* Sets what is tracked, rotations, confidence, the hips' place and height and seconds of `moment`; its expressions are
 * not touched. Any finite landmarks do; points that fall together leave out the bones between. Scalar double, no
 * allocation. */
void sn_landmarks_solve(sn_landmark_solver *solver, const sn_landmarks *landmarks, sn_tracking *moment);

#endif
