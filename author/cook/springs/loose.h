/* SPDX-License-Identifier: MIT */
/* Loose bones: tentacles, tails, ears, hair. Their flesh is held by the flesh that it hangs on, not by them: the modes
 * owe them nothing, and so may do what the bones themselves do, as a whole. It is then that flesh must rest in the
 * rig's pose (host/reduced): elastic flesh that may undo a keyed curl would, towards the shape of the bind pose.
 *
 * Spring bones of a VRM are loose on demand, where no clip moves them; see spring_modes.h. */
#ifndef SN_AUTHOR_COOK_SPRINGS_LOOSE_H
#define SN_AUTHOR_COOK_SPRINGS_LOOSE_H

#include "author/cook/cooking.h"

bool sn_is_loose(sn_loose loose);

/* What the sidecar, the file and, where which says so, its springs make of a bone of a character. */
sn_loose sn_loose_of_bone(const sn_character *character, const sn_sidecar *sidecar, sn_cook_loose which, int bone);
/* In words: for reports. Null: held, and nothing says otherwise. */
const char *sn_loose_reason(sn_loose loose);

/* Which are: into loose; rig_weights and the choice of leak are in place. And sn_loose_hold. */
sn_result sn_loose_find(sn_cooking *cooking);
/* What holds the flesh then: report.loose_count, held_weights. Where springs leave nothing that does, they are held,
 * with a warning; SN_ERROR_ARGUMENT where the sidecar or the file leave none. All may be held for once. */
sn_result sn_loose_hold(sn_cooking *cooking, bool is_all_held);

#endif
