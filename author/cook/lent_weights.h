/* SPDX-License-Identifier: MIT */
/* Skinned vertices that a file gives no weights. */
#ifndef SN_AUTHOR_COOK_LENT_WEIGHTS_H
#define SN_AUTHOR_COOK_LENT_WEIGHTS_H

#include "author/io/scene_file.h"

/* Whose weights a vertex takes: *lenders (vertex_count) is itself, or, where it has none, the vertex with weights that
 * is the fewest edges away, of several the one from which a breadth-first search comes first; itself again where none
 * is connected with it. Vertices at one place are one, whatever seams split them. Null where all vertices have weights.
 * *lent_count: vertices with others' weights. SN_ERROR_MEMORY. */
sn_result sn_lend_weights(const sn_scene_primitive *primitive, sn_arena *arena, int32_t **lenders, int *lent_count);

#endif
