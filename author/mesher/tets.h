/* SPDX-License-Identifier: MIT */
/* From joined fragments to a tet mesh, and what is known on it. */
#ifndef SN_AUTHOR_MESHER_TETS_H
#define SN_AUTHOR_MESHER_TETS_H

#include "author/mesher/fragments.h"

/* The mesh in unit coordinates. */
typedef struct sn_tets {
    int node_count, tet_count;
    int node_capacity;      /* of the positions */
    double *positions;      /* (node_count x 3) */
    int32_t *nodes;         /* (tet_count x 4) */
    int32_t *cells;         /* (tet_count) positions among the fragments' cells */
    int32_t *fragment_tets; /* (fragment_count) */
} sn_tets;

/* Numbers nodes and tets in the order of cells. Fragments that share all four nodes are one tet. */
sn_result sn_tets_build(sn_fragments *fragments, sn_arena *arena, sn_tets *tets);

/* The tet that holds a piece of the surface. */
static inline int32_t sn_tets_of_piece(const sn_fragments *fragments, const sn_tets *tets, int32_t piece)
{
    return tets->fragment_tets[fragments->element_fragments[fragments->piece_elements[piece]]];
}

/* Embeds the surface's vertices: vertex_tets (vertex_count), weights (vertex_count x 4). Vertices at one place, to the
 * bit, get the same; vertices that no triangle uses, the middle of tet 0. */
sn_result sn_tets_embed(const sn_fragments *fragments, const sn_tets *tets, int32_t *vertex_tets, double *weights);

/* The nearest point of the surface inside the node's own tets: triangles (node_count), -1 where they hold none, of the
 * surface, whose corners barycentric (node_count x 3) refers to. */
sn_result sn_tets_nearest(const sn_fragments *fragments, const sn_tets *tets, int32_t *triangles, double *barycentric);

/* fill (tet_count): the share of the volume that is inside, with a floor. */
sn_result sn_tets_fill(const sn_fragments *fragments, const sn_tets *tets, double *fill);

/* Barycentric coordinates of a point, unit coordinates, in a tet. */
void sn_tets_weights(const sn_tets *tets, int32_t tet, const double *point, double *weights);

#endif
