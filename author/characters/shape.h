/* SPDX-License-Identifier: MIT */
/* Smooth bodies: ellipsoids and limbs blended to one implicit surface, and its triangulation. Metres, Y up. */
#ifndef SN_AUTHOR_CHARACTERS_SHAPE_H
#define SN_AUTHOR_CHARACTERS_SHAPE_H

#include "host/base/arena.h"

#define SN_SHAPE_PIECES 192

typedef enum sn_shape_type { SN_SHAPE_BALL, SN_SHAPE_LIMB } sn_shape_type;

typedef struct sn_shape_piece {
    sn_shape_type type;
    double center[3], radii[3], axes[9]; /* ball: rows of `axes` are its local axes */
    double ends[2][3], end_radii[2];     /* limb: a cone with round ends; `center` is its midpoint */
    double bounding_radius;              /* bounding radius of a limb around its center */
    double blend;                        /* blend distance to the previous pieces, in metres */
    bool is_cut;                         /* subtracted instead of added */
} sn_shape_piece;

typedef struct sn_shape {
    sn_shape_piece pieces[SN_SHAPE_PIECES];
    int count;
} sn_shape;

/* Adds an ellipsoid, rotated by angles[2] about z, then angles[0] about x, then angles[1] about y (radians; null: no
 * rotation). */
void sn_shape_add_ball(sn_shape *shape, const double center[3], const double radii[3], const double *angles,
                       double blend);
void sn_shape_add_limb(sn_shape *shape, const double a[3], const double b[3], double radius_a, double radius_b,
                       double blend);
/* Makes the last piece subtractive. */
void sn_shape_cut_last(sn_shape *shape);
/* Adds the last piece mirrored at x = 0. */
void sn_shape_mirror_last(sn_shape *shape);

/* Distance to one piece in metres. */
double sn_shape_piece_distance(const sn_shape_piece *piece, const double point[3]);
/* Approximate distance to the surface in metres, negative inside; smooth where blends are not 0. */
double sn_shape_distance(const sn_shape *shape, const double point[3]);
/* Unit normal, outwards. */
void sn_shape_normal(const sn_shape *shape, const double point[3], double normal[3]);

/* A closed surface; triangles are counter-clockwise from outside. */
typedef struct sn_shape_surface {
    int vertex_count, triangle_count;
    double *positions;  /* (vertex_count x 3) */
    double *normals;    /* (vertex_count x 3) */
    int32_t *triangles; /* (triangle_count x 3) */
} sn_shape_surface;

/* Triangulates the surface with surface nets on a grid of cubes. The vertices are smoothed along the surface and
 * projected onto it by Newton's method. Features thinner than two cells may be lost. */
sn_result sn_shape_polygonise(const sn_shape *shape, double cell, sn_arena *arena, sn_shape_surface *surface);

#endif
