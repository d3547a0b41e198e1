/* SPDX-License-Identifier: MIT */
/* Chooses a character's stiffness if the user gives none. */
#ifndef SN_AUTHOR_COOK_MATERIALS_PRESET_H
#define SN_AUTHOR_COOK_MATERIALS_PRESET_H

#include "author/cook/stages/trial.h"

/* Young's modulus in Pa for a body with a diagonal of 1. A body twice as large has the same frequency at 4 times the
 * stiffness. */
#define SN_PRESET_YOUNG 1e4

/* Finds the factor on the model's stiffness at which, in a trial, all but the tips of the skin move by about 0.03 of
 * the diagonal in most motions, tips move by at most 0.1, and no edge exceeds max_stretch times its length (> 1, or
 * infinite); but not below a frequency of 2 Hz, measured on the coordinates that move. The search starts at the model's
 * stiffness and ends within 3%. Displacement is nearly proportional to 1 / stiffness, so a few runs suffice. report:
 * the trial at the chosen factor. */
sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double max_stretch, double *factor,
                              sn_trial_report *report);

#endif
