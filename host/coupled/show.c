/* SPDX-License-Identifier: MIT */
/* The bones' matrices between two steps. */
#include <string.h>

#include "host/coupled/table.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/model/model.h"

/* Rotation and stretch of the linear part of a transform. */
static void take_apart(const double *transform, double *turn, double *stretch)
{
    double linear[9];
    for (int i = 0; i < 9; ++i) {
        linear[i] = transform[4 * (i / 3) + i % 3];
    }
    sn_quaternion_split(linear, turn, stretch);
}

/* Between two transforms: the pivot on the straight way, rotations on the shorter one, stretch apart. What is rigid
 * stays rigid. */
static void blend(const double *from, const double *to, const double *pivot, double fraction, double *result)
{
    double turns[2][4] = {{0, 0, 0, 1}}, stretches[2][9], turn[4], r[9], places[2][3];
    take_apart(from, turns[0], stretches[0]);
    memcpy(turns[1], turns[0], sizeof turns[0]);
    take_apart(to, turns[1], stretches[1]);
    sn_affine_apply(from, pivot, places[0]);
    sn_affine_apply(to, pivot, places[1]);
    sn_quaternion_blend(turns[0], turns[1], fraction, turn);
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        result[4 * d + 3] = places[0][d] + fraction * (places[1][d] - places[0][d]);
        for (int e = 0; e < 3; ++e) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                const double *s = stretches[0], *t = stretches[1];
                sum += r[3 * d + k] * (s[3 * k + e] + fraction * (t[3 * k + e] - s[3 * k + e]));
            }
            result[4 * d + e] = sum;
            result[4 * d + 3] -= sum * pivot[e];
        }
    }
}

void sn_coupled_show(const sn_table_body *b, double fraction, float *matrices)
{
    for (size_t bone = 0; bone < (size_t)b->bone_count; ++bone) {
        const double *from = b->before + 12 * bone, *to = b->now + 12 * bone;
        double pivot[3], between[12];
        sn_model_bone_pivot(b->shared->bones->model, (int)bone, pivot);
        if (fraction < 1 && memcmp(from, to, sizeof between) != 0) {
            blend(from, to, pivot, fraction, between);
        } else {
            memcpy(between, to, sizeof between);
        }
        for (size_t i = 0; i < 12; ++i) {
            matrices[12 * bone + i] = (float)between[i];
        }
    }
}
