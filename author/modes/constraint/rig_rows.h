/* SPDX-License-Identifier: MIT */
/* The rows of J^T M D u = 0 on one axis of displacements u: what the full space holds, and what coordinates are held to
 * where modes are not. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_RIG_ROWS_H
#define SN_AUTHOR_MODES_CONSTRAINT_RIG_ROWS_H

#include "author/modes/modes.h"

typedef struct sn_rig_rows_input {
    const sn_tet_mesh *mesh;
    const double *mass, *leak; /* (vertex_count) */
    const double *rig_weights; /* (vertex_count x bone_count) */
    int bone_count;
    const bool *is_translated; /* (bone_count) what only translations move: J has g_b alone; null: nothing */
} sn_rig_rows_input;

/* Independent rows, of unit norm in M^-1: at most 4 a bone, one for a bone that is only translated. */
sn_result sn_rig_rows_build(const sn_rig_rows_input *in, sn_arena *arena, sn_constraint *rows);

#endif
