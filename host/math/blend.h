/* SPDX-License-Identifier: MIT */
/* Interpolation between two affine transforms (row-major 3 x 4): a pivot moves along a straight line, the rotation
 * takes the shorter arc, and the stretch is interpolated separately. Rigid transforms stay rigid. */
#ifndef SN_HOST_MATH_BLEND_H
#define SN_HOST_MATH_BLEND_H

#include <stdbool.h>

typedef struct sn_blend {
    double from[12], to[12];
    bool is_still; /* both transforms are equal; the other members are not set */
    double pivot[3], places[2][3], turns[2][4], stretches[2][9];
} sn_blend;

void sn_blend_init(sn_blend *blend, const double *from, const double *to, const double *pivot);
/* fraction from 0 to 1; at 1 and above, the result is bit-identical to the second transform. */
void sn_blend_apply(const sn_blend *blend, double fraction, double *result);

#endif
