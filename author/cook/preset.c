/* SPDX-License-Identifier: MIT */
#include "author/cook/preset.h"

#include <math.h>

#define TARGET 0.03      /* of the diagonal: what moves */
#define MOST_TARGET 0.10 /* the largest displacement */
#define RUN_COUNT 8
#define NEAR_ENOUGH 0.03 /* of what is aimed at */
#define MOST_STEP 20     /* of stiffness, from one run to the next */
#define LEAST_SLOPE 0.4  /* of displacement against softness, as logarithms: 1 is a spring's */
#define MOST_SLOPE 2.0
#define EDGE 0.1          /* of a bracket: the next run keeps so far from its ends */
#define LEAST_FREQUENCY 2 /* hertz of what moves: softer flesh sways like seaweed */
#define MOST_FACTOR 1e3   /* of SN_STUFF_YOUNG */
#define LEAST_MOVED 1e-9  /* of the diagonal: less is rounding, and no motion */

/* Logarithms of a stiffness, and of how far the flesh is from what is aimed at: above 0 it is too soft. */
typedef struct preset_try {
    double stiffness, miss;
} preset_try;

/* Of the worst of what is looked at. A rig that bends sharply is answered by stiff flesh too: there a target may be out
 * of reach. */
static double miss_of(const sn_trial_report *found, double most_stretch)
{
    const double seen = fmax(found->moved / TARGET, found->displacement / MOST_TARGET);
    const double slow = (LEAST_FREQUENCY / found->frequency) * (LEAST_FREQUENCY / found->frequency);
    return log(fmax(fmax(seen, slow), (found->stretch - 1) / (most_stretch - 1)));
}

/* Between the stiffest that is too soft and the softest that is too stiff, once there are both: where a line through
 * them says; else along the line through the last two runs, if it is no flatter or steeper than what moves may be. */
static double next_stiffness(const preset_try *soft, const preset_try *stiff, const preset_try *before,
                             const preset_try *last)
{
    if (soft->miss > 0 && stiff->miss < 0 && soft->stiffness < stiff->stiffness) {
        const double share = soft->miss / (soft->miss - stiff->miss);
        return soft->stiffness + fmin(fmax(share, EDGE), 1 - EDGE) * (stiff->stiffness - soft->stiffness);
    }
    const double run = last->stiffness - before->stiffness;
    const double slope = run != 0 ? (before->miss - last->miss) / run : 1;
    const double step = last->miss / fmin(fmax(slope, LEAST_SLOPE), MOST_SLOPE);
    return last->stiffness + fmin(fmax(step, -log(MOST_STEP)), log(MOST_STEP));
}

sn_result sn_preset_stiffness(const sn_model *model, sn_trial *trial, double most_stretch, double *factor,
                              sn_trial_report *report)
{
    const double one = SN_STUFF_YOUNG * model->diagonal * model->diagonal / model->young;
    preset_try soft = {0}, stiff = {0}, nearest = {0, INFINITY}, before = {0}, last = {0};
    sn_result result = SN_OK;
    for (int run = 0; run < RUN_COUNT && result == SN_OK; ++run) {
        sn_trial_report found;
        result = sn_trial_run(trial, exp(last.stiffness), &found);
        *report = run == 0 ? found : *report;
        if (result != SN_OK || !(found.displacement > LEAST_MOVED)) {
            break;
        }
        last.miss = miss_of(&found, most_stretch);
        if (fabs(last.miss) < fabs(nearest.miss)) {
            nearest = last;
            *report = found;
        }
        soft = last.miss > 0 && !(soft.miss > 0 && soft.stiffness > last.stiffness) ? last : soft;
        stiff = last.miss < 0 && !(stiff.miss < 0 && stiff.stiffness < last.stiffness) ? last : stiff;
        const double next =
            fmin(next_stiffness(&soft, &stiff, run > 0 ? &before : &last, &last), log(MOST_FACTOR * one));
        if (fabs(last.miss) < NEAR_ENOUGH || next == last.stiffness) {
            break;
        }
        before = last;
        last.stiffness = next;
    }
    *factor = exp(nearest.stiffness);
    return result;
}
