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
    const int32_t *old_index; /* (vertex_count) the vertices' indices in the file, or null where none was removed */
    const char *name;         /* the rig's file, for messages */
} sn_rig_weights_input;

/* weights (vertex_count x bone_count), in [0,1], rows sum to 1. Volume rigs are taken vertex by vertex. Surface rigs
 * are matched by position to the boundary, and the rest is harmonic: L w = 0 where unmatched; rows are normalised last
 * (the reference's order: the other one is 2e-3 off inside). SN_ERROR_FORMAT where a volume rig has another number of
 * vertices or lies elsewhere, or where fewer than half of the boundary finds its vertex. */
sn_result sn_rig_weights_build(const sn_rig_weights_input *input, double *weights);

/* Clamps a row to >= 0 and divides it by its sum; false for a row without weight. */
bool sn_weights_normalise(double *row, int bone_count);

#endif
