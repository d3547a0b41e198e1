/* SPDX-License-Identifier: MIT */
/* Signed distances at the nodes of a regular lattice. Points inside its box with a negative distance are solid. */
#ifndef SN_HOST_CONTACT_GRID_H
#define SN_HOST_CONTACT_GRID_H

#include "sinew/world.h"

struct sn_grid {
    int counts[3];
    double origin[3], spacing;
    size_t node_count;
    double slope;     /* Lipschitz constant of the interpolated distance, at least 1 */
    float *distances; /* (z count x y count x x count) */
};

/* Distance of a point from the solid, negative inside, continuous everywhere, and, unless null, a unit normal.
 *
 * Inside the box: the trilinear interpolant, clipped by the box. Its gradient jumps between cells, which would make
 * bodies that rest across a face jitter. The normal is therefore the central difference over one cell: continuous,
 * exact where the interpolant is linear, and of second order. It differs slightly from the gradient, so that very soft
 * frictionless flesh on features of about four nodes may not come completely to rest. Outside: a lower bound on the
 * distance, never negative. With q the nearest point of the box, which is convex, every point of the solid is at least
 * sqrt(|x - q|^2 + d(q)^2) away. */
double sn_grid_distance(const sn_grid *grid, const double *point, double *normal);

#endif
