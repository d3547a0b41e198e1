/* SPDX-License-Identifier: MIT */
/* Modes for the morph targets that move flesh, and a limit on the motion that they excite. */
#ifndef SN_AUTHOR_COOK_STAGES_TARGETS_H
#define SN_AUTHOR_COOK_STAGES_TARGETS_H

#include "author/cook/cook_context.h"

/* Adds modes for the fields of morph targets, beginning with those that expressions and clips use: as many as the desc
 * or the sidecar sets, or up to 8. Does nothing if there are no such fields. */
sn_result sn_targets_add_modes(sn_cook_context *cook);

/* Scales each field's part of morph_cross so that a trial of the model displaces flesh by at most target_inertia_gain
 * times the field's own displacement. Fields below the limit stay as they are. */
sn_result sn_targets_limit_inertia(sn_cook_context *cook, const sn_model *model);

#endif
