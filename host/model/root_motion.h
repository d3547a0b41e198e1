/* SPDX-License-Identifier: MIT */
/* Test motions that move the whole rig rigidly, for judging the flesh of any character. All lengths are fractions of
 * the character's height, so that characters of every size move alike. The character keeps the first pose of its idle
 * clip, or its upright pose. */
#ifndef SN_HOST_MODEL_ROOT_MOTION_H
#define SN_HOST_MODEL_ROOT_MOTION_H

#include "host/model/model.h"

typedef enum sn_root_motion_type {
    SN_ROOT_MOTION_JUMP,  /* crouches, jumps 0.5 high, lands in a crouch, rises */
    SN_ROOT_MOTION_DASH,  /* reaches 2 heights/s in 0.15 s, runs for 0.6 s, stops in 0.1 s, rests for 2.5 s */
    SN_ROOT_MOTION_SHAKE, /* turns by 45 degrees to either side and moves sideways by 0.05, at 2 Hz */
    SN_ROOT_MOTION_TURN,  /* turns head down, stays so, turns back */
    SN_ROOT_MOTION_COUNT
} sn_root_motion_type;

#define SN_ROOT_MOTION_DASH_END 1.1 /* seconds: the dash has stopped */

typedef struct sn_root_motion {
    const sn_model *model;
    sn_root_motion_type type;
    int clip;         /* the clip whose first pose is kept; -1: the rest pose */
    double height;    /* of the upright pose: see sn_model_pose_height */
    double centre[3]; /* of the pose that is kept */
} sn_root_motion;

/* Height and centre (3) of the bounding box of the drawn surface in a pose (bone_count x 12). The height of a flat or
 * long character is at least 1/4 of the longest side. */
double sn_model_pose_height(const sn_model *model, const double *pose, double *centre);

/* The clip with the shortest name that contains the word (in small letters), in any case: "idle" rather than "2H_Idle".
 * -1: none. */
int sn_model_find_clip_of(const sn_model *model, const char *word);

/* Writes the rest pose (bone_count x 12); or, where that is not upright (some files are bound face down), the first
 * pose of the idle clip or of the first clip. Returns whether it is the rest pose. */
bool sn_model_upright_pose(const sn_model *model, double *pose);

/* "jump", "dash", "shake", "turn". */
const char *sn_root_motion_name(sn_root_motion_type type);
/* Returns whether there is a motion with this name, and its type. */
bool sn_root_motion_find(const char *name, sn_root_motion_type *type);

/* pose (bone_count x 12) is scratch. */
void sn_root_motion_init(const sn_model *model, sn_root_motion_type type, double *pose, sn_root_motion *motion);
double sn_root_motion_seconds(const sn_root_motion *motion);
/* The pose (bone_count x 12) at a time; the first one before 0, the last one after the end. */
void sn_root_motion_pose(const sn_root_motion *motion, double seconds, double *pose);

#endif
