/* SPDX-License-Identifier: MIT */
/* A static obstacle from a surface file: a grid collider and its render model. */
#ifndef SN_RUNTIME_VIEW_SOLID_H
#define SN_RUNTIME_VIEW_SOLID_H

#include "host/contact/collider.h"
#include "host/model/model.h"

#define SN_SOLID_LIMIT 8
#define SN_SOLID_CELLS 96 /* default grid cells along the longest side */

typedef struct sn_solid {
    sn_grid *grid;
    sn_collider collider;
    sn_model *surface; /* for the renderer: one part, one bone with the identity transform, no modes */
} sn_solid;

/* Reads any surface file, in the coordinates of the file that `model` was cooked from. The surface is allocated in the
 * arena. Errors are logged. */
sn_result sn_solid_open(const char *path, int cells, const sn_model *model, sn_arena *arena, sn_solid *solid);
void sn_solid_close(sn_solid *solid);

typedef struct sn_solid_mesh {
    int vertex_count, triangle_count;
    const double *positions, *normals; /* (vertex_count x 3) */
    const int32_t *triangles;          /* (triangle_count x 3) referenced, not copied, by the built surface */
} sn_solid_mesh;
/* Builds a render model of a surface, in grey, in the arena. */
sn_result sn_solid_build_surface(const sn_solid_mesh *mesh, sn_arena *arena, sn_model **surface);

/* Bone matrix (identity) of a surface, for the renderer. */
extern const float sn_solid_transforms[12];

#endif
