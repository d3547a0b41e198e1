/* SPDX-License-Identifier: MIT */
/* A humanoid skeleton made ready for retargeting: which joints are its limbs, and the pose that rotations are counted
 * from. Private to host/rig. */
#ifndef SN_AUTHOR_RETARGET_BODY_H
#define SN_AUTHOR_RETARGET_BODY_H

#include "author/retarget/humanoid.h"

#define SN_RIG_CHAIN_LIMIT 32

typedef struct sn_rig_chain {
    int count;
    int32_t joints[SN_RIG_CHAIN_LIMIT]; /* from the top down */
} sn_rig_chain;

typedef struct sn_rig_body {
    const sn_rig_skeleton *skeleton;
    sn_rig_tree tree;
    int32_t of_role[SN_HUMANOID_COUNT];
    sn_rig_chain spine;   /* below the hips up to the chest, where the arms part, and that, too */
    sn_rig_chain neck;    /* between the chest and the head */
    double *turns;        /* (joint_count x 4) rotations in the reference pose */
    double *places;       /* (joint_count x 3) */
    double axes[4];       /* the rotation of x, y, z to its left, up, ahead, in that pose */
    double stand[3];      /* the point between its upper legs, lowered to its ankles */
    double leg;           /* the length of thigh and shin */
    double flat_pitch[2]; /* radians that the feet's bones, left and right, slope down by where a sole is flat; in the
                             reference pose of a rest they are flat as they are */
    bool is_flat_known;   /* from a motion; else the reference pose is flat */
    bool is_leaning;      /* the reference pose is a frame of a motion */
} sn_rig_body;

/* Joints, roles and chains; of what a humanoid cannot do without, of_role has -1 where it is not there. Nothing is
 * posed yet. */
sn_result sn_rig_body_init(const sn_rig_skeleton *skeleton, bool is_capture, sn_arena *arena, sn_rig_body *body);

/* turns and places of world transforms, scales taken off. */
void sn_rig_body_read(const sn_rig_body *body, const double *worlds, double *turns, double *places);
/* The reference pose is the skeleton's rest, which stands upright. */
void sn_rig_body_rest(sn_rig_body *body);
/* A motion without a rest that can be relied on: `worlds` are (frame_count x joint_count x 12). The reference pose is
 * the rest where that stands, else the frame that does best. up: the axis that is up in the motion: the
 * rest's where that stands. */
sn_result sn_rig_body_of_motion(sn_rig_body *body, const double *worlds, int frame_count, sn_arena *arena,
                                double up[3]);

/* Of a motion whose rest may be no pose: whether the back is level on the whole, and arms as long as legs are. Whoever
 * crawls has shorter ones. */
bool sn_rig_body_goes_on_fours(sn_rig_body *body, const double *worlds, int frame_count);

/* Rotation vector helpers on quaternions. */
void sn_rig_rotate(const double *turn, const double *vector, double *result);
/* The least rotation of one direction to another; none where either has no length. */
void sn_rig_turn_to(const double *from, const double *to, double *turn);
/* The rotation of x, y, z to left, up and left x up, of which left gives way. */
void sn_rig_axes(const double *left, const double *up, double *turn);
/* Left to right, of hips (and shoulders), in places. */
void sn_rig_body_left(const sn_rig_body *body, const double *places, bool has_shoulders, double left[3]);
/* Between the joints of a part of both sides. */
void sn_rig_body_middle(const sn_rig_body *body, const double *places, int part, double middle[3]);

#endif
