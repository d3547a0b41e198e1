/* SPDX-License-Identifier: MIT */
/* Fills in weights of skinned vertices that have none in the file. */
#ifndef SN_AUTHOR_IMPORT_FILL_MISSING_WEIGHTS_H
#define SN_AUTHOR_IMPORT_FILL_MISSING_WEIGHTS_H

#include "author/io/scene_file.h"

/* The vertex whose weights each vertex uses: itself, or, if it has no weights, the vertex with weights that is the
 * fewest edges away (the first in breadth-first order). Vertices at one position count as one, across seams. A vertex
 * that is connected to none with weights maps to itself. */
typedef struct sn_weight_sources {
    int32_t *weight_vertices; /* (vertex_count), or null: all vertices have weights */
    int filled_count;         /* vertices that use the weights of another */
    int unfilled_count;       /* vertices of triangles that remain without weights */
} sn_weight_sources;

/* Errors: SN_ERROR_MEMORY. */
sn_result sn_fill_missing_weights(const sn_scene_primitive *primitive, sn_arena *arena, sn_weight_sources *result);

#endif
