/* SPDX-License-Identifier: MIT */
/* Sources of poses: live tracking, an array, a clip of the model, a hop, a test motion of the root, a pulsing
 * expression, or the rest pose. */
#ifndef SN_RUNTIME_SESSION_MOTION_H
#define SN_RUNTIME_SESSION_MOTION_H

#include "host/model/root_motion.h"

/* Poses that are produced while they are displayed. */
typedef struct sn_live_motion {
    /* Advances pose and morphs by `seconds`. Called once before each frame. */
    void (*advance)(void *user, double seconds);
    void *user;
    const char *name;    /* displayed in the title */
    bool has_jumped;     /* the pose is unrelated to the last frame's; flesh is reset to rest */
    const double *pose;  /* (bone_count x 12) current pose */
    const float *morphs; /* (morph_count) current morph weights */
} sn_live_motion;

typedef struct sn_motion {
    const sn_model *model;
    const double *poses; /* (frame_count x bone_count x 3 x 4) in model units, or null */
    int frame_count;
    int clip;                   /* clip index, or -1 */
    const sn_live_motion *live; /* replaces all other sources; or null; not owned */
    bool is_hop;                /* the whole rig hops and rotates back and forth */
    bool is_root_motion;        /* a test motion of the root */
    sn_root_motion root;
    bool has_expression; /* one expression of the model fades in and out once a second (ramps of 0.1 s); excludes a clip
                          */
    int expression;
} sn_motion;

/* Writes the pose (bone_count x 3 x 4) of a step. Arrays keep their last row past their end; clips are sampled at
 * `seconds` and loop. */
void sn_motion_pose(const sn_motion *motion, int frame, double seconds, double *pose);

/* As sn_motion_pose, at any time: array rows are `row_seconds` apart and interpolated linearly. */
void sn_motion_pose_at(const sn_motion *motion, double row_seconds, double seconds, double *pose);

/* Writes the weights of the model's morph targets (morph_count) at a time: the clip's, or the rest weights plus the
 * expression. */
void sn_motion_morphs(const sn_motion *motion, double seconds, float *morphs);

/* Advances a live motion by one frame of `seconds`; does nothing for other motions. */
void sn_motion_advance(const sn_motion *motion, double seconds);

/* Duration in seconds from the first pose to the last, or the loop period; 0 if nothing moves. */
double sn_motion_seconds(const sn_motion *motion, double row_seconds);

#endif
