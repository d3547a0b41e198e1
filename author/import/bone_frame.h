/* SPDX-License-Identifier: MIT */
/* Converts a collider from the frame of a bone or node to the world in the bind pose. */
#ifndef SN_AUTHOR_IMPORT_BONE_FRAME_H
#define SN_AUTHOR_IMPORT_BONE_FRAME_H

#include "sinew/author.h"

/* In the bind pose, in the input's units. */
typedef struct sn_bind_collider {
    double transform[12]; /* rigid, shape to world */
    double radius, half_height;
} sn_bind_collider;

/* Computes the collider in the world. frame (12, row-major, affine) is the bind transform of the bone or node; its
 * scale also scales the shape, as at run time (host/contact/bone_collider.h). A capsule whose ends coincide becomes a
 * sphere with half_height 0. Returns false where the frame maps the axis of a capsule or the normal of a plane to zero
 * or to a non-finite vector. */
bool sn_bone_frame_bind_collider(const double *frame, const sn_cook_collider *collider, sn_bind_collider *at_bind);

#endif
