/* SPDX-License-Identifier: MIT */
/* Colliders on bones, of a VRM's springs, the sidecar and the desc: where they are at bind, and which flesh feels them.
 *
 * At rest, hair lies on the head and in what its author took for one, and no pose may stir that. So a sample may come
 * as near to a collider as it is at rest, or to its surface, whichever is deeper; and of flesh that no loose bone has
 * half of, none feels any. A VRM's hitRadius is how far a joint's middle keeps away; skin that is nearer to its bone
 * than that keeps away by the difference, as far as it does at rest. */
#ifndef SN_AUTHOR_COOK_COLLIDERS_BONE_COLLIDERS_H
#define SN_AUTHOR_COOK_COLLIDERS_BONE_COLLIDERS_H

#include "author/cook/cooking.h"

/* SN_ERROR_ARGUMENT where one of the desc's has no bone, or a number that is out of range. */
sn_result sn_bone_colliders_check(const char *path, const sn_cook_desc *desc);
/* Lists those that flesh of some loose bone feels: bone_colliders, is_felt. The bones are in place. What is left out is
 * a warning for each cause, with its count; not so what a VRM's springs would not feel. */
sn_result sn_bone_colliders_find(sn_cooking *cooking);
/* Whether half of a vertex of the model's surface is of bones whose flesh feels the collider; of -1: any. */
bool sn_bone_collider_is_felt(const sn_cooking *cooking, const sn_model *model, int collider, int32_t vertex);
/* Fills the model's, less those that no sample feels. The samples are in place. A warning where samples touch so many
 * at rest that a body has no contact left. */
sn_result sn_bone_colliders_add(sn_cooking *cooking, sn_model *model);

#endif
