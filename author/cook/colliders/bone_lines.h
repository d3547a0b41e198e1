/* SPDX-License-Identifier: MIT */
/* Bones as segments inside of the flesh that they move, for layered bodies. */
#ifndef SN_AUTHOR_COOK_COLLIDERS_BONE_LINES_H
#define SN_AUTHOR_COOK_COLLIDERS_BONE_LINES_H

#include "author/cook/cooking.h"

typedef struct sn_bone_line {
    int32_t bone;
    double start[3], end[3];
    double radius; /* all flesh within is the bone's, too */
} sn_bone_line;

typedef struct sn_bone_lines {
    int count;
    sn_bone_line *list; /* by bone */
    double *flesh;      /* (bone_count) the mass that moves with the bone, by the rig's weights */
    double *middles;    /* (bone_count x 3) of that */
    double *spreads;    /* (bone_count x 9) of that around its middle: mean squares, row-major */
} sn_bone_lines;

/* In model units. From a joint to the joints that hang on it; and into the bone's own flesh, where no other line goes
 * near the middle of that, so that hands, feet and heads have one. A handle that is a bone is one from its head to its
 * tail, a point is a point and lines to the points that hang on it. One bone alone, without a place of its own: along
 * the body. What moves no flesh, and the vertices of cages, have none. */
sn_result sn_bone_lines_build(sn_cooking *cooking, const sn_model *model, sn_bone_lines *lines);

#endif
