/* SPDX-License-Identifier: MIT */
/* Float positions far from the origin (survey coordinates, for example) lose precision. They are stored relative to the
 * center of their box instead. */
#include "author/io/local_origin.h"

#include <math.h>

/* At this distance, in box sizes, a float has a precision of 2^-16 of the box. */
#define FAR_FACTOR 256

sn_extent sn_extent_empty(void)
{
    return (sn_extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static bool is_far(const sn_extent *extent)
{
    double size = 0, distance = 0;
    for (int d = 0; d < 3; d++) {
        size = fmax(size, extent->high[d] - extent->low[d]);
        distance = fmax(distance, fabs(0.5 * extent->high[d] + 0.5 * extent->low[d]));
    }
    return distance > FAR_FACTOR * size;
}

bool sn_extent_add(sn_extent *extent, const double *position)
{
    for (int d = 0; d < 3; d++) {
        extent->low[d] = fmin(extent->low[d], position[d]);
        extent->high[d] = fmax(extent->high[d], position[d]);
    }
    return is_far(extent);
}

void sn_extent_origin(const sn_extent *extent, double origin[3])
{
    const bool is_moved = extent->low[0] <= extent->high[0] && is_far(extent);
    for (int d = 0; d < 3; d++) {
        origin[d] = is_moved ? 0.5 * extent->high[d] + 0.5 * extent->low[d] : 0;
    }
}

void sn_positions_to_float(const double *positions, size_t count, double origin[3], float *floats)
{
    sn_extent extent = sn_extent_empty();
    for (size_t i = 0; i < count; i++) {
        sn_extent_add(&extent, positions + 3 * i);
    }
    sn_extent_origin(&extent, origin);
    for (size_t i = 0; i < 3 * count; i++) {
        floats[i] = (float)(positions[i] - origin[i % 3]);
    }
}
