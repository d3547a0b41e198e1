/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/stiffness_search.h"

#include <math.h>

#define MOST_STEP 20    /* largest factor of stiffness between runs */
#define LEAST_SLOPE 0.4 /* of log displacement over log softness; 1 for a linear spring */
#define MOST_SLOPE 2.0
#define EDGE 0.1 /* of a bracket: the next run stays this far from its ends */

/* Interpolates linearly in the bracket if there is one; otherwise extrapolates along the last two runs, with the slope
 * clamped. */
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
