/* SPDX-License-Identifier: MIT */
/* Greedy colouring of constraints that are given as lists of vertices. Constraints of one colour share no vertex, so
 * that they can be solved in any order, or in parallel, with the same result.
 *
 * First fit over one bit set per vertex: the colours of its constraints. Finding a colour is a union of a few sets.
 * Adding or removing a constraint touches only its own vertices, and never recolours others. In mesh order, first fit
 * reaches the lower bound, the max vertex valence, on meshes of characters; largest degree first does not improve it.
 * Deterministic. */
#ifndef SN_HOST_MESH_COLOURING_H
#define SN_HOST_MESH_COLOURING_H

#include "host/base/base.h"

/* Colour of constraints for which all colours are used; they are solved serially. */
#define SN_COLOUR_SERIAL (-1)

typedef struct sn_colouring {
    int vertex_count;
    int word_count;   /* words per vertex; grows with the number of colours */
    int colour_limit; /* max number of colours; 0: unlimited */
    int colour_count; /* 1 + the highest colour in use */
    int serial_count; /* constraints without a colour */
    uint64_t *used;   /* (vertex_count x word_count) */
    int32_t *sizes;   /* (64 word_count) number of constraints per colour */
} sn_colouring;

sn_result sn_colouring_init(sn_colouring *colouring, int vertex_count, int colour_limit);
void sn_colouring_finish(sn_colouring *colouring);

/* Returns the lowest colour that none of the vertices uses, or SN_COLOUR_SERIAL. Negative vertices are skipped, which
 * allows lists of different lengths and fixed vertices. */
sn_result sn_colouring_add(sn_colouring *colouring, const int32_t *vertices, int count, int32_t *colour);
/* Removes a constraint with the colour that adding it returned. */
void sn_colouring_remove(sn_colouring *colouring, const int32_t *vertices, int count, int32_t colour);

/* Adds constraints (constraint_count x corner_count) in order; writes colours (constraint_count). */
sn_result sn_colouring_add_all(sn_colouring *colouring, const int32_t *vertices, int corner_count, int constraint_count,
                               int32_t *colours);

/* Sorts constraints by colour, the serial ones last: those of colour c are order[starts[c]] to order[starts[c + 1]] in
 * their own order. starts is (colour_count + 2), order (constraint_count). */
void sn_colours_sort(const int32_t *colours, int constraint_count, int colour_count, int32_t *starts, int32_t *order);

#endif
