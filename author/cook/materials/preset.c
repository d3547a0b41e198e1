/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/preset.h"

#include <math.h>

#include "author/cook/materials/stiffness_search.h"

#define TARGET_DISPLACEMENT 0.03 /* displacement of the moving skin, fraction of the diagonal */
#define MAX_DISPLACEMENT 0.10    /* bound on the largest displacement */
#define MAX_RUNS 8
#define TOLERANCE 0.03        /* relative to the target */
#define MIN_FREQUENCY 2       /* Hz, of the coordinates that move */
#define MAX_FACTOR 1e3        /* times SN_PRESET_YOUNG */
#define MIN_DISPLACEMENT 1e-9 /* fraction of the diagonal; below is rounding */

/* Log error of the worst criterion. Stiff flesh moves too where the rig bends sharply, so the target may be out of
 * range. */
static double log_error_of(const sn_trial_report *measured, double max_stretch)
{
    const double ratio = fmax(measured->moved / TARGET_DISPLACEMENT, measured->displacement / MAX_DISPLACEMENT);
    const double frequency_ratio = (MIN_FREQUENCY / measured->frequency) * (MIN_FREQUENCY / measured->frequency);
    return log(fmax(fmax(ratio, frequency_ratio), (measured->stretch - 1) / (max_stretch - 1)));
}

sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double max_stretch, double *factor,
                              sn_trial_report *report)
{
    const double initial = SN_PRESET_YOUNG * model->diagonal * model->diagonal / model->young;
    sn_stiffness_search search = {.run_count = 0};
    sn_stiffness_sample best = {0, INFINITY};
    sn_result result = SN_OK;
    for (int run = 0; run < MAX_RUNS && result == SN_OK; ++run) {
        sn_trial_report measured;
        result = sn_trial_run(trial, exp(search.last.stiffness), &measured);
        *report = run == 0 ? measured : *report;
        if (result != SN_OK || !(measured.displacement > MIN_DISPLACEMENT)) {
            break;
        }
        const double log_error = log_error_of(&measured, max_stretch);
        const double next = fmin(sn_stiffness_search_next(&search, log_error), log(MAX_FACTOR * initial));
        if (fabs(log_error) < fabs(best.log_error)) {
            best = search.last;
            *report = measured;
        }
        if (fabs(log_error) < TOLERANCE || next == search.last.stiffness) {
            break;
        }
        sn_stiffness_search_continue(&search, next);
    }
    *factor = exp(best.stiffness);
    return result;
}
