/* SPDX-License-Identifier: MIT */
/* Retargets the motion of one skeleton to another. Rotations are relative to a reference pose of each skeleton, after
 * aligning bone directions, so T-poses and A-poses can be mixed. The translation of the hips is scaled by leg length.
 */
#ifndef SN_AUTHOR_RETARGET_RETARGET_H
#define SN_AUTHOR_RETARGET_RETARGET_H

#include "author/retarget/skeleton.h"

typedef struct sn_rig_motion {
    sn_rig_skeleton skeleton; /* its rest pose: zero rotations, or the file's */
    int frame_count;
    const double *worlds; /* (frame_count x joint_count x 12) */
    bool is_capture; /* the rest pose does not define position and heading (and possibly not a valid pose); the first
                        frame is then put where the target stands, facing forward */
} sn_rig_motion;

/* Computes poses (frame_count x target's joint_count x 12): world, relative to the target's rest, rigid.
 *
 * Two humanoids are linked by roles and names (author/retarget/humanoid.h). Limb joints follow the joint with the same
 * role; spine and neck follow in proportion, whatever their joint counts; further joints follow those with the same
 * name. All others are fixed to their parents, or to the hips if no ancestor is linked. Let M map the motion's axes to
 * the target's, B be the axes of the reference poses, R rotations, and A the smallest rotation from a bone's direction
 * at rest to the other's (for a foot about the vertical only, so that a flat sole stays flat). A joint's rotation
 * relative to rest is Q = M R R_ref^-1 B_s B_t^-1 A.
 *
 * Other skeletons are linked by names if at least half of the target's joints, and at least two, have names that the
 * motion has. M is then the best fit of the joint positions.
 *
 * Errors: SN_ERROR_FORMAT with the names of missing bones, or for a capture with human names of a four-legged animal;
 * SN_ERROR_MEMORY. */
sn_result sn_retarget(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena, double *poses);

/* The same frame by frame, for live motions. The plan uses the frames that the motion has (none are needed unless it is
 * a capture). The motion, the target and the arena must outlive the plan. Errors: as above. */
typedef struct sn_retargeting sn_retargeting;
sn_result sn_retarget_plan(const sn_rig_motion *motion, const sn_rig_skeleton *target, sn_arena *arena,
                           sn_retargeting **plan);
/* Poses of the target that are used where the motion does not move it. */
typedef struct sn_rig_base {
    const double *poses;  /* (target's joint_count x 12) */
    const bool *is_moved; /* (motion's joint_count) */
} sn_rig_base;

/* Computes poses (target's joint_count x 12) from worlds (motion's joint_count x 12). Joints without a moving source
 * keep the base's transform relative to their parents; if base is null, unlinked joints keep their rest transform.
 * Allocates nothing; not thread-safe. */
void sn_retarget_pose(sn_retargeting *plan, const double *worlds, const sn_rig_base *base, double *poses);

#endif
