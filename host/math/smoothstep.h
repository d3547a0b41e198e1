/* SPDX-License-Identifier: MIT */
#ifndef SN_HOST_MATH_SMOOTHSTEP_H
#define SN_HOST_MATH_SMOOTHSTEP_H

#include <math.h>

/* 0 up to `from`, 1 beyond `to`, and in between the cubic with zero slope at both ends. */
static inline double sn_smoothstep(double from, double to, double x)
{
    const double t = fmin(fmax((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

#endif
