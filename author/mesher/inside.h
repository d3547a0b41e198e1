/* SPDX-License-Identifier: MIT */
/* Which tets of the lattice lie inside the surface without touching it; where solids overlap, one copy for each. */
#ifndef SN_AUTHOR_MESHER_INSIDE_H
#define SN_AUTHOR_MESHER_INSIDE_H

#include "author/mesher/pieces.h"
#include "author/mesher/winding.h"

/* An inner tet of one solid; solid 0 is what only the surface as a whole encloses. */
typedef struct sn_copy {
    int32_t cell, solid;
    int32_t piece; /* of the surface piece that it was reached from: the nearest, about */
} sn_copy;

typedef struct sn_inside {
    int copy_count;
    sn_copy *copies; /* by cell, within a cell by solid; 0 comes last */
} sn_inside;

/* trees is (1 + solid_count): of everything, empty where all triangles bound solids, then of each solid. */
sn_result sn_inside_find(const sn_surface *surface, const sn_winding *trees, const sn_lattice *lattice,
                         const sn_piece_list *pieces, sn_arena *arena, sn_inside *inside);

/* Among the pieces of a solid (0: of anything) in the cell at `position` of the list, the one that a point inside is
 * nearest to; one that turns its outside to the point counts as a cell further away. -1: there is none. */
int32_t sn_inside_piece(const sn_surface *surface, const sn_lattice *lattice, const sn_piece_list *pieces, int position,
                        int32_t solid, const double *point);

#endif
