/* SPDX-License-Identifier: MIT */
/* Generalised winding numbers of a set of triangles: 1 inside of a closed surface, 0 outside, smooth through holes. */
#ifndef SN_AUTHOR_MESHER_WINDING_H
#define SN_AUTHOR_MESHER_WINDING_H

#include "author/mesher/surface.h"

typedef struct sn_winding_node sn_winding_node;

typedef struct sn_winding {
    int triangle_count, node_count;
    double *corners;        /* (triangle_count x 9), in the order of the tree */
    sn_winding_node *nodes; /* (node_count); the root is 0 */
} sn_winding;

/* Of the triangles of one solid, or of all where solid is 0. */
sn_result sn_winding_build(const sn_surface *surface, int32_t solid, sn_arena *arena, sn_winding *winding);

/* At a point in unit coordinates. */
double sn_winding_at(const sn_winding *winding, const double *point);

#endif
