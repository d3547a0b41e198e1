/* SPDX-License-Identifier: MIT */
/* Modes for what morph targets do to flesh: load-dependent Ritz vectors beside the eigenmodes. */
#ifndef SN_AUTHOR_MODES_REDUCED_TARGET_MODES_H
#define SN_AUTHOR_MODES_REDUCED_TARGET_MODES_H

#include "author/modes/modes.h"

typedef struct sn_target_modes_input {
    const sn_tet_mesh *mesh;
    const double *volumes;    /* (tet_count) */
    const double *mass;       /* (vertex_count), that of the modes */
    const double *fields;     /* (vertex_count x 3 field_count) displacements: x, y, z of each field */
    const double *importance; /* (field_count) 0 .. 1 */
    int field_count;
    int most; /* modes that are added, at most */
} sn_target_modes_input;

/* Adds to modes that were found under the same constraint, on the same mesh, the main directions of how flesh lags
 * behind the fields, as many as are worth it, at most `most`: A w = 0, W^T M W = 1 over all modes, and over those that
 * are added W^T H W = diag(eigenvalues). All are in ascending order of w^T H w; beside smooth modes, which are the
 * lowest of the same problem, what is added comes last. */
sn_result sn_modes_add_targets(const sn_target_modes_input *input, const sn_constraint *constraint, sn_arena *arena,
                               sn_modes *modes);

#endif
