/* SPDX-License-Identifier: MIT */
/* Generalized winding numbers of a set of triangles: 1 inside a closed surface, 0 outside, smooth across holes. */
#ifndef SN_AUTHOR_MESHER_WINDING_H
#define SN_AUTHOR_MESHER_WINDING_H

#include "author/mesher/surface.h"

typedef struct sn_winding_node sn_winding_node;

typedef struct sn_winding {
    int triangle_count, node_count;
    double *corners;        /* (triangle_count x 9) in tree order */
    sn_winding_node *nodes; /* (node_count); the root is 0 */
} sn_winding;

/* Builds the tree over the triangles of one solid, or over all triangles if solid is 0. */
sn_result sn_winding_build(const sn_surface *surface, int32_t solid, sn_arena *arena, sn_winding *winding);

/* Evaluates the winding number at a point in unit coordinates. */
double sn_winding_at(const sn_winding *winding, const double *point);

#endif
