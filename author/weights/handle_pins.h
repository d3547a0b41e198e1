/* SPDX-License-Identifier: MIT */
/* Handles of a character (points, bones and cages) and the mesh vertices whose weights they fix. */
#ifndef SN_AUTHOR_WEIGHTS_HANDLE_PINS_H
#define SN_AUTHOR_WEIGHTS_HANDLE_PINS_H

#include "author/weights/simplices.h"

typedef enum sn_weight_handle_type {
    SN_WEIGHT_HANDLE_POINT, /* the vertex nearest to `start` */
    SN_WEIGHT_HANDLE_BONE,  /* the vertices near the segment from `start` to `end` */
    SN_WEIGHT_HANDLE_CAGE   /* a cage vertex at `start`; if no vertex lies on its faces or edges, the nearest one */
} sn_weight_handle_type;

typedef struct sn_weight_handle {
    sn_weight_handle_type type;
    double start[3], end[3];
    double
        radius; /* bones only, in the mesh's unit: pins all vertices within it; 0: pins a chain of nearest vertices */
} sn_weight_handle;

typedef struct sn_weight_handles {
    int count;
    const sn_weight_handle *handles; /* (count) */
    int cage_edge_count;
    const int32_t *cage_edges; /* (cage_edge_count x 2) cage handles, for 2D cages */
    int cage_triangle_count;
    const int32_t *cage_triangles; /* (cage_triangle_count x 3) cage handles, for 3D cages */
    const bool *is_prefilled;  /* (vertex_count) rows of weights that the caller has already filled, for example on a
                              cage;  null: none */
    const char *const *labels; /* (count) for messages; null: "handle 0" etc. */
} sn_weight_handles;

typedef struct sn_handle_pins {
    bool *is_pinned; /* (vertex_count) */
    int free_count;
    int unreached_count; /* components without a handle */
} sn_handle_pins;

/* Finds the pinned vertices and fills their rows of weights (vertex_count x handle count), which sum to one; other rows
 * are zero. Priority: points and single cage vertices, then cage faces (and rows filled by the caller), on which
 * weights are linear, then bones. A vertex near several bones belongs to the nearest one; equally near bones get equal
 * weights, as at joints. A component without a pinned vertex follows the nearest handle in space rigidly. A point, bone
 * or single cage vertex outside the mesh uses the nearest vertex, with a warning if it is farther than the longest edge
 * there. SN_ERROR_ARGUMENT: no handle; a handle that is not finite; a handle farther from the mesh than 10% of its
 * diagonal; two points with the same nearest vertex; a bone whose vertices were all taken by others; a cage face that
 * refers to other handles. */
sn_result sn_handle_pins_find(const sn_simplices *simplices, const sn_symmetric_rows *graph,
                              const sn_weight_handles *handles, const char *name, sn_arena *arena, double *weights,
                              sn_handle_pins *pins);

#endif
