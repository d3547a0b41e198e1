/* SPDX-License-Identifier: MIT */
/* A skeleton: joints with names, parents, and where they rest. */
#ifndef SN_AUTHOR_RETARGET_SKELETON_H
#define SN_AUTHOR_RETARGET_SKELETON_H

#include "host/base/arena.h"

typedef struct sn_rig_skeleton {
    const char *name; /* for messages */
    int joint_count;
    const char *const *names; /* (joint_count), never null, may be empty */
    const int32_t *parents;   /* (joint_count), -1: a root; no cycles; may come after their children */
    const double *rest;       /* (joint_count x 12) row-major world transforms */
    const int32_t *roles;     /* (joint_count) of sn_humanoid_bone or -1, as far as a file says; or null */
} sn_rig_skeleton;

/* What is above what. */
typedef struct sn_rig_tree {
    const sn_rig_skeleton *skeleton;
    int32_t *depths;       /* (joint_count) joints above each */
    int32_t *order;        /* (joint_count) joints by depth, then as they are */
    int32_t *child_counts; /* (joint_count) */
    int32_t *entries;      /* (joint_count) numbers such that those of a joint and all below it follow each other */
    int32_t *below_counts; /* (joint_count) joints below each */
} sn_rig_tree;

/* In time linear in the joints. */
sn_result sn_rig_tree_init(const sn_rig_skeleton *skeleton, sn_arena *arena, sn_rig_tree *tree);
/* False where either is -1. */
static inline bool sn_rig_is_above(const sn_rig_tree *tree, int32_t above, int32_t joint)
{
    return above >= 0 && joint >= 0 && tree->entries[joint] > tree->entries[above] &&
           tree->entries[joint] - tree->entries[above] <= tree->below_counts[above];
}
/* The deepest joint that is at or above both; -1: none. */
int32_t sn_rig_common(const sn_rig_tree *tree, int32_t a, int32_t b);

#endif
