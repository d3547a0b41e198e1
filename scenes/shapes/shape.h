/* SPDX-License-Identifier: MIT */
/* Meshes of shapes that scenes describe by a few numbers. A shape is a signed distance, which a lattice is fitted to
 * (Labelle and Shewchuk 2007, "Isosurface stuffing", sections 2 and 3, of which flat shapes take the triangles and
 * solid ones the surface): nodes near the boundary are moved onto it, what is cut is cut there. So no triangle is thin.
 */
#ifndef SN_SCENES_SHAPES_SHAPE_H
#define SN_SCENES_SHAPES_SHAPE_H

#include "scenes/script/scene.h"

#define SN_SHAPE_POINT_LIMIT 4096
#define SN_SHAPE_BLOB_LIMIT 256
#define SN_SHAPE_NODE_LIMIT 2000000 /* of a lattice */
#define SN_SHAPE_SPOT_LIMIT 256

/* Zero it; release it with sn_shape_mesh_finish. */
typedef struct sn_shape_mesh {
    double *positions;  /* (vertex_count x 3) */
    double *normals;    /* (vertex_count x 3), or null */
    int32_t *triangles; /* (triangle_count x 3) counter-clockwise from outside, or from +z */
    int32_t *tets;      /* (tet_count x 4), or null */
    int vertex_count, triangle_count, tet_count;
} sn_shape_mesh;
void sn_shape_mesh_finish(sn_shape_mesh *mesh);

/* The shape has been checked. Errors: SN_ERROR_ARGUMENT (its edges are too short for its size, or nothing is inside),
 * SN_ERROR_MEMORY. */
sn_result sn_shape_build(const sn_scene_shape *shape, sn_shape_mesh *mesh, const char **says);

/* A picture for a mesh, and where its vertices lie in it. */
typedef struct sn_shape_picture {
    uint8_t *pixels; /* (height x width x 4) sRGB, rows from the top; null: not painted */
    double *uvs;     /* (vertex_count x 2), v down */
    int width, height;
} sn_shape_picture;
sn_result sn_shape_paint(const sn_scene_paint *paint, const sn_shape_mesh *mesh, sn_shape_picture *picture);
void sn_shape_picture_finish(sn_shape_picture *picture);

/* What is drawn of a collider's shape, with normals; nothing of a plane. */
sn_result sn_collider_surface_build(const sn_scene_collider *collider, sn_shape_mesh *mesh);

/* ---- inside ---- */

/* Signed distance from the boundary, below 0 inside. */
typedef struct sn_shape_field {
    const sn_scene_shape *shape;
    double (*curve)[2]; /* (2 x segment_count) of an outline */
    int segment_count;
    double low[3], high[3]; /* of its box */
} sn_shape_field;
sn_result sn_shape_field_init(const sn_scene_shape *shape, sn_shape_field *field);
void sn_shape_field_finish(sn_shape_field *field);
double sn_shape_field_distance(const sn_shape_field *field, const double point[3]);
void sn_shape_field_gradient(const sn_shape_field *field, const double point[3], double gradient[3]);

sn_result sn_shape_build_flat(const sn_shape_field *field, sn_shape_mesh *mesh, const char **says);
sn_result sn_shape_build_solid(const sn_shape_field *field, sn_shape_mesh *mesh, const char **says);
sn_result sn_shape_build_box(const sn_scene_shape *shape, sn_shape_mesh *mesh, const char **says);

#endif
