/* SPDX-License-Identifier: MIT */
/* What each bone is, its segments, and the body's axes. Private to author/cook/parts. */
#ifndef SN_AUTHOR_COOK_PARTS_PART_BONES_H
#define SN_AUTHOR_COOK_PARTS_PART_BONES_H

#include "author/cook/cook_context.h"
#include "author/cook/parts/part_table.h"

typedef struct sn_flesh_bone {
    sn_flesh_kind kind;
    const char *reason;
    int side;        /* -1: none, 0: left, 1: right */
    int32_t chain;   /* topmost bone of the chain of the same kind */
    double position; /* of the joint along its chain, 0 at the root .. 1 at the end */
    double mass;     /* of the flesh that it moves */
    bool is_spring;  /* simulated by spring bones */
    bool has_flesh;  /* it, or a bone below it, moves flesh */
    double joint[3]; /* model units */
} sn_flesh_bone;

typedef struct sn_flesh_segment {
    int32_t bone;
    double start[3], end[3];
} sn_flesh_segment;

/* The torso's frame. */
typedef struct sn_flesh_axes {
    bool is_valid;
    bool is_upright;                    /* stands on two legs */
    double left[3], spine[3], front[3]; /* unit; spine: from the hips to the neck; front: towards the belly */
    double hips[3];                     /* between the thigh joints */
    double length;                      /* from there to the shoulders */
} sn_flesh_axes;

typedef struct sn_flesh_skeleton {
    sn_flesh_bone *bones; /* (bone_count) */
    int segment_count;
    sn_flesh_segment *segments; /* sorted by bone */
    int32_t *segment_starts;    /* (bone_count + 1) */
    sn_flesh_axes axes;
    int32_t head; /* bone, or -1 */
} sn_flesh_skeleton;

sn_result sn_flesh_skeleton_build(sn_cook_context *cook, sn_flesh_skeleton *skeleton);

#endif
