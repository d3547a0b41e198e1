/* SPDX-License-Identifier: MIT */
/* A skeleton: joints with names, parents, and where they rest. */
#ifndef SN_HOST_RIG_SKELETON_H
#define SN_HOST_RIG_SKELETON_H

#include "host/base/arena.h"

typedef struct sn_rig_skeleton {
    const char *name; /* for messages */
    int joint_count;
    const char *const *names; /* (joint_count), never null, may be empty */
    const int32_t *parents;   /* (joint_count), -1: a root; no cycles; may come after their children */
    const double *rest;       /* (joint_count x 12) row-major world transforms */
    const int32_t *roles;     /* (joint_count) of sn_humanoid_bone or -1, as far as a file says; or null */
} sn_rig_skeleton;

/* depths, order (joint_count): joints above each; joints, parents before children. */
void sn_rig_sort(const sn_rig_skeleton *skeleton, int32_t *depths, int32_t *order);
bool sn_rig_is_above(const sn_rig_skeleton *skeleton, int32_t above, int32_t joint);
/* The deepest joint that is at or above both; -1: none. */
int32_t sn_rig_common(const sn_rig_skeleton *skeleton, const int32_t *depths, int32_t a, int32_t b);

#endif
