/* SPDX-License-Identifier: MIT */
/* The transfer function of sRGB (IEC 61966-2-1). Encoded and linear values are in [0, 1]. */
#ifndef SN_HOST_MATH_SRGB_H
#define SN_HOST_MATH_SRGB_H

#include <math.h>

static inline double sn_srgb_to_linear(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static inline double sn_srgb_from_linear(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

#endif
