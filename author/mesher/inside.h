/* SPDX-License-Identifier: MIT */
/* Finds the lattice tets that lie inside the surface without touching it. Where solids overlap, each solid gets its own
 * copy. */
#ifndef SN_AUTHOR_MESHER_INSIDE_H
#define SN_AUTHOR_MESHER_INSIDE_H

#include "author/mesher/pieces.h"
#include "author/mesher/winding.h"

/* An interior tet of one solid. Solid 0 is the volume that only the complete surface encloses. */
typedef struct sn_interior_copy {
    int32_t cell, solid;
    int32_t piece; /* approximately the nearest surface piece: the one from which the tet was reached */
} sn_interior_copy;

typedef struct sn_inside {
    int copy_count;
    sn_interior_copy *copies; /* sorted by cell, then by solid; solid 0 comes last */
} sn_inside;

/* trees (1 + solid_count): winding number trees of all triangles (empty if every triangle bounds a solid), then of each
 * solid. */
sn_result sn_inside_find(const sn_surface *surface, const sn_winding *trees, const sn_lattice *lattice,
                         const sn_piece_list *pieces, sn_arena *arena, sn_inside *inside);

/* Returns the piece of a solid (0: any piece) in cell number `slot` of the piece list that is nearest to a point
 * inside. Pieces that face away from the point count as one cell size further away. Returns -1 if there is none. */
int32_t sn_inside_piece(const sn_surface *surface, const sn_lattice *lattice, const sn_piece_list *pieces, int slot,
                        int32_t solid, const double *point);

#endif
