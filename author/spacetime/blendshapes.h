/* SPDX-License-Identifier: MIT */
/* A spacetime motion as blendshapes: the control meshes of its Bezier curves are morph targets, 3 (N - 1) + 1 of them
 * for N keys (one less in a cycle, whose last is its first), and their weights are Bernstein polynomials of time. */
#ifndef SN_AUTHOR_SPACETIME_BLENDSHAPES_H
#define SN_AUTHOR_SPACETIME_BLENDSHAPES_H

#include "author/io/scene_file.h"
#include "author/spacetime/spacetime.h"

/* A surface in the tets. */
typedef struct sn_spacetime_surface {
    int vertex_count, triangle_count;
    const int32_t *triangles; /* (triangle_count x 3) */
    const int32_t *corners;   /* (vertex_count x 4) vertices of the tet mesh */
    const double *weights;    /* (vertex_count x 4) of them */
    const double **offsets;   /* (key_count) of (vertex_count x 3), or null each, or null: what the tets are too coarse
                                 for in a key's shape, and is added to its targets */
} sn_spacetime_surface;

/* The mesh's own boundary. Everything lives in the arena. */
sn_result sn_spacetime_surface_of_mesh(const sn_tet_mesh *mesh, sn_arena *arena, sn_spacetime_surface *surface);

/* places (surface.vertex_count x 3) where the mesh's vertices are at positions (mesh.vertex_count x 3). */
void sn_spacetime_surface_place(const sn_spacetime_surface *surface, const double *positions, double *places);

typedef struct sn_blendshape_desc {
    const char *name;            /* of the clip */
    const sn_scene_file *source; /* its primitives, one after the other, are the surface's vertices: they lend what they
                                    have besides positions; or null: flat shaded, without a material */
    double frame_rate; /* 0: a key of a cubic spline a key, which is exact; else linear keys, so many a second,
                          and a skeleton of one joint, as the writer of USD wants it */
} sn_blendshape_desc;

/* The scene lives in the arena and borrows the source's arrays. SN_ERROR_MEMORY; SN_ERROR_UNSUPPORTED for
 * more than 65536 frames. */
sn_result sn_blendshapes_build(const sn_spacetime_motion *motion, const sn_tet_mesh *mesh,
                               const sn_spacetime_surface *surface, const sn_blendshape_desc *desc, sn_arena *arena,
                               sn_scene_file *scene);

#endif
