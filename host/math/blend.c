/* SPDX-License-Identifier: MIT */
#include "host/math/blend.h"

#include <string.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"

/* Rotation and stretch of the linear part of a transform. */
static void decompose(const double *transform, double *rotation, double *stretch)
{
    double linear[9];
    for (int i = 0; i < 9; ++i) {
        linear[i] = transform[4 * (i / 3) + i % 3];
    }
    sn_quaternion_split(linear, rotation, stretch);
}

void sn_blend_init(sn_blend *b, const double *from, const double *to, const double *pivot)
{
    static const double none[4] = {0, 0, 0, 1};
    memcpy(b->from, from, sizeof b->from);
    memcpy(b->to, to, sizeof b->to);
    b->is_still = memcmp(from, to, sizeof b->from) == 0;
    if (b->is_still) {
        return;
    }
    memcpy(b->pivot, pivot, sizeof b->pivot);
    memcpy(b->turns[0], none, sizeof none);
    decompose(from, b->turns[0], b->stretches[0]);
    memcpy(b->turns[1], b->turns[0], sizeof b->turns[0]);
    decompose(to, b->turns[1], b->stretches[1]);
    sn_affine_apply(from, pivot, b->places[0]);
    sn_affine_apply(to, pivot, b->places[1]);
}

void sn_blend_apply(const sn_blend *b, double fraction, double *result)
{
    double rotation[4], r[9];
    if (b->is_still || fraction >= 1) {
        memcpy(result, b->to, sizeof b->to);
        return;
    }
    sn_quaternion_blend(b->turns[0], b->turns[1], fraction, rotation);
    sn_quaternion_to_matrix(rotation, r);
    for (int d = 0; d < 3; ++d) {
        result[4 * d + 3] = b->places[0][d] + fraction * (b->places[1][d] - b->places[0][d]);
        for (int e = 0; e < 3; ++e) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                const double *s = b->stretches[0], *t = b->stretches[1];
                sum += r[3 * d + k] * (s[3 * k + e] + fraction * (t[3 * k + e] - s[3 * k + e]));
            }
            result[4 * d + e] = sum;
            result[4 * d + 3] -= sum * b->pivot[e];
        }
    }
}
