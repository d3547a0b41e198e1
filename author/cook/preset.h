/* SPDX-License-Identifier: MIT */
/* How stiff a character is where nobody said: as soft as shows, not as soft as looks silly. */
#ifndef SN_AUTHOR_COOK_PRESET_H
#define SN_AUTHOR_COOK_PRESET_H

#include "author/cook/cook.h"

/* The factor on the model's stiffness with which its flesh moves by about .05 of the diagonal at most, over its clips
 * (some thousand steps of them, spread evenly), or, without clips, over two hops a second, a twentieth of the diagonal
 * high; but not so soft that it sways at less than 1.5 hertz. Displacement is nearly proportional to softness, so a few
 * runs find it. */
sn_result sn_preset_stiffness(const sn_model *model, double *factor);

#endif
