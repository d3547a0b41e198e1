/* SPDX-License-Identifier: MIT */
/* Poses that tests give to bones. */
#ifndef SN_TESTS_SUPPORT_POSES_H
#define SN_TESTS_SUPPORT_POSES_H

#include <math.h>
#include <stdint.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"

/* A bone's pose: turned about z, then moved along x. */
static inline void sn_test_turn_and_move(double angle, double x, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = x;
}

/* SplitMix64. */
static inline double sn_test_uniform(uint64_t *state, double low, double high)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = *state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return low + (high - low) * (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* A turn about any axis and a move along any other: by anything up to half a turn, and by up to `violence`, where that
 * is 1 or more; by less where it is less. */
static inline void sn_test_shake(uint64_t *state, double violence, double *pose)
{
    double q[4] = {0, 0, 0, sn_test_uniform(state, 0, 1) / violence}, rotation[9];
    for (int d = 0; d < 3; ++d) {
        q[d] = sn_test_uniform(state, -1, 1);
        pose[4 * d + 3] = violence * sn_test_uniform(state, -1, 1);
    }
    sn_quaternion_normalize(q);
    sn_quaternion_to_matrix(q, rotation);
    for (int i = 0; i < 9; ++i) {
        pose[4 * (i / 3) + i % 3] = rotation[i];
    }
}

#endif
