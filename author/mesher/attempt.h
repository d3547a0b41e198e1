/* SPDX-License-Identifier: MIT */
/* Builds a mesh at one lattice resolution and searches for the resolution that meets the target vertex count. */
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

/* Searches for the cell size that gives about `target` nodes. Returns SN_ERROR_CANCELLED if the input's is_cancelled
 * callback requests it. */
sn_result sn_attempt_search(const sn_mesher_context *context, int target, sn_attempt *attempt);

/* Runs the mesher. If merge_parts is true, all parts that meet in a lattice tet are merged, so there are no virtual
 * nodes. Benchmarks compare the two reports. */
sn_result sn_mesher_run_variant(const sn_mesher_input *input, bool merge_parts, sn_arena *arena,
                                sn_mesher_output *output);

#endif
