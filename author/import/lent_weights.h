/* SPDX-License-Identifier: MIT */
/* Fills in weights of skinned vertices that have none in the file. */
#ifndef SN_AUTHOR_IMPORT_LENT_WEIGHTS_H
#define SN_AUTHOR_IMPORT_LENT_WEIGHTS_H

#include "author/io/scene_file.h"

/* The vertex whose weights each vertex uses: itself, or, if it has no weights, the vertex with weights that is the
 * fewest edges away (the first in breadth-first order). Vertices at one position count as one, across seams. A vertex
 * that is connected to none with weights maps to itself. */
typedef struct sn_lent_weights {
    int32_t *lenders; /* (vertex_count), or null: all vertices have weights */
    int lent_count;   /* vertices that use the weights of another */
    int left_count;   /* vertices of triangles that remain without weights */
} sn_lent_weights;

/* Errors: SN_ERROR_MEMORY. */
sn_result sn_lend_weights(const sn_scene_primitive *primitive, sn_arena *arena, sn_lent_weights *lent);

#endif
