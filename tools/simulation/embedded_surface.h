/* SPDX-License-Identifier: MIT */
/* The surface of a simulated body, embedded in its tets (sinew/surface.h), for rendering. */
#ifndef SN_TOOLS_SIMULATION_EMBEDDED_SURFACE_H
#define SN_TOOLS_SIMULATION_EMBEDDED_SURFACE_H

#include "host/model/embedding.h"

/* Zero it, open it, close it. */
typedef struct sn_embedded_surface {
    sn_embedding *embedding;
    int matrix_count;        /* bones, then tet vertices */
    double *positions;       /* (vertex_count x 3) simulated tet vertices */
    double *rig;             /* (vertex_count x 3) tet vertices moved by the rig alone */
    float *matrices;         /* (matrix_count x 12) */
    double *double_matrices; /* the same in double precision */
} sn_embedded_surface;

/* Arrays live in the arena. */
sn_result sn_embedded_surface_open(sn_embedded_surface *flesh, const sn_model *model, sn_arena *arena);
void sn_embedded_surface_close(sn_embedded_surface *flesh);
/* Computes the matrices from the bones (bone_count x 12) and the positions. */
void sn_embedded_surface_update(sn_embedded_surface *flesh, const double *bones);
/* Computes the surface under morph weights (morph_count): positions, and normals or null, (surface_vertex_count x 3).
 */
void sn_embedded_surface_positions(const sn_embedded_surface *flesh, const float *morphs, double *positions,
                                   double *normals);

#endif
