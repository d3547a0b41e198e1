/* SPDX-License-Identifier: MIT */
/* What morph targets get that flesh feels: modes of their own, and how far they shake it. */
#ifndef SN_AUTHOR_COOK_STAGES_TARGETS_H
#define SN_AUTHOR_COOK_STAGES_TARGETS_H

#include "author/cook/cooking.h"

/* Modes for the fields of morph targets, those first that expressions and clips move, beside what is in `modes`: as
 * many as the desc or the sidecar says, or up to 8. Rigs without such fields are left alone. */
sn_result sn_targets_add_modes(sn_cooking *cooking);

/* Has flesh feel so much of each field's momentum that it shakes by target_shake of the field's movement at most: tried
 * out on the model as it stands, of which it scales morph_cross. Flesh that shakes less feels all of it. */
sn_result sn_targets_limit_shake(sn_cooking *cooking, const sn_model *model);

#endif
