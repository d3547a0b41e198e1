/* SPDX-License-Identifier: MIT */
/* The mesher's input surface: scaled to its bounding box's diagonal, welded for topology, consistently oriented, split
 * into shells. Some shells are solid, which means that they enclose a volume. */
#ifndef SN_AUTHOR_MESHER_SURFACE_H
#define SN_AUTHOR_MESHER_SURFACE_H

#include "author/mesher/mesher.h"

typedef struct sn_surface {
    const sn_mesher_input *input;
    double origin[3], scale; /* unit coordinates are (x - origin) / scale */
    int vertex_count, triangle_count;
    double *positions;        /* (vertex_count x 3) unit coordinates; 0 for unused vertices */
    double high[3];           /* upper corner of the bounding box; the lower one is 0 */
    int32_t *unique_vertices; /* (vertex_count) unique vertex: vertices with identical positions and similar weights
                        share a number; -1: unused */
    int32_t *points;          /* (vertex_count) welded point; -1: unused */
    int32_t *triangles;       /* (triangle_count x 3) vertices; the last two are swapped if the triangle was flipped */
    bool *is_flipped;         /* (triangle_count) */
    int32_t *edges;  /* (triangle_count x 3) welded edge from corner k to k + 1; -1: both ends are the same point */
    int32_t *solids; /* (triangle_count) solid shell that the triangle bounds, from 1; 0: none */
    int unique_count, point_count, edge_count, solid_count;
} sn_surface;

/* Computes units, unique vertices, points and edges. Returns SN_ERROR_FORMAT if no triangle has an area. */
sn_result sn_surface_weld(const sn_mesher_input *input, sn_arena *arena, sn_surface *surface);

/* Orients the triangles and finds the solids. */
sn_result sn_surface_orient(sn_surface *surface);

/* Position of a triangle's corner, in unit coordinates. */
static inline const double *sn_surface_corner(const sn_surface *surface, int triangle, int corner)
{
    return surface->positions + 3 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)corner];
}

/* Computes the normal with a length of twice the area. */
void sn_surface_area_vector(const sn_surface *surface, int triangle, double *result);

#endif
