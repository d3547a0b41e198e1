/* SPDX-License-Identifier: MIT */
/* Modes for the response of flesh to morph targets: load-dependent Ritz vectors in addition to the eigenmodes. */
#ifndef SN_AUTHOR_MODES_REDUCED_TARGET_MODES_H
#define SN_AUTHOR_MODES_REDUCED_TARGET_MODES_H

#include "author/modes/modes.h"

typedef struct sn_target_modes_input {
    const sn_tet_mesh *mesh;
    const double *volumes;    /* (tet_count) */
    const double *mass;       /* (vertex_count) mass of the modes */
    const double *fields;     /* (vertex_count x 3 field_count) displacements: x, y, z of each field */
    const double *importance; /* (field_count) in [0, 1] */
    int field_count;
    int max_count; /* largest number of modes to add */
} sn_target_modes_input;

/* Adds the principal directions of the flesh's response to the fields, as many as are significant, at most `max_count`.
 * The modes must come from the same mesh and constraint. A w = 0, and W^T M W = 1 over all modes; over the added ones
 * W^T H W = diag(eigenvalues). All modes are sorted by w^T H w; the added ones come after smooth modes, which are the
 * lowest of the same problem. */
sn_result sn_modes_add_targets(const sn_target_modes_input *input, const sn_constraint *constraint, sn_arena *arena,
                               sn_modes *modes);

#endif
