/* SPDX-License-Identifier: MIT */
/* Cages: closed surfaces around a body whose vertices deform the interior. */
#ifndef SN_AUTHOR_WEIGHTS_CAGE_H
#define SN_AUTHOR_WEIGHTS_CAGE_H

#include "author/weights/handle_pins.h"

/* One or more closed cages, each oriented consistently outwards or inwards. A surface vertex is a cage vertex, or the
 * center of a face with more than three corners, which weights these corners equally. */
typedef struct sn_cages {
    const char *name; /* for messages */
    sn_tri_mesh surface;
    const int32_t *handle_starts; /* (surface.vertex_count + 1) */
    const int32_t *handles; /* (handle_starts[surface.vertex_count]) weight columns of a vertex, in equal fractions */
    const char *const *labels; /* (surface.vertex_count) for messages */
} sn_cages;

/* The interior of the cages as tets. Weights are computed here and interpolated to the body, because a coarse cage has
 * no face near most of the body's vertices. */
typedef struct sn_cage_inside {
    sn_tet_mesh tets;
    bool *is_fixed;  /* (tets.vertex_count) vertex outside the cage, with the weights of the nearest face */
    double *weights; /* (tets.vertex_count x column count) rows of these vertices; weights are linear on faces */
} sn_cage_inside;

/* Returns SN_ERROR_ARGUMENT if faces cross each other, or if a vertex of the body lies outside by more than 2% of the
 * cages' diagonal; also the errors of sn_mesher_run. */
sn_result sn_cage_inside_build(const sn_cages *cages, const sn_tet_mesh *body, bool (*is_cancelled)(void *user),
                               void *cancel_user, int column_count, sn_arena *arena, sn_cage_inside *inside);

/* Interpolates the weights, now complete, at the body's vertices: result (body->vertex_count x column_count). Row sums
 * are preserved. */
sn_result sn_cage_interpolate(const sn_cage_inside *inside, const sn_tet_mesh *body, int column_count, double *result);

#endif
