/* SPDX-License-Identifier: MIT */
/* Meshes of procedural shapes. A shape is a signed distance field to which a lattice is fitted (Labelle and Shewchuk
 * 2007, "Isosurface stuffing", sections 2 and 3; flat shapes use the triangles, solid ones the surface): nodes near the
 * boundary are snapped to it, and crossing edges are cut. This bounds the triangles' quality. */
#ifndef SN_SCENES_SHAPES_SHAPE_H
#define SN_SCENES_SHAPES_SHAPE_H

#include "scenes/script/scene.h"

#define SN_SHAPE_POINT_LIMIT 4096
#define SN_SHAPE_BLOB_LIMIT 256
#define SN_SHAPE_NODE_LIMIT 2000000 /* of a lattice */
#define SN_SHAPE_SPOT_LIMIT 256

/* Zero-initialize; release with sn_shape_mesh_finish. */
typedef struct sn_shape_mesh {
    double *positions;  /* (vertex_count x 3) */
    double *normals;    /* (vertex_count x 3) or null */
    int32_t *triangles; /* (triangle_count x 3) counter-clockwise from outside, or from +z */
    int32_t *tets;      /* (tet_count x 4) or null */
    int vertex_count, triangle_count, tet_count;
} sn_shape_mesh;
void sn_shape_mesh_finish(sn_shape_mesh *mesh);

/* Builds the mesh of a validated shape. Errors: SN_ERROR_ARGUMENT (edge length too small for its size, or empty;
 * *message is the reason), SN_ERROR_MEMORY. */
sn_result sn_shape_build(const sn_scene_shape *shape, sn_shape_mesh *mesh, const char **message);

/* A texture for a mesh, with texture coordinates. */
typedef struct sn_shape_texture {
    uint8_t *pixels; /* (height x width x 4) sRGB, top row first; null: no texture */
    double *uvs;     /* (vertex_count x 2) v points down */
    int width, height;
} sn_shape_texture;
sn_result sn_shape_paint(const sn_scene_paint *paint, const sn_shape_mesh *mesh, sn_shape_texture *picture);
void sn_shape_texture_finish(sn_shape_texture *picture);

/* Builds the render surface of a collider, with normals; empty for a plane. */
sn_result sn_collider_surface_build(const sn_scene_collider *collider, sn_shape_mesh *mesh);

/* ---- internal ---- */

/* Signed distance to the boundary, negative inside. */
typedef struct sn_shape_field {
    const sn_scene_shape *shape;
    double (*curve)[2]; /* (2 x segment_count) segment ends of an outline */
    int segment_count;
    double low[3], high[3]; /* bounding box */
} sn_shape_field;
sn_result sn_shape_field_init(const sn_scene_shape *shape, sn_shape_field *field);
void sn_shape_field_finish(sn_shape_field *field);
double sn_shape_field_distance(const sn_shape_field *field, const double point[3]);
void sn_shape_field_gradient(const sn_shape_field *field, const double point[3], double gradient[3]);

sn_result sn_shape_build_flat(const sn_shape_field *field, sn_shape_mesh *mesh, const char **message);
sn_result sn_shape_build_solid(const sn_shape_field *field, sn_shape_mesh *mesh, const char **message);
sn_result sn_shape_build_box(const sn_scene_shape *shape, sn_shape_mesh *mesh, const char **message);

#endif
