/* SPDX-License-Identifier: MIT */
/* Virtual nodes: a tet of the lattice is duplicated for each part of the character in it that moves independently. */
#ifndef SN_AUTHOR_MESHER_FRAGMENTS_H
#define SN_AUTHOR_MESHER_FRAGMENTS_H

#include "author/mesher/inside.h"
#include "author/mesher/motion.h"

/* Input that the attempts at all resolutions share. */
typedef struct sn_mesher_context {
    sn_surface surface;
    sn_winding *trees; /* (1 + solid_count); index 0: all triangles */
    sn_motion tests, clips;
} sn_mesher_context;

/* A connected patch of the surface inside one cell, or a solid's copy of an interior cell. */
typedef struct sn_element {
    int32_t piece;    /* one piece of the patch; for a copy, the piece whose skinning it uses */
    int32_t solid;    /* solid of a copy; -1: a patch */
    double area;      /* area of a patch */
    double centre[3]; /* unit coordinates */
} sn_element;

/* A lattice with its elements and fragments. Cells are identified by their index in `cells`, which lists the lattice
 * cells that contain elements, ascending. */
typedef struct sn_fragments {
    const sn_mesher_context *context;
    const sn_lattice *lattice;
    const sn_piece_list *pieces;
    int cell_count;
    int32_t *cells;      /* (cell_count) lattice cell */
    int32_t *positions;  /* (lattice's cell_count) index in `cells`, or -1 */
    int32_t *nodes;      /* (cell_count x 4) lattice nodes */
    int32_t *neighbours; /* (cell_count x 4) index in `cells`, or -1 */
    int element_count;
    sn_element *elements;    /* (element_count) sorted by cell, patches first */
    int32_t *element_starts; /* (cell_count + 1) */
    float *moved; /* (element_count x 3 x pose_count) posed centers; null without a skin; not computed for copies that
                     are the only element of their cell */
    int32_t *piece_elements;    /* (pieces' count) */
    int32_t *element_fragments; /* (element_count) */
    int fragment_count;
    int32_t *fragment_starts; /* (cell_count + 1) */
    int32_t *fragment_cells;  /* (fragment_count) index in `cells` */
    int32_t *corner_sets;     /* (4 fragment_count) disjoint sets of the fragments' corners: one set becomes one node */
    int32_t *component_sets;  /* (fragment_count) disjoint sets of fragments connected by faces */
} sn_fragments;

/* Finds elements, groups them into fragments, and joins fragments inside cells and across faces. */
sn_result sn_fragments_build(const sn_mesher_context *context, const sn_lattice *lattice, const sn_piece_list *pieces,
                             const sn_inside *inside, sn_arena *arena, sn_fragments *fragments);

/* Joins two fragments of neighbouring cells across face k of the first one's cell. */
void sn_fragments_link(sn_fragments *fragments, int32_t a, int k, int32_t b);

/* Makes two fragments of one cell the same tet. */
void sn_fragments_merge(sn_fragments *fragments, int32_t a, int32_t b);

static inline const float *sn_fragments_moved(const sn_fragments *f, int32_t element)
{
    return f->moved + 3 * (size_t)f->context->tests.pose_count * (size_t)element;
}

#endif
