/* SPDX-License-Identifier: MIT */
/* The rows of J^T M D u = 0 on one axis of displacements u: constraints of the full space, and of the coordinates if
 * the modes are not constrained. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_RIG_ROWS_H
#define SN_AUTHOR_MODES_CONSTRAINT_RIG_ROWS_H

#include "author/modes/modes.h"

typedef struct sn_rig_rows_input {
    const sn_tet_mesh *mesh;
    const double *mass, *leak; /* (vertex_count) */
    const double *rig_weights; /* (vertex_count x bone_count) */
    int bone_count;
    const bool *is_translated; /* (bone_count) bones that only translate, for which J has g_b alone; null: none */
} sn_rig_rows_input;

/* Builds independent rows of unit norm in M^-1: at most 4 per bone, 1 for a bone that only translates. */
sn_result sn_rig_rows_build(const sn_rig_rows_input *in, sn_arena *arena, sn_constraint *rows);

#endif
