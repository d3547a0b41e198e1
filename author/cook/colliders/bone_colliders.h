/* SPDX-License-Identifier: MIT */
/* Colliders on bones, from a VRM's springs, the sidecar and the desc: their bind placement, and the flesh that collides
 * with them. At rest, hair lies on the head and often inside of its colliders, and this must cause no motion. So a
 * sample's allowed distance is its distance at rest, if that is below the usual clearance. Only flesh with at least
 * half of its weight on soft bones collides. A VRM's hitRadius is the distance that a joint's center keeps; skin closer
 * than that to its bone keeps the difference, but no more than its distance at rest. */
#ifndef SN_AUTHOR_COOK_COLLIDERS_BONE_COLLIDERS_H
#define SN_AUTHOR_COOK_COLLIDERS_BONE_COLLIDERS_H

#include "author/cook/cook_context.h"

/* Errors: SN_ERROR_ARGUMENT if a collider of the desc has no bone or a number out of range. */
sn_result sn_bone_colliders_check(const char *path, const sn_cook_desc *desc);
/* Lists the colliders for the flesh of soft bones in bone_colliders and is_affected. Needs the bones. Skipped colliders
 * are reported by one warning per cause, with their number, except VRM colliders that no soft bone's spring refers to.
 */
sn_result sn_bone_colliders_find(sn_cook_context *cook);
/* Whether bones whose flesh collides with the collider (-1: with any) have at least half of the weight of a vertex of
 * the model's surface. */
bool sn_bone_collider_affects_vertex(const sn_cook_context *cook, const sn_model *model, int collider, int32_t vertex);
/* Fills the model's colliders, except those with which no sample collides. Needs the samples. Warns if contacts at rest
 * use up a body's contact limit. */
sn_result sn_bone_colliders_add(sn_cook_context *cook, sn_model *model);

#endif
