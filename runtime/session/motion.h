/* SPDX-License-Identifier: MIT */
/* Where poses come from: somebody who is tracked, an array, a clip of the model, a hop, an expression that comes and
 * goes, or the rest pose. */
#ifndef SN_RUNTIME_SESSION_MOTION_H
#define SN_RUNTIME_SESSION_MOTION_H

#include "host/model/model.h"

/* Poses that come while they are shown. */
typedef struct sn_live_motion {
    /* A frame that took `seconds`: pose and morphs become those of now. Called once before each frame. */
    void (*advance)(void *user, double seconds);
    void *user;
    const char *name;    /* for the title */
    bool has_jumped;     /* the pose has nothing to do with the last frame's: flesh starts at rest in it */
    const double *pose;  /* (bone_count x 12) as it is now */
    const float *morphs; /* (morph_count) */
} sn_live_motion;

typedef struct sn_motion {
    const sn_model *model;
    const double *poses; /* (frame_count x bone_count x 3 x 4) in model units, or null */
    int frame_count;
    int clip;                   /* -1: none */
    const sn_live_motion *live; /* in place of all the others, or null; borrowed */
    bool is_hop;                /* the whole rig hops and turns to and fro: something to see where there is no clip */
    bool has_expression; /* one of the model comes and goes once a second, within a tenth of a second each; no clip */
    int expression;
} sn_motion;

/* The pose of a step: arrays hold past their end, clips are sampled at `seconds` and loop. pose is (bone_count x 3 x
 * 4). */
void sn_motion_pose(const sn_motion *motion, int frame, double seconds, double *pose);

/* At any time, arrays too: a row every `row_seconds`, linear between them. */
void sn_motion_pose_at(const sn_motion *motion, double row_seconds, double seconds, double *pose);

/* Weights of the model's morph targets (morph_count) at a time: a clip's, else those at rest and the expression. */
void sn_motion_morphs(const sn_motion *motion, double seconds, float *morphs);

/* Before each frame, which took so long: nothing but for live ones. */
void sn_motion_advance(const sn_motion *motion, double seconds);

/* From its first pose to its last, or until it begins again; 0: it does not move. */
double sn_motion_seconds(const sn_motion *motion, double row_seconds);

#endif
