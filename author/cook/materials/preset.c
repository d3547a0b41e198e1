/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/preset.h"

#include <math.h>

#include "author/cook/materials/stiffness_search.h"

#define TARGET 0.03      /* displacement of the moving skin, fraction of the diagonal */
#define MOST_TARGET 0.10 /* bound on the largest displacement */
#define RUN_COUNT 8
#define NEAR_ENOUGH 0.03  /* relative to the target */
#define LEAST_FREQUENCY 2 /* Hz, of the coordinates that move */
#define MOST_FACTOR 1e3   /* times SN_STUFF_YOUNG */
#define LEAST_MOVED 1e-9  /* fraction of the diagonal; below is rounding */

/* Log error of the worst criterion. Stiff flesh moves too where the rig bends sharply, so the target may be out of
 * range. */
static double miss_of(const sn_trial_report *found, double most_stretch)
{
    const double seen = fmax(found->moved / TARGET, found->displacement / MOST_TARGET);
    const double slow = (LEAST_FREQUENCY / found->frequency) * (LEAST_FREQUENCY / found->frequency);
    return log(fmax(fmax(seen, slow), (found->stretch - 1) / (most_stretch - 1)));
}

sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double most_stretch, double *factor,
                              sn_trial_report *report)
{
    const double one = SN_STUFF_YOUNG * model->diagonal * model->diagonal / model->young;
    sn_stiffness_search search = {.run_count = 0};
    sn_stiffness_try nearest = {0, INFINITY};
    sn_result result = SN_OK;
    for (int run = 0; run < RUN_COUNT && result == SN_OK; ++run) {
        sn_trial_report found;
        result = sn_trial_run(trial, exp(search.last.stiffness), &found);
        *report = run == 0 ? found : *report;
        if (result != SN_OK || !(found.displacement > LEAST_MOVED)) {
            break;
        }
        const double miss = miss_of(&found, most_stretch);
        const double next = fmin(sn_stiffness_search_next(&search, miss), log(MOST_FACTOR * one));
        if (fabs(miss) < fabs(nearest.miss)) {
            nearest = search.last;
            *report = found;
        }
        if (fabs(miss) < NEAR_ENOUGH || next == search.last.stiffness) {
            break;
        }
        sn_stiffness_search_go(&search, next);
    }
    *factor = exp(nearest.stiffness);
    return result;
}
