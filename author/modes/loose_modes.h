/* SPDX-License-Identifier: MIT */
/* Modes for what hangs loose, beside those of a body of which all is held. */
#ifndef SN_AUTHOR_MODES_LOOSE_MODES_H
#define SN_AUTHOR_MODES_LOOSE_MODES_H

#include "author/modes/modes.h"

typedef struct sn_loose_modes_input {
    const sn_tet_mesh *mesh;
    const double *volumes; /* (tet_count) */
    const double *mass;    /* (vertex_count), that of the modes */
    const bool *is_pinned; /* (vertex_count); null: nothing is */
    const sn_modes *loose; /* eigenmodes under fewer rows, of the same mesh, stiffness and pins */
    int most;              /* modes that are added, at most; > 0 */
} sn_loose_modes_input;

/* Adds to modes the main directions of what they leave of the loose ones, the softer the more: W^T M W = 1 over all
 * modes, which keep the rows of the loose ones where they keep their own, as those contain them; over what is added W^T
 * H W is diagonal. All are in ascending order, but the eigenvalues of what is added, which hangs on little, are raised
 * by the same factor until the lowest is the lowest of the modes: fewer modes than all are to be some of each, and
 * clusters not all where it is softest. */
sn_result sn_modes_add_loose(const sn_loose_modes_input *input, sn_arena *arena, sn_modes *modes);

#endif
