/* SPDX-License-Identifier: MIT */
/* A motion of one skeleton for another. Rotations are counted from a pose that both stand in, bone directions made
 * equal, so that it does not matter whether arms rest sideways or down; the way of the hips is scaled by the legs. */
#ifndef SN_AUTHOR_RETARGET_RETARGET_H
#define SN_AUTHOR_RETARGET_RETARGET_H

#include "author/retarget/skeleton.h"

typedef struct sn_rig_motion {
    sn_rig_skeleton skeleton; /* its rest: that of the zero rotations, or what the file says */
    int frame_count;
    const double *worlds; /* (frame_count x joint_count x 12) */
    bool is_capture;      /* its rest says nothing of where it stands and which way it looks, nor, maybe, of how: the
                             first frame then is where the target stands, looking ahead */
} sn_rig_motion;

/* poses (frame_count x target's joint_count x 12): world, relative to the target's rest, rigid.
 *
 * Two humanoids, by their roles and names (author/retarget/humanoid.h): joints of limbs follow those of the same role;
 * spine and neck follow in proportion, whatever their counts; more joints follow those of the same name; all others
 * keep to their parents as they rest, and what hangs on none of these keeps to the hips. With M from the motion's axes
 * to the target's, B the axes of the reference poses, R rotations and A the least rotation of a bone's direction at
 * rest to the other's (of a foot, about the vertical alone: a sole that is flat stays flat), a joint's rotation
 * relative to rest is Q = M R R_ref^-1 B_s B_t^-1 A.
 *
 * Others: where half of the target's joints, and two at least, have names that the motion has, by names; the axes are
 * then those that fit the joints' places best.
 *
 * Errors: SN_ERROR_FORMAT that names the bones which one of the two lacks, or says that a capture with a human's names
 * goes on all fours; SN_ERROR_MEMORY. */
sn_result sn_retarget(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena, double *poses);

/* The same, frame by frame, of a motion that comes while it is seen: planned once, with what the motion has of frames
 * (none, where it is no capture). The motion, the target and the arena must outlive the plan. Errors: as above. */
typedef struct sn_retargeting sn_retargeting;
sn_result sn_retarget_plan(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena,
                           sn_retargeting **plan);
/* Other poses of the target, which show where the motion does not move it. */
typedef struct sn_rig_base {
    const double *poses;  /* (target's joint_count x 12) */
    const bool *is_moved; /* (motion's joint_count) */
} sn_rig_base;

/* worlds (motion's joint_count x 12) to poses (target's joint_count x 12). What follows nothing that is moved keeps to
 * its parent as it does in the base, or, with null, what follows nothing as it rests. Allocates nothing; one thread at
 * a time. */
void sn_retarget_pose(sn_retargeting *plan, const double *worlds, const sn_rig_base *base, double *poses);

#endif
