/* SPDX-License-Identifier: MIT */
/* Modes for chains of soft bones, in addition to the modes of the body with all bones fixed. */
#ifndef SN_AUTHOR_MODES_REDUCED_SOFT_BONE_MODES_H
#define SN_AUTHOR_MODES_REDUCED_SOFT_BONE_MODES_H

#include "author/modes/modes.h"

typedef struct sn_soft_bone_modes_input {
    const sn_tet_mesh *mesh;
    const double *volumes;       /* (tet_count) */
    const double *mass;          /* (vertex_count) mass of the modes */
    const bool *is_pinned;       /* (vertex_count); null: none */
    const double *chain_weights; /* (vertex_count x chain_count) in [0, 1]: weight of each chain of soft bones */
    int chain_count;             /* > 0 */
    int max_count;               /* largest number of modes to add; > 0 */
} sn_soft_bone_modes_input;

/* Adds load-dependent Ritz vectors to modes of the same mesh, stiffness and pins: the response of each chain's flesh to
 * a uniform push. They are 0 where chains have less than 25% of a vertex. W^T M W = 1 holds over all modes, and W^T H W
 * is diagonal over the added ones, orthogonalised against the others. All modes are sorted by eigenvalue. The
 * eigenvalues of the added modes are scaled by one factor so that their lowest equals the lowest of the modes, since
 * leading subsets should contain some of each, and clusters should not concentrate where the flesh is softest. Adds
 * nothing if no vertex belongs to a chain. */
sn_result sn_modes_add_soft_bones(const sn_soft_bone_modes_input *input, sn_arena *arena, sn_modes *modes);

#endif
