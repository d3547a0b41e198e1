/* SPDX-License-Identifier: MIT */
/* Poses that tests give to bones. */
#ifndef SN_TESTS_SUPPORT_POSES_H
#define SN_TESTS_SUPPORT_POSES_H

#include <math.h>

#include "host/math/affine.h"

/* A bone's pose: turned about z, then moved along x. */
static inline void sn_test_turn_and_move(double angle, double x, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = x;
}

#endif
