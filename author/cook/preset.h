/* SPDX-License-Identifier: MIT */
/* How stiff a character is where nobody said: as soft as shows, not as soft as looks silly. */
#ifndef SN_AUTHOR_COOK_PRESET_H
#define SN_AUTHOR_COOK_PRESET_H

#include "author/cook/trial.h"

/* The factor on the model's stiffness with which its flesh moves by about .05 of the diagonal at most in a trial; but
 * not so soft that it sways at less than 1.5 hertz. Displacement is nearly proportional to softness, so a few runs find
 * it. report: of the trial at that factor. */
sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double *factor, sn_trial_report *report);

#endif
