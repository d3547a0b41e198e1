/* SPDX-License-Identifier: MIT */
/* What joints of the target follow, and how both skeletons lie to each other: made by names, or of humanoids by roles.
 * Private to host/rig. */
#ifndef SN_AUTHOR_RETARGET_LINKS_H
#define SN_AUTHOR_RETARGET_LINKS_H

#include "author/retarget/body.h"
#include "author/retarget/retarget.h"

/* What a joint of the target follows: one joint, or two in proportion. */
typedef struct sn_rig_link {
    int32_t from[2]; /* -1: it keeps to its parent */
    double share;    /* of the second */
    double align[4]; /* A */
} sn_rig_link;

struct sn_retargeting {
    const sn_rig_motion *motion;
    sn_rig_body source, target;
    sn_rig_link *links; /* (target's joint_count) */
    bool is_humanoid;   /* by roles; else by names alone */
    int32_t *twins; /* (target's joint_count) one of the same name and parent before it, which skins bind elsewhere, and
                       which it goes with; or -1 */
    double *from_twin;                /* (target's joint_count x 12) between their places at rest */
    int32_t root;                     /* of the target: what carries it along */
    double to_world[4], from_body[4]; /* M; B_s B_t^-1 */
    double scale;
    double from[3], to[3], carried[3]; /* the source's point `from` is at the target's `to`; the target's point that is
                                          taken there, at rest */
    double *turns;                     /* (source's joint_count x 7) scratch: rotations, then places */
};

static inline bool sn_is_linked(const sn_retargeting *r, int32_t joint)
{
    return joint >= 0 && r->links[joint].from[0] >= 0;
}

/* Of a joint that follows nothing yet, and has no twin; negative ones are left out. */
void sn_link_set(sn_retargeting *r, int32_t joint, int32_t from, int32_t second, double share);
/* The way along a bone in both reference poses, the source's as the target has it. */
void sn_link_ways(const sn_retargeting *r, const int32_t own[2], const int32_t theirs[2], double way[3],
                  double their_way[3]);
/* align = (least rotation of what `above` makes of the bone's direction to the source's) above; without an end of the
 * bone, above. */
void sn_link_align(sn_retargeting *r, const double *above, const int32_t own[2], const int32_t theirs[2]);
/* -1: none. */
int32_t sn_link_find_name(const sn_rig_skeleton *skeleton, const char *name);

/* Both have all the bones that a humanoid needs. */
sn_result sn_link_humanoids(sn_retargeting *r, sn_arena *arena);
/* False where too few joints are called alike. */
bool sn_link_by_names(sn_retargeting *r);

#endif
