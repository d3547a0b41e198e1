/* SPDX-License-Identifier: MIT */
/* Signed distances at the nodes of a regular lattice: what is negative inside of its box is solid. */
#ifndef SN_HOST_CONTACT_GRID_H
#define SN_HOST_CONTACT_GRID_H

#include "sinew/world.h"

struct sn_grid {
    int counts[3];
    double origin[3], spacing;
    size_t node_count;
    double slope;     /* no distance changes by more than this share of the way; 1 at least */
    float *distances; /* (z count x y count x x count) */
};

/* Distance of a point from the solid, negative inside, continuous everywhere; and, unless null, a unit normal.
 *
 * Inside of the box: the trilinear interpolant, cut off by the box. The normal is not its gradient, which jumps from
 * cell to cell and would shake what rests across a face, but its central difference over one cell: continuous, as the
 * interpolant is, exact where that is linear, and of second order. So it is not quite the interpolant's gradient: very
 * soft flesh on waves of four nodes, without friction, goes on moving by 3e-4 of its diagonal a step (of sixteen nodes,
 * or with friction, by 1e-6).
 * Outside: a bound that is never negative nor more than the distance. With q the nearest point of the box, and since
 * that is convex, every point of the solid is at least sqrt(|x - q|^2 + d(q)^2) away. */
double sn_grid_distance(const sn_grid *grid, const double *point, double *normal);

#endif
