/* SPDX-License-Identifier: MIT */
#include "author/bake/decomposition.h"

#include "host/math/affine.h"
#include "host/math/vec3.h"

#define MISFIT_STRIDE 4 /* every n-th sample frame is used */

void sn_joint_rest(const sn_decomposition *d, int frame, int vertex, const double *place, double *rest)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count, at = (size_t)vertex * width;
    sn_joint_goal(d, frame, vertex, rest);
    for (size_t k = 0; k < width; ++k) {
        double moved[3];
        if (b->weights[at + k] > 0) {
            sn_affine_apply(sn_joint_motion(d, frame, b->influences[at + k]), place, moved);
            for (int c = 0; c < 3; ++c) {
                rest[c] -= (double)b->weights[at + k] * moved[c];
            }
        }
    }
}

double sn_joint_misfit(const sn_decomposition *d, int vertex, int joint, double limit)
{
    double sum = 0;
    for (int i = 0; i < d->sample_count && sum < limit; i += MISFIT_STRIDE) {
        double place[3], goal[3], moved[3];
        sn_baker_rest(d->baker, d->samples[i], vertex, place);
        sn_joint_goal(d, d->samples[i], vertex, goal);
        sn_affine_apply(sn_joint_motion(d, d->samples[i], joint), place, moved);
        sn_subtract3(moved, goal, moved);
        sum += sn_dot3(moved, moved);
    }
    return sum;
}
