/* SPDX-License-Identifier: MIT */
/* Detects rigs that stretch their bones: squash and stretch, or rotation under non-uniform scale, which shears. Elastic
 * energy measured against the bind pose would undo the stretch as far as the modes allow, so the flesh of such rigs
 * rests in the rig's pose (host/reduced), as that of soft bones does. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STRAINED_H
#define SN_AUTHOR_COOK_MATERIALS_STRAINED_H

#include "author/cook/cooking.h"

/* Whether a clip of the character's own rig strains a bone that moves flesh by 10% or more. */
bool sn_rig_is_strained(const sn_cooking *cooking);

#endif
