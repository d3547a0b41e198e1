/* SPDX-License-Identifier: MIT */
#include "author/cook/preset.h"

#include <math.h>

#define TARGET 0.03      /* of the diagonal: what moves */
#define MOST_TARGET 0.10 /* the largest displacement */
#define RUN_COUNT 4
#define LEAST_FREQUENCY 2 /* hertz of what moves: softer flesh sways like seaweed */
#define MOST_FACTOR 1e3   /* of SN_STUFF_YOUNG */
#define LEAST_MOVED 1e-9  /* of the diagonal: less is rounding, and no motion */

sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double most_stretch, double *factor,
                              sn_trial_report *report)
{
    const double one = SN_STUFF_YOUNG * model->diagonal * model->diagonal / model->young, most = MOST_FACTOR * one;
    double next = 1, nearest = INFINITY;
    sn_result result = SN_OK;
    *factor = next;
    for (int run = 0; run < RUN_COUNT && result == SN_OK; ++run) {
        sn_trial_report found;
        result = sn_trial_run(trial, next, &found);
        *report = run == 0 ? found : *report;
        if (result != SN_OK || !(found.displacement > LEAST_MOVED)) {
            break;
        }
        /* a rig that bends sharply is answered by stiff flesh too: there the target may be out of reach */
        const double seen = fmax(found.moved / TARGET, found.displacement / MOST_TARGET);
        const double slow = (LEAST_FREQUENCY / found.frequency) * (LEAST_FREQUENCY / found.frequency);
        const double moved = fmax(fmax(seen, slow), (found.stretch - 1) / (most_stretch - 1)), miss = fabs(log(moved));
        *factor = miss < nearest ? next : *factor;
        *report = miss < nearest ? found : *report;
        nearest = fmin(miss, nearest);
        if (miss < 0.1) {
            break;
        }
        const double tried = next;
        next = fmin(next * fmin(fmax(moved, 0.05), 20), most);
        if (next == tried) {
            break;
        }
    }
    return result;
}
