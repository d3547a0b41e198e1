/* SPDX-License-Identifier: MIT */
/* The quadratic form of the squared Laplacian over a mesh, split into free and pinned vertices. */
#ifndef SN_AUTHOR_WEIGHTS_BILAPLACIAN_H
#define SN_AUTHOR_WEIGHTS_BILAPLACIAN_H

#include "author/sparse/sparse.h"
#include "author/weights/simplices.h"

/* K = L M^-1 L. Pinned vertices come in the order of their numbers. */
typedef struct sn_bilaplacian {
    sn_sparse free; /* K over the free vertices, plus a shift on the diagonal */
    int pin_count;
    int32_t *pin_starts; /* (pin_count + 1) */
    int32_t *pin_rows;   /* (pin_starts[pin_count]) free vertices */
    double *pin_values;  /* K between them and the pinned vertex */
} sn_bilaplacian;

/* free_index (vertex_count): the vertex's place among the free ones, or -1: pinned. shift (vertex_count) is added to
 * the diagonal. */
sn_result sn_bilaplacian_build(const sn_symmetric_rows *laplacian, const double *mass, const int32_t *free_index,
                               const double *shift, sn_arena *arena, sn_bilaplacian *bilaplacian);

/* Sum over the columns of w^T K w / 2 for weights (size x column_count). */
sn_result sn_bilaplacian_energy(const sn_symmetric_rows *laplacian, const double *mass, int column_count,
                                const double *weights, double *energy);

#endif
