/* SPDX-License-Identifier: MIT */
/* Chooses a local origin for surfaces far from the world's origin, to keep float precision. */
#ifndef SN_AUTHOR_IO_LOCAL_ORIGIN_H
#define SN_AUTHOR_IO_LOCAL_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* The bounding box of positions added one by one. */
typedef struct sn_extent {
    double low[3], high[3];
} sn_extent;

sn_extent sn_extent_empty(void);
/* Adds a position; returns whether the box is so far from the origin that floats are imprecise. */
bool sn_extent_add(sn_extent *extent, const double *position);
/* Returns the center of the box if it is far from the origin, else 0. */
void sn_extent_origin(const sn_extent *extent, double origin[3]);
/* Converts positions (count x 3) to floats relative to such an origin. */
void sn_positions_to_float(const double *positions, size_t count, double origin[3], float *floats);

#endif
