/* SPDX-License-Identifier: MIT */
/* A humanoid skeleton prepared for retargeting: the joints of its limbs, and its reference pose. Private to
 * author/retarget. */
#ifndef SN_AUTHOR_RETARGET_BODY_H
#define SN_AUTHOR_RETARGET_BODY_H

#include "author/retarget/humanoid.h"
#include "author/retarget/rotations.h"

#define SN_RIG_CHAIN_LIMIT 32

typedef struct sn_rig_chain {
    int count;
    int32_t joints[SN_RIG_CHAIN_LIMIT]; /* from top to bottom */
} sn_rig_chain;

typedef struct sn_rig_body {
    const sn_rig_skeleton *skeleton;
    sn_rig_tree tree;
    int32_t of_role[SN_HUMANOID_COUNT];
    sn_rig_chain spine;        /* below the hips down to and including the chest, where the arms branch off */
    sn_rig_chain neck;         /* between chest and head, both excluded */
    double *joint_rotations;   /* (joint_count x 4) rotations in the reference pose */
    double *positions;         /* (joint_count x 3) positions in the reference pose */
    double axes[4];            /* rotation from x, y, z to left, up, forward in the reference pose */
    double standing_point[3];  /* midpoint of the upper legs, lowered to the ankles */
    double leg_length;         /* length of thigh plus shin */
    double flat_foot_pitch[2]; /* rad, downward slope of the left and right foot bone when the sole is flat; where the
                             reference pose is the rest, feet are flat as they are */
    bool has_flat_foot_pitch;  /* flat_foot_pitch was measured from a motion; else the reference pose has flat feet */
    bool is_motion_frame;      /* the reference pose is a frame of a motion */
} sn_rig_body;

/* Finds joints, roles and chains; missing bones have -1 in of_role. Does not set the reference pose. */
sn_result sn_rig_body_init(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, sn_rig_body *body);

/* Splits world transforms into rotations (joint_count x 4) and positions (joint_count x 3); scale is removed. */
void sn_rig_body_read(const sn_rig_body *body, const double *worlds, double *joint_rotations, double *positions);
/* Uses the skeleton's rest, which must be upright, as the reference pose. */
void sn_rig_body_rest(sn_rig_body *body);
/* Chooses the reference pose of a motion whose rest is unreliable: the rest if it is upright, else the most upright
 * frame. worlds is (frame_count x joint_count x 12). up is the motion's up axis, from the rest if that is upright. */
sn_result sn_rig_body_of_motion(sn_rig_body *body, const double *worlds, int frame_count, sn_arena *arena,
                                double up[3]);

/* Whether the motion is a four-legged animal's: its back is horizontal on average and its arms are as long as its legs,
 * unlike those of a crawling human. */
bool sn_rig_body_is_quadruped(sn_rig_body *body, const double *worlds, int frame_count);

/* The direction from the right to the left hip (and shoulder), given positions. */
void sn_rig_body_left(const sn_rig_body *body, const double *positions, bool has_shoulders, double left[3]);
/* The midpoint of the left and right joint of a part. */
void sn_rig_body_midpoint(const sn_rig_body *body, const double *positions, int part, double midpoint[3]);

#endif
