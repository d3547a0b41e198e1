/* SPDX-License-Identifier: MIT */
/* Validation of rotations from files and callers. */
#ifndef SN_HOST_MATH_ROTATION_H
#define SN_HOST_MATH_ROTATION_H

#include <stdbool.h>

#include "host/math/vec3.h"

/* m (3 x 3) row-major: whether the columns are orthonormal and right-handed, up to rounding. */
static inline bool sn_is_rotation3(const double *m)
{
    double columns[3][3], third[3];
    for (int i = 0; i < 9; ++i) {
        columns[i % 3][i / 3] = m[i];
    }
    sn_cross3(columns[0], columns[1], third);
    return fabs(sn_length3(columns[0]) - 1) < 1e-3 && fabs(sn_length3(columns[1]) - 1) < 1e-3 &&
           fabs(sn_dot3(columns[0], columns[1])) < 1e-3 && sn_distance3(third, columns[2]) < 1e-3;
}

#endif
