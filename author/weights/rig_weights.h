/* SPDX-License-Identifier: MIT */
/* Rig weights on the vertices of a tet mesh. */
#ifndef SN_AUTHOR_WEIGHTS_RIG_WEIGHTS_H
#define SN_AUTHOR_WEIGHTS_RIG_WEIGHTS_H

#include "author/io/rig/rig_file.h"
#include "host/mesh/tet_mesh.h"

typedef struct sn_rig_weights_input {
    const sn_tet_mesh *mesh;
    const double *gradients; /* (tet_count x 4 x 3) */
    const double *volumes;   /* (tet_count) */
    const int32_t *boundary; /* (boundary_count x 3) */
    int boundary_count;
    const sn_rig_file *rig;
    const int32_t *old_index; /* (vertex_count) indices of the vertices in the file; null: none was removed */
    const char *name;         /* the rig's file name, for messages */
} sn_rig_weights_input;

/* Computes weights (vertex_count x bone_count) in [0,1] whose rows sum to 1. Volume rigs are copied vertex by vertex.
 * Surface rigs are matched to the boundary by position; unmatched vertices are harmonic (L w = 0). Rows are normalized
 * last, as in the reference; the other order differs by 2e-3 inside. Returns SN_ERROR_FORMAT if a volume rig has a
 * different number of vertices or different positions, or if fewer than half of the boundary vertices match. */
sn_result sn_rig_weights_build(const sn_rig_weights_input *input, double *weights);

/* Clamps a row to >= 0 and divides it by its sum. Returns false if the sum is 0. */
bool sn_weights_normalise(double *row, int bone_count);

#endif
