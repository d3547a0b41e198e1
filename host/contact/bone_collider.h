/* SPDX-License-Identifier: MIT */
/* Colliders on a model's bones, transformed by a pose. */
#ifndef SN_HOST_CONTACT_BONE_COLLIDER_H
#define SN_HOST_CONTACT_BONE_COLLIDER_H

#include "host/contact/collider.h"
#include "host/model/model.h"

/* before, now: affine transforms of the bone relative to bind (12, row-major) at the start and at the end of a step.
 * The radius is scaled by the root mean square of the axes' scales, a capsule's length by its axis' scale. The
 * collider's key is 0, which no collider of a world has. */
void sn_bone_collider_pose(const sn_bone_collider *shape, const double *before, const double *now,
                           sn_collider *collider);
/* The collider in the bind pose. */
void sn_bone_collider_bind(const sn_bone_collider *shape, sn_collider *collider);

#endif
