/* SPDX-License-Identifier: MIT */
/* Repairs non-manifold faces, which more than two tets share. Virtual nodes create them where layers of surface
 * separate. */
#ifndef SN_AUTHOR_MESHER_NONMANIFOLD_H
#define SN_AUTHOR_MESHER_NONMANIFOLD_H

#include "author/mesher/tets.h"

/* Splits all non-manifold faces. Components that the split separates are reconnected by a shared face. */
sn_result sn_nonmanifold_repair(const sn_fragments *fragments, sn_tets *tets);

/* Only splits: adds nodes until no face has more than two tets. neighbours (tet_count x 4) receives the tet across the
 * face opposite each node, or -1. */
sn_result sn_nonmanifold_split(sn_tets *tets, int32_t *neighbours);

#endif
