/* SPDX-License-Identifier: MIT */
/* A collider that is given in the frame of a bone or a node, as it lies at bind. */
#ifndef SN_AUTHOR_IMPORT_BONE_FRAME_H
#define SN_AUTHOR_IMPORT_BONE_FRAME_H

#include "sinew/author.h"

/* At bind, in the input's units. */
typedef struct sn_placed_collider {
    double transform[12]; /* rigid: shape to world */
    double radius, half_height;
} sn_placed_collider;

/* frame (12, row-major, affine): of the bone or node at bind. What it scales, the shape is scaled by, as at run time
 * (host/contact/bone_collider.h). False where a capsule's ends or a plane's normal are no direction; a capsule whose
 * ends are one place is a sphere: half_height 0. */
bool sn_bone_frame_place(const double *frame, const sn_cook_collider *collider, sn_placed_collider *placed);

#endif
