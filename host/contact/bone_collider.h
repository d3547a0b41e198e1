/* SPDX-License-Identifier: MIT */
/* Colliders on a model's bones: where a pose has them. */
#ifndef SN_HOST_CONTACT_BONE_COLLIDER_H
#define SN_HOST_CONTACT_BONE_COLLIDER_H

#include "host/contact/collider.h"
#include "host/model/model.h"

/* before, now: the bone's transforms relative to bind (12, row-major) at the start and at the end of a step, affine.
 * What they scale, the shape is scaled by: a radius by the root of the mean square over the axes, a capsule's length as
 * its axis is. The collider's key is 0, which no world's has. */
void sn_bone_collider_place(const sn_bone_collider *shape, const double *before, const double *now,
                            sn_collider *collider);
/* At rest. */
void sn_bone_collider_bind(const sn_bone_collider *shape, sn_collider *collider);

#endif
