/* SPDX-License-Identifier: MIT */
/* How stiff a character is where nobody said: as soft as shows, not as soft as looks silly. */
#ifndef SN_AUTHOR_COOK_MATERIALS_PRESET_H
#define SN_AUTHOR_COOK_MATERIALS_PRESET_H

#include "author/cook/stages/trial.h"

/* Pa, of a body whose diagonal is 1: one that is twice as large sways as fast where it is four times as stiff. */
#define SN_STUFF_YOUNG 1e4

/* The factor on the model's stiffness with which its skin moves by about .03 of the diagonal in a trial, all but its
 * tips and in most motions, and a tip by .1 at most in any, and no edge is longer than most_stretch (> 1, or infinite)
 * times what it was; but not so soft that what moves sways at less than 2 hertz: coordinates that no motion wakes do
 * not count. The model's own stiffness is where the search begins. Displacement is nearly proportional to softness, so
 * a few runs find it, to 3 percent. report: of the trial at that factor. */
sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double most_stretch, double *factor,
                              sn_trial_report *report);

#endif
