/* SPDX-License-Identifier: MIT */
/* What positions are counted from, where a surface is far from the origin: for the sake of floats. */
#ifndef SN_AUTHOR_IO_FAR_ORIGIN_H
#define SN_AUTHOR_IO_FAR_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* The box of positions, which come one by one. */
typedef struct sn_extent {
    double low[3], high[3];
} sn_extent;

sn_extent sn_extent_begin(void);
/* Whether the box is still far from the origin: so far that floats are coarse in it. */
bool sn_extent_add(sn_extent *extent, const double *position);
/* 0, or where the box is far its middle. */
void sn_extent_origin(const sn_extent *extent, double origin[3]);
/* Positions (count x 3) as floats, from such an origin. */
void sn_positions_narrow(const double *positions, size_t count, double origin[3], float *narrowed);

#endif
