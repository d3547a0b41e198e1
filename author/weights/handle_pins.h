/* SPDX-License-Identifier: MIT */
/* Handles of a character: points, bones and cages, and the mesh vertices whose weights they fix. */
#ifndef SN_AUTHOR_WEIGHTS_HANDLE_PINS_H
#define SN_AUTHOR_WEIGHTS_HANDLE_PINS_H

#include "author/weights/simplices.h"

typedef enum sn_weight_handle_kind {
    SN_WEIGHT_HANDLE_POINT, /* the vertex nearest to `start` */
    SN_WEIGHT_HANDLE_BONE,  /* the vertices near the segment from `start` to `end` */
    SN_WEIGHT_HANDLE_CAGE /* a cage's vertex at `start`; without any vertex on its faces or along its edges, the nearest
                             one */
} sn_weight_handle_kind;

typedef struct sn_weight_handle {
    sn_weight_handle_kind kind;
    double start[3], end[3];
    double radius; /* of a bone, in the mesh's unit: all vertices within it; 0: a chain of nearest vertices along it */
} sn_weight_handle;

typedef struct sn_weight_handles {
    int count;
    const sn_weight_handle *handles; /* (count) */
    int cage_edge_count;
    const int32_t *cage_edges; /* (cage_edge_count x 2) cage handles: 2D cages */
    int cage_triangle_count;
    const int32_t *cage_triangles; /* (cage_triangle_count x 3) cage handles: 3D cages */
    const bool *is_given; /* (vertex_count) rows of weights that the caller has filled, as of vertices on a cage that
                             the mesh was made for; null: none */
    const char *const *labels; /* (count) for messages; null: "handle 0" and on */
} sn_weight_handles;

typedef struct sn_handle_pins {
    bool *is_pinned; /* (vertex_count) */
    int free_count;
    int lone_count; /* components that no handle reached */
} sn_handle_pins;

/* Rows of weights (vertex_count x handle count) at pinned vertices sum to one; the others are zero. Points and lone
 * cage vertices are the strongest, then cage faces (and given rows), on which weights are linear, then bones: a vertex
 * that more than one bone has goes to the nearest, in equal shares to equally near ones, as at joints. A component
 * without any pinned vertex goes as a whole to the handle that is nearest in space: where nothing else says so, it is
 * rigid. A point, bone or lone cage vertex outside the mesh takes the nearest vertex, with a warning beyond the length
 * of the edges there. SN_ERROR_ARGUMENT: no handle; one that is not finite; one farther from the mesh than a tenth of
 * its diagonal and those edges; two points at one vertex; a bone whose vertices all went to others; a cage face of
 * handles that are not its vertices. */
sn_result sn_handle_pins_find(const sn_simplices *simplices, const sn_symmetric_rows *graph,
                              const sn_weight_handles *handles, const char *name, sn_arena *arena, double *weights,
                              sn_handle_pins *pins);

#endif
