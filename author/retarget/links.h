/* SPDX-License-Identifier: MIT */
/* Correspondence of joints between a motion and its target, by humanoid roles or by names. Private to author/retarget.
 */
#ifndef SN_AUTHOR_RETARGET_LINKS_H
#define SN_AUTHOR_RETARGET_LINKS_H

#include "author/retarget/body.h"
#include "author/retarget/retarget.h"

/* The source of a target joint's rotation: one joint, or a blend of two. */
typedef struct sn_rig_link {
    int32_t from[2]; /* source joints; -1: the joint is fixed to its parent */
    double weight;   /* weight of the second joint */
    double align[4]; /* A in retarget.h */
} sn_rig_link;

struct sn_retargeting {
    const sn_rig_motion *motion;
    sn_rig_body source, target;
    sn_rig_link *links;     /* (target's joint_count) */
    bool is_humanoid;       /* linked by roles; otherwise by names */
    int32_t *duplicate_of;  /* (target's joint_count) an earlier joint with the same name and parent but another bind
                        transform,  which this joint follows; or -1 */
    double *from_duplicate; /* (target's joint_count x 12) rest transform of duplicate_of times the joint's inverse */
    int32_t root;           /* joint of the target that receives the translation */
    double to_world[4], from_body[4]; /* M and B_s B_t^-1 in retarget.h */
    double scale;
    double from[3], to[3], moved_point[3]; /* the source's point `from` maps to the target's `to`; `moved_point` is the
                                          target's point at rest that moves there */
    double *joint_rotations;               /* (source's joint_count x 7) scratch: rotations, then positions */
};

static inline bool sn_is_linked(const sn_retargeting *r, int32_t joint)
{
    return joint >= 0 && r->links[joint].from[0] >= 0;
}

/* Links a joint unless it has a link or duplicates another joint. Negative joints are ignored. */
void sn_link_set(sn_retargeting *r, int32_t joint, int32_t from, int32_t second, double weight);
/* The directions of a bone in both reference poses, both in the target's axes. */
void sn_link_directions(const sn_retargeting *r, const int32_t target_joints[2], const int32_t source_joints[2],
                        double direction[3], double source_direction[3]);
/* Sets align = (smallest rotation from `above` applied to the bone's direction to the source's direction) above;
 * without an end of the bone, align = above. */
void sn_link_align(sn_retargeting *r, const double *above, const int32_t target_joints[2],
                   const int32_t source_joints[2]);
/* The first joint with this name; -1: none. */
int32_t sn_link_find_name(const sn_rig_skeleton *skeleton, const char *name);

/* Requires that both skeletons have all required humanoid bones. */
sn_result sn_link_humanoids(sn_retargeting *r, sn_arena *arena);
/* Returns false if too few joints have equal names. */
bool sn_link_by_names(sn_retargeting *r);

#endif
