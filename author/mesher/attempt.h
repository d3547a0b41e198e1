/* SPDX-License-Identifier: MIT */
/* One mesh at one resolution, and the search for the resolution. */
#ifndef SN_AUTHOR_MESHER_ATTEMPT_H
#define SN_AUTHOR_MESHER_ATTEMPT_H

#include "author/mesher/tets.h"

typedef struct sn_attempt {
    sn_arena arena;
    sn_lattice lattice;
    sn_piece_list pieces;
    sn_inside inside;
    sn_fragments fragments;
    sn_tets tets;
    int bridge_count;
} sn_attempt;

void sn_attempt_finish(sn_attempt *attempt);

/* Meshes with about the wanted number of nodes. SN_ERROR_CANCELLED as the input's hook says. */
sn_result sn_attempt_search(const sn_subject *subject, int target, sn_attempt *attempt);

/* The mesher, and beside it a plain lattice on which everything that meets in a tet is one: what virtual nodes are
 * worth is the difference of their reports. */
sn_result sn_mesher_run_as(const sn_mesher_input *input, bool is_plain, sn_arena *arena, sn_mesher_output *output);

#endif
