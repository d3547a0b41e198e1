/* SPDX-License-Identifier: MIT */
/* Cages: closed surfaces around a body, whose vertices move what is inside. */
#ifndef SN_AUTHOR_WEIGHTS_CAGE_H
#define SN_AUTHOR_WEIGHTS_CAGE_H

#include "author/weights/handle_pins.h"

/* One or more cages, each closed, its faces turned alike: to the outside, or all to the inside. A vertex of the surface
 * is one of the cages' or the middle of a face of more than three corners, which has the same weight for each. */
typedef struct sn_cages {
    const char *name; /* for messages */
    sn_tri_mesh surface;
    const int32_t *handle_starts; /* (surface.vertex_count + 1) */
    const int32_t *handles;       /* (handle_starts[surface.vertex_count]) the columns of weights of a vertex, in equal
                                     shares */
    const char *const *labels;    /* (surface.vertex_count) for messages */
} sn_cages;

/* What is inside of the cages, as tets. Weights are found there, and carried to the body: a coarse cage has no face
 * near any of the body's vertices. */
typedef struct sn_cage_inside {
    sn_tet_mesh tets;
    bool *is_held;   /* (tets.vertex_count) outer vertices: those of the faces in front of them */
    double *weights; /* (tets.vertex_count x column count) their rows; on faces weights are linear */
} sn_cage_inside;

/* SN_ERROR_ARGUMENT where faces cross each other, or where a vertex of the body lies outside by more than a fiftieth of
 * the cages' diagonal; errors of sn_mesher_run. */
sn_result sn_cage_inside_build(const sn_cages *cages, const sn_tet_mesh *body, bool (*is_cancelled)(void *user),
                               void *cancel_user, int column_count, sn_arena *arena, sn_cage_inside *inside);

/* The weights, now of all vertices, at the body's: result (body->vertex_count x column_count), rows that sum to what
 * theirs do. */
sn_result sn_cage_carry(const sn_cage_inside *inside, const sn_tet_mesh *body, int column_count, double *result);

#endif
