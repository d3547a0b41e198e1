/* SPDX-License-Identifier: MIT */
/* Soft bones: tentacles, tails, ears, hair. The modes are not constrained to be complementary to them, so the flesh of
 * a soft bone is attached to the neighbouring flesh instead, and may move as the bone itself would. The flesh of such a
 * rig rests in the rig's pose (host/reduced): elastic energy against the bind pose would undo a keyed curl. Spring
 * bones of a VRM are soft on request, if no clip animates them; see soft_chain_modes.h. */
#ifndef SN_AUTHOR_COOK_SPRINGS_SOFT_BONES_H
#define SN_AUTHOR_COOK_SPRINGS_SOFT_BONES_H

#include "author/cook/cook_context.h"

bool sn_soft_bone_is_soft(sn_soft_bone_state soft_bones);

/* Classifies a bone of a character from the sidecar, the file and, if `which` requests it, its springs. */
sn_soft_bone_state sn_soft_bone_classify(const sn_character *character, const sn_sidecar *sidecar,
                                         sn_cook_soft_bones which, int bone);
/* The reason in words, for reports; null: fixed by default. */
const char *sn_soft_bone_state_text(sn_soft_bone_state soft_bones);

/* Fills `soft_bones` and calls sn_soft_bones_compute_weights. Needs rig_weights and leak_choice. */
sn_result sn_soft_bones_find(sn_cook_context *cook);
/* Fills report.soft_bone_count and fixed_weights. If soft spring bones leave no fixed flesh, they are fixed, with a
 * warning; if soft bones of the sidecar or the file do, the error is SN_ERROR_ARGUMENT. is_all_fixed: treat all bones
 * as fixed.
 */
sn_result sn_soft_bones_compute_weights(sn_cook_context *cook, bool is_all_fixed);

#endif
