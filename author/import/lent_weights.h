/* SPDX-License-Identifier: MIT */
/* Skinned vertices that a file gives no weights. */
#ifndef SN_AUTHOR_IMPORT_LENT_WEIGHTS_H
#define SN_AUTHOR_IMPORT_LENT_WEIGHTS_H

#include "author/io/scene_file.h"

/* Whose weights vertices take: lenders[v] (vertex_count) is v itself, or, where it has none, the vertex with weights
 * that is the fewest edges away, of several the one from which a breadth-first search comes first; itself again where
 * none is connected with it. Vertices at one place are one, whatever seams split them. */
typedef struct sn_lent_weights {
    int32_t *lenders; /* null: all vertices have weights */
    int lent_count;   /* vertices with others' weights */
    int left_count;   /* vertices of triangles that have none after all */
} sn_lent_weights;

/* SN_ERROR_MEMORY. */
sn_result sn_lend_weights(const sn_scene_primitive *primitive, sn_arena *arena, sn_lent_weights *lent);

#endif
