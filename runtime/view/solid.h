/* SPDX-License-Identifier: MIT */
/* A surface of a file as a collider that stands still, and as what is drawn of it. */
#ifndef SN_RUNTIME_VIEW_SOLID_H
#define SN_RUNTIME_VIEW_SOLID_H

#include "host/contact/collider.h"
#include "host/model/model.h"

#define SN_SOLID_LIMIT 8
#define SN_SOLID_CELLS 96 /* of a grid along its longest side, unless said */

typedef struct sn_solid {
    sn_grid *grid;
    sn_collider collider;
    sn_model *surface; /* to draw: one part, one bone, no modes; the identity is its transform */
} sn_solid;

/* Reads any surface file, in the coordinates of the file that `model` was cooked from. What is drawn lives in the
 * arena. Errors are one line. */
sn_result sn_solid_open(const char *path, int cells, const sn_model *model, sn_arena *arena, sn_solid *solid);
void sn_solid_close(sn_solid *solid);

typedef struct sn_solid_mesh {
    int vertex_count, triangle_count;
    const double *positions, *normals; /* (vertex_count x 3) */
    const int32_t *triangles;          /* (triangle_count x 3); borrowed by what is drawn */
} sn_solid_mesh;
/* What is drawn of a surface, in grey, as a model in the arena. */
sn_result sn_solid_surface(const sn_solid_mesh *mesh, sn_arena *arena, sn_model **surface);

/* Bones of the surface: what a renderer takes as its transforms. */
extern const float sn_solid_transforms[12];

#endif
