/* SPDX-License-Identifier: MIT */
/* Modes for what hangs loose, beside those of a body of which all is held. */
#ifndef SN_AUTHOR_MODES_REDUCED_LOOSE_MODES_H
#define SN_AUTHOR_MODES_REDUCED_LOOSE_MODES_H

#include "author/modes/modes.h"

typedef struct sn_loose_modes_input {
    const sn_tet_mesh *mesh;
    const double *volumes; /* (tet_count) */
    const double *mass;    /* (vertex_count), that of the modes */
    const bool *is_pinned; /* (vertex_count); null: nothing is */
    const double *shares;  /* (vertex_count x chain_count) 0 .. 1: of a vertex, what each chain of loose bones moves */
    int chain_count;       /* > 0 */
    int most;              /* modes that are added, at most; > 0 */
} sn_loose_modes_input;

/* Adds to modes of the same mesh, stiffness and pins how the flesh of each chain gives way where it is pushed as a
 * whole: load-dependent Ritz vectors, which are 0 where chains move less than a quarter of a vertex. W^T M W = 1 over
 * all modes; over what is added, less what the modes can do already, W^T H W is diagonal. All are in ascending order,
 * but the eigenvalues of what is added, which hangs on little, are raised by the same factor until the lowest is the
 * lowest of the modes: fewer modes than all are to be some of each, and clusters not all where it is softest. Nothing
 * where no vertex is a chain's. */
sn_result sn_modes_add_loose(const sn_loose_modes_input *input, sn_arena *arena, sn_modes *modes);

#endif
