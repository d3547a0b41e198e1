/* SPDX-License-Identifier: MIT */
/* Generates motions for a humanoid that has none: idle, walk, jump and dance. They are periodic functions of time in
 * the normalized humanoid space (author/retarget/person.h), given by tables of curves (tables.c). Feet are placed by
 * inverse kinematics, so that standing feet stay on the floor whatever the proportions. */
#ifndef SN_AUTHOR_MOTIONS_HUMANOID_MOTIONS_H
#define SN_AUTHOR_MOTIONS_HUMANOID_MOTIONS_H

#include "author/motions/curves.h"
#include "author/retarget/skeleton.h"

/* Points of the skin in the skeleton's rest pose, which determine the floor, the soles and how far hanging arms must
 * point outward. */
typedef struct sn_motion_surface {
    int count;               /* 0: the measures are estimated from the skeleton */
    const double *positions; /* (count x 3) */
    const int32_t *joints;   /* (count) the joint that moves a point most */
} sn_motion_surface;

typedef struct sn_humanoid_motion {
    const char *name;
    int frame_count; /* the last frame is equal to the first */
    double frame_rate;
    double *poses; /* (frame_count x joint_count x 12) world, relative to rest, rigid */
} sn_humanoid_motion;

/* Generates SN_MOTION_COUNT motions in place. *motions is null if the skeleton is no humanoid; sn_person_create
 * (author/retarget/person.h) states the requirements. Errors: SN_ERROR_MEMORY. */
sn_result sn_humanoid_motions_generate(const sn_rig_skeleton *skeleton, const sn_motion_surface *surface,
                                       sn_arena *arena, sn_humanoid_motion **motions);

#endif
