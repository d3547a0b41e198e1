/* SPDX-License-Identifier: MIT */
/* A skeleton: joints with names, parents and rest transforms. */
#ifndef SN_AUTHOR_RETARGET_SKELETON_H
#define SN_AUTHOR_RETARGET_SKELETON_H

#include "host/base/arena.h"

typedef struct sn_rig_skeleton {
    const char *name; /* for messages */
    int joint_count;
    const char *const *names; /* (joint_count), never null, may be empty */
    const int32_t *parents;   /* (joint_count), -1: root; no cycles; children may precede parents */
    const double *rest;       /* (joint_count x 12) row-major world transforms */
    const int32_t *roles;     /* (joint_count) sn_humanoid_bone from the file or -1; or null */
} sn_rig_skeleton;

/* Ancestor relations of a skeleton. */
typedef struct sn_rig_tree {
    const sn_rig_skeleton *skeleton;
    int32_t *depths;       /* (joint_count) number of ancestors */
    int32_t *order;        /* (joint_count) joints by depth, then by index */
    int32_t *child_counts; /* (joint_count) */
    int32_t *entries;      /* (joint_count) preorder numbers: a joint and its descendants are consecutive */
    int32_t *below_counts; /* (joint_count) number of descendants */
} sn_rig_tree;

/* Builds the tree in linear time. Errors: SN_ERROR_MEMORY. */
sn_result sn_rig_tree_init(const sn_rig_skeleton *skeleton, sn_arena *arena, sn_rig_tree *tree);
/* Whether `above` is an ancestor of `joint`; false if either is -1. */
static inline bool sn_rig_is_above(const sn_rig_tree *tree, int32_t above, int32_t joint)
{
    return above >= 0 && joint >= 0 && tree->entries[joint] > tree->entries[above] &&
           tree->entries[joint] - tree->entries[above] <= tree->below_counts[above];
}
/* The lowest common ancestor, which may be a or b; -1: none. */
int32_t sn_rig_common_ancestor(const sn_rig_tree *tree, int32_t a, int32_t b);

#endif
