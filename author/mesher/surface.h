/* SPDX-License-Identifier: MIT */
/* The surface as the mesher sees it: in units of its box's diagonal, welded for topology, consistently oriented, split
 * into shells, of which some are solid. */
#ifndef SN_AUTHOR_MESHER_SURFACE_H
#define SN_AUTHOR_MESHER_SURFACE_H

#include "author/mesher/mesher.h"

typedef struct sn_surface {
    const sn_mesher_input *input;
    double origin[3], scale; /* unit coordinates are (x - origin) / scale */
    int vertex_count, triangle_count;
    double *positions; /* (vertex_count x 3), unit coordinates; 0 where no triangle uses the vertex */
    double high[3];    /* the box is 0 to this */
    int32_t
        *places; /* (vertex_count) vertices at one place, to the bit, with like weights share a number; -1: unused */
    int32_t *points;    /* (vertex_count) welded vertices share a number; -1: unused */
    int32_t *triangles; /* (triangle_count x 3) vertices; the last two swapped where the triangle was flipped */
    bool *is_flipped;   /* (triangle_count) */
    int32_t *edges;     /* (triangle_count x 3) welded edge from corner k to k + 1; -1: both ends are one point */
    int32_t *solids;    /* (triangle_count) the solid shell that it bounds, from 1; 0: none */
    int place_count, point_count, edge_count, solid_count;
} sn_surface;

/* Units, places, points and edges. SN_ERROR_FORMAT where no triangle has an area. */
sn_result sn_surface_weld(const sn_mesher_input *input, sn_arena *arena, sn_surface *surface);

/* Orientation and solids. */
sn_result sn_surface_orient(sn_surface *surface);

/* Corner positions, unit coordinates. */
static inline const double *sn_surface_corner(const sn_surface *surface, int triangle, int corner)
{
    return surface->positions + 3 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)corner];
}

/* Twice the area, along the normal. */
void sn_surface_area_vector(const sn_surface *surface, int triangle, double *result);

#endif
