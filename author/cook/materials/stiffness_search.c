/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/stiffness_search.h"

#include <math.h>

#define MAX_STEP 20   /* largest factor of stiffness between runs */
#define MIN_SLOPE 0.4 /* of log displacement over log softness; 1 for a linear spring */
#define MAX_SLOPE 2.0
#define EDGE 0.1 /* of a bracket: the next run stays this far from its ends */

/* Interpolates linearly in the bracket if there is one; otherwise extrapolates along the last two runs, with the slope
 * clamped. */
static double next_stiffness(const sn_stiffness_sample *too_soft, const sn_stiffness_sample *too_stiff,
                             const sn_stiffness_sample *previous, const sn_stiffness_sample *last)
{
    if (too_soft->log_error > 0 && too_stiff->log_error < 0 && too_soft->stiffness < too_stiff->stiffness) {
        const double fraction = too_soft->log_error / (too_soft->log_error - too_stiff->log_error);
        return too_soft->stiffness +
               fmin(fmax(fraction, EDGE), 1 - EDGE) * (too_stiff->stiffness - too_soft->stiffness);
    }
    const double run = last->stiffness - previous->stiffness;
    const double slope = run != 0 ? (previous->log_error - last->log_error) / run : 1;
    const double step = last->log_error / fmin(fmax(slope, MIN_SLOPE), MAX_SLOPE);
    return last->stiffness + fmin(fmax(step, -log(MAX_STEP)), log(MAX_STEP));
}

double sn_stiffness_search_next(sn_stiffness_search *s, double log_error)
{
    s->last.log_error = log_error;
    s->too_soft = log_error > 0 && !(s->too_soft.log_error > 0 && s->too_soft.stiffness > s->last.stiffness)
                      ? s->last
                      : s->too_soft;
    s->too_stiff = log_error < 0 && !(s->too_stiff.log_error < 0 && s->too_stiff.stiffness < s->last.stiffness)
                       ? s->last
                       : s->too_stiff;
    return next_stiffness(&s->too_soft, &s->too_stiff, s->run_count++ > 0 ? &s->previous : &s->last, &s->last);
}

void sn_stiffness_search_continue(sn_stiffness_search *s, double stiffness)
{
    s->previous = s->last;
    s->last = (sn_stiffness_sample){.stiffness = stiffness};
}
