/* SPDX-License-Identifier: MIT */
/* On the way between two affine transforms (row-major 3 x 4): a pivot goes straight, the rotation the shorter way, the
 * stretch apart: what is rigid stays rigid. */
#ifndef SN_HOST_MATH_BLEND_H
#define SN_HOST_MATH_BLEND_H

#include <stdbool.h>

typedef struct sn_blend {
    double from[12], to[12];
    bool is_still; /* both are the same, and the rest is not set */
    double pivot[3], places[2][3], turns[2][4], stretches[2][9];
} sn_blend;

void sn_blend_init(sn_blend *blend, const double *from, const double *to, const double *pivot);
/* fraction of the way; from 1 on, to the bit where it leads. */
void sn_blend_at(const sn_blend *blend, double fraction, double *result);

#endif
