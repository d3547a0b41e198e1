/* SPDX-License-Identifier: MIT */
#include "author/bake/decomposition.h"

#include "host/math/affine.h"
#include "host/math/vec3.h"

#define ERROR_STRIDE 4 /* every n-th sample frame is used */

void sn_joint_residual(const sn_decomposition *d, int frame, int vertex, const double *rest_position, double *residual)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count, at = (size_t)vertex * width;
    sn_joint_target(d, frame, vertex, residual);
    for (size_t k = 0; k < width; ++k) {
        double moved[3];
        if (b->weights[at + k] > 0) {
            sn_affine_apply(sn_joint_motion(d, frame, b->influences[at + k]), rest_position, moved);
            for (int c = 0; c < 3; ++c) {
                residual[c] -= (double)b->weights[at + k] * moved[c];
            }
        }
    }
}

double sn_joint_error(const sn_decomposition *d, int vertex, int joint, double limit)
{
    double sum = 0;
    for (int i = 0; i < d->sample_count && sum < limit; i += ERROR_STRIDE) {
        double rest_position[3], target[3], moved[3];
        sn_baker_rest(d->baker, d->samples[i], vertex, rest_position);
        sn_joint_target(d, d->samples[i], vertex, target);
        sn_affine_apply(sn_joint_motion(d, d->samples[i], joint), rest_position, moved);
        sn_subtract3(moved, target, moved);
        sum += sn_dot3(moved, moved);
    }
    return sum;
}
