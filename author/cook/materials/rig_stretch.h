/* SPDX-License-Identifier: MIT */
/* Detects rigs that stretch their bones: squash and stretch, or rotation under non-uniform scale, which shears. Elastic
 * energy measured against the bind pose would undo the stretch as far as the modes allow, so the flesh of such rigs
 * rests in the rig's pose (host/reduced), as that of soft bones does. */
#ifndef SN_AUTHOR_COOK_MATERIALS_RIG_STRETCH_H
#define SN_AUTHOR_COOK_MATERIALS_RIG_STRETCH_H

#include "author/cook/cook_context.h"

/* Whether a clip of the character's own rig strains a bone that moves flesh by 10% or more. */
bool sn_rig_stretch_detect(const sn_cook_context *cook);

#endif
