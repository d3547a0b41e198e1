/* SPDX-License-Identifier: MIT */
/* Converts a spacetime motion to blendshapes. The control meshes of its Bezier curves are morph targets: 3 (N - 1) + 1
 * for N keys, one less in a cycle. Their weights are Bernstein polynomials of time. */
#ifndef SN_AUTHOR_SPACETIME_BLENDSHAPES_H
#define SN_AUTHOR_SPACETIME_BLENDSHAPES_H

#include "author/io/scene_file.h"
#include "author/spacetime/spacetime.h"

/* A surface embedded in tets. */
typedef struct sn_spacetime_surface {
    int vertex_count, triangle_count;
    const int32_t *triangles; /* (triangle_count x 3) */
    const int32_t *corners;   /* (vertex_count x 4) vertices of the tet mesh */
    const double *weights;    /* (vertex_count x 4) weights of these corners */
    const double **offsets;   /* (key_count) arrays of (vertex_count x 3), each may be null, or null: detail of a key's
                                 shape that the tets cannot represent; added to its targets */
} sn_spacetime_surface;

/* Builds the boundary surface of the mesh in the arena. */
sn_result sn_spacetime_surface_of_mesh(const sn_tet_mesh *mesh, sn_arena *arena, sn_spacetime_surface *surface);

/* Computes the surface's positions `surface_positions` (surface.vertex_count x 3) from positions (mesh.vertex_count x
 * 3). */
void sn_spacetime_surface_positions(const sn_spacetime_surface *surface, const double *positions,
                                    double *surface_positions);

typedef struct sn_blendshape_desc {
    const char *name;            /* name of the clip */
    const sn_scene_file *source; /* source of all vertex attributes except positions; its concatenated primitives are
                                    the surface's vertices; null: flat shaded, without material */
    double frame_rate; /* 0: one exact cubic spline key per key; otherwise linear keys at this rate per second and a
                          skeleton with one joint, as the USD writer requires */
} sn_blendshape_desc;

/* Builds the scene in the arena; it references the source's arrays. Returns SN_ERROR_MEMORY, or SN_ERROR_UNSUPPORTED
 * for more than 65536 frames. */
sn_result sn_blendshapes_build(const sn_spacetime_motion *motion, const sn_tet_mesh *mesh,
                               const sn_spacetime_surface *surface, const sn_blendshape_desc *desc, sn_arena *arena,
                               sn_scene_file *scene);

#endif
