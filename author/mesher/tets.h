/* SPDX-License-Identifier: MIT */
/* Converts joined fragments to a tet mesh, and computes the mesher's per-vertex and per-tet outputs. */
#ifndef SN_AUTHOR_MESHER_TETS_H
#define SN_AUTHOR_MESHER_TETS_H

#include "author/mesher/fragments.h"

/* The mesh in unit coordinates. */
typedef struct sn_tets {
    int node_count, tet_count;
    int node_capacity;      /* capacity of `positions` */
    double *positions;      /* (node_count x 3) */
    int32_t *nodes;         /* (tet_count x 4) */
    int32_t *cells;         /* (tet_count) index in the fragments' `cells` */
    int32_t *fragment_tets; /* (fragment_count) */
} sn_tets;

/* Numbers nodes and tets in the order of cells. Fragments that share all four nodes become one tet. */
sn_result sn_tets_build(sn_fragments *fragments, sn_arena *arena, sn_tets *tets);

/* Returns the tet that contains a surface piece. */
static inline int32_t sn_tets_of_piece(const sn_fragments *fragments, const sn_tets *tets, int32_t piece)
{
    return tets->fragment_tets[fragments->element_fragments[fragments->piece_elements[piece]]];
}

/* Embeds the surface's vertices: vertex_tets (vertex_count), weights (vertex_count x 4). Vertices with identical
 * positions and similar skinning get the same result. Unused vertices get the center of tet 0. */
sn_result sn_tets_embed(const sn_fragments *fragments, const sn_tets *tets, int32_t *vertex_tets, double *weights);

/* Finds the nearest surface point inside each node's own tets: triangles (node_count), -1 where the tets contain none,
 * and barycentric (node_count x 3). */
sn_result sn_tets_nearest(const sn_fragments *fragments, const sn_tets *tets, int32_t *triangles, double *barycentric);

/* fill (tet_count): fraction of the volume that is inside, at least 0.05. */
sn_result sn_tets_fill(const sn_fragments *fragments, const sn_tets *tets, double *fill);

/* Computes the barycentric coordinates in a tet of a point in unit coordinates. */
void sn_tets_weights(const sn_tets *tets, int32_t tet, const double *point, double *weights);

#endif
