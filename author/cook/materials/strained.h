/* SPDX-License-Identifier: MIT */
/* Rigs that stretch their bones: squash and stretch, or turns under an uneven scale, which shear. Elastic flesh that
 * strains against the bind pose undoes that as far as its modes allow; it then rests in the rig's pose (host/reduced),
 * as that of loose bones does. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STRAINED_H
#define SN_AUTHOR_COOK_MATERIALS_STRAINED_H

#include "author/cook/cooking.h"

/* Whether a clip of a character's own rig strains a bone that moves flesh by a tenth or more. */
bool sn_rig_is_strained(const sn_cooking *cooking);

#endif
