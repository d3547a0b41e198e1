/* SPDX-License-Identifier: MIT */
/* Soft bones: tentacles, tails, ears, hair. The modes are not constrained to be complementary to them, so the flesh of
 * a soft bone is attached to the neighbouring flesh instead, and may move as the bone itself would. The flesh of such a
 * rig rests in the rig's pose (host/reduced): elastic energy against the bind pose would undo a keyed curl. Spring
 * bones of a VRM are soft on request, if no clip animates them; see soft_chain_modes.h. */
#ifndef SN_AUTHOR_COOK_SPRINGS_LOOSE_H
#define SN_AUTHOR_COOK_SPRINGS_LOOSE_H

#include "author/cook/cooking.h"

bool sn_is_loose(sn_loose loose);

/* Classifies a bone of a character from the sidecar, the file and, if `which` requests it, its springs. */
sn_loose sn_loose_of_bone(const sn_character *character, const sn_sidecar *sidecar, sn_cook_loose which, int bone);
/* The reason in words, for reports; null: fixed by default. */
const char *sn_loose_reason(sn_loose loose);

/* Fills `soft_bones` and calls sn_loose_hold. Needs rig_weights and leak_choice. */
sn_result sn_loose_find(sn_cooking *cooking);
/* Fills report.loose_count and held_weights. If soft spring bones leave no fixed flesh, they are fixed, with a warning;
 * if soft bones of the sidecar or the file do, the error is SN_ERROR_ARGUMENT. is_all_held: treat all bones as fixed.
 */
sn_result sn_loose_hold(sn_cooking *cooking, bool is_all_held);

#endif
