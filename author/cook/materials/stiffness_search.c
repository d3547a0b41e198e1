/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/stiffness_search.h"

#include <math.h>

#define MOST_STEP 20    /* of stiffness, from one run to the next */
#define LEAST_SLOPE 0.4 /* of displacement against softness, as logarithms: 1 is a spring's */
#define MOST_SLOPE 2.0
#define EDGE 0.1 /* of a bracket: the next run keeps so far from its ends */

/* Between the stiffest that is too soft and the softest that is too stiff, once there are both: where a line through
 * them says; else along the line through the last two runs, if it is no flatter or steeper than what moves may be. */
static double next_stiffness(const sn_stiffness_try *soft, const sn_stiffness_try *stiff,
                             const sn_stiffness_try *before, const sn_stiffness_try *last)
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

double sn_stiffness_search_next(sn_stiffness_search *s, double miss)
{
    s->last.miss = miss;
    s->soft = miss > 0 && !(s->soft.miss > 0 && s->soft.stiffness > s->last.stiffness) ? s->last : s->soft;
    s->stiff = miss < 0 && !(s->stiff.miss < 0 && s->stiff.stiffness < s->last.stiffness) ? s->last : s->stiff;
    return next_stiffness(&s->soft, &s->stiff, s->run_count++ > 0 ? &s->before : &s->last, &s->last);
}

void sn_stiffness_search_go(sn_stiffness_search *s, double stiffness)
{
    s->before = s->last;
    s->last = (sn_stiffness_try){.stiffness = stiffness};
}
