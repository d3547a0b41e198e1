/* SPDX-License-Identifier: MIT */
/* Greedy colouring of constraints given as lists of vertices: constraints of one colour share no vertex, so that they
 * can be solved in any order, or at once, with the same result.
 *
 * First fit over one set of bits a vertex: the colours of its constraints. A colour is found by the union of a few
 * sets, so adding and removing a constraint touch its own vertices alone, and an edit of the list recolours nothing
 * else. In mesh order first fit reaches the largest vertex valence, the lower bound, on meshes of characters (52 to 72
 * colours; lattices take up to 31 for 24); largest degree first gains nothing. Plain arrays, the same result
 * everywhere. */
#ifndef SN_HOST_MESH_COLOURING_H
#define SN_HOST_MESH_COLOURING_H

#include "host/base/base.h"

/* Of constraints that found no colour below the limit: they are solved one after the other. */
#define SN_COLOUR_SERIAL (-1)

typedef struct sn_colouring {
    int vertex_count;
    int word_count;   /* of a vertex's set: grows as colours do */
    int colour_limit; /* 0: none */
    int colour_count; /* the highest colour that has a constraint, and 1 */
    int serial_count; /* constraints without a colour */
    uint64_t *used;   /* (vertex_count x word_count) */
    int32_t *sizes;   /* (64 word_count) constraints of a colour */
} sn_colouring;

sn_result sn_colouring_init(sn_colouring *colouring, int vertex_count, int colour_limit);
void sn_colouring_finish(sn_colouring *colouring);

/* The lowest colour that none of the vertices has yet, or SN_COLOUR_SERIAL. Negative vertices are absent: so lists of
 * several lengths, and vertices that nothing moves, go in alike. */
sn_result sn_colouring_add(sn_colouring *colouring, const int32_t *vertices, int count, int32_t *colour);
/* With the colour that adding gave. */
void sn_colouring_remove(sn_colouring *colouring, const int32_t *vertices, int count, int32_t colour);

/* Adds constraints (constraint_count x corner_count) in order: colours (constraint_count). */
sn_result sn_colouring_add_all(sn_colouring *colouring, const int32_t *vertices, int corner_count, int constraint_count,
                               int32_t *colours);

/* Constraints by colour, the serial ones last: those of colour c are order[starts[c]] up to order[starts[c + 1]], in
 * their own order. starts is (colour_count + 2), order (constraint_count). */
void sn_colours_sort(const int32_t *colours, int constraint_count, int colour_count, int32_t *starts, int32_t *order);

#endif
