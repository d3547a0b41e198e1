/* SPDX-License-Identifier: MIT */
/* Faces that more than two tets share, which virtual nodes leave where layers part, are split. */
#ifndef SN_AUTHOR_MESHER_BRANCHES_H
#define SN_AUTHOR_MESHER_BRANCHES_H

#include "author/mesher/tets.h"

/* Splits all branches, and joins by a face what has none in common with the rest afterwards. */
sn_result sn_branches_clear(const sn_fragments *fragments, sn_tets *tets);

/* The split alone: adds nodes; afterwards no face has more than two tets. neighbours (tet_count x 4): the tet across
 * the face opposite each node, or -1. */
sn_result sn_branches_split(sn_tets *tets, int32_t *neighbours);

#endif
