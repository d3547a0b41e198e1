/* SPDX-License-Identifier: MIT */
/* Bones as line segments inside of the flesh that they move, for layered bodies. */
#ifndef SN_AUTHOR_COOK_COLLIDERS_BONE_LINES_H
#define SN_AUTHOR_COOK_COLLIDERS_BONE_LINES_H

#include "author/cook/cook_context.h"

typedef struct sn_bone_line {
    int32_t bone;
    double start[3], end[3];
    double radius; /* flesh within this distance belongs to the bone */
} sn_bone_line;

typedef struct sn_bone_lines {
    int count;
    sn_bone_line *list;  /* sorted by bone */
    double *flesh;       /* (bone_count) mass that moves with the bone, by the rig's weights */
    double *centers;     /* (bone_count x 3) center of that mass */
    double *covariances; /* (bone_count x 9) covariance of that mass, row-major */
} sn_bone_lines;

/* Builds the lines in model units. A skeleton's bone has lines from its joint to its children's joints, and one into
 * its flesh if no other line passes near the center of that, so that hands, feet and heads have one. A bone handle is a
 * line from head to tail; a point handle is a point, with lines to its children. The default single bone gets a line
 * along the body. Bones that move no flesh and vertices of cages have none. */
sn_result sn_bone_lines_build(sn_cook_context *cook, const sn_model *model, sn_bone_lines *lines);

#endif
