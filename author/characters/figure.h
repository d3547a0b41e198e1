/* SPDX-License-Identifier: MIT */
/* Builds a character: one smooth, painted body on a rig, separate round eyes, and clips. */
#ifndef SN_AUTHOR_CHARACTERS_FIGURE_H
#define SN_AUTHOR_CHARACTERS_FIGURE_H

#include "author/characters/motion.h"
#include "author/characters/paint.h"

#define SN_FIGURE_EYES 2

typedef struct sn_figure_eye {
    int bone;
    double center[3], radii[3];
    double yaw, pitch; /* degrees: direction of the pupil, from +Z towards +X, and upwards */
} sn_figure_eye;

/* Computes the colour of an eye at an angle (radians) from its pole, in the unit direction `around`: right and up. */
typedef void sn_figure_eye_function(double angle, const double around[2], double color[3]);

typedef struct sn_figure {
    const sn_shape *shape;
    double cell;
    int weight_rounds; /* diffusion rounds of the skinning weights */
    const sn_rig *rig;
    const double *region_density;
    const double *bone_stiffness; /* (bones) stiffness factor of the flesh, painted on the body; null: 1 */
    sn_paint_function *paint;
    const void *user; /* user data of `paint` */
    sn_figure_eye eyes[SN_FIGURE_EYES];
    sn_figure_eye_function *paint_eye;
    float roughness;
    const sn_motion *motions;
    int motion_count;
} sn_figure;

sn_result sn_figure_build(const sn_figure *figure, sn_arena *arena, sn_scene_file *scene);

#endif
