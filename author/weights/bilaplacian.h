/* SPDX-License-Identifier: MIT */
/* The quadratic form of the squared Laplacian over a mesh: K = L M^-1 L. */
#ifndef SN_AUTHOR_WEIGHTS_BILAPLACIAN_H
#define SN_AUTHOR_WEIGHTS_BILAPLACIAN_H

#include "author/sparse/sparse.h"
#include "author/weights/simplices.h"

/* K over the free vertices, plus a shift on the diagonal. free_index (vertex_count): the vertex's place among the free
 * ones, in their order, or -1. shift is (vertex_count). */
sn_result sn_bilaplacian_build(const sn_symmetric_rows *laplacian, const double *mass, const int32_t *free_index,
                               const double *shift, sn_arena *arena, sn_sparse *bilaplacian);

/* curvature (size x column_count) = M^-1 L weights. Returns the sum over the columns of w^T K w / 2. */
double sn_bilaplacian_energy(const sn_symmetric_rows *laplacian, const double *mass, int column_count,
                             const double *weights, double *curvature);
/* row (column_count) = L curvature, row v: of K w. */
void sn_bilaplacian_row(const sn_symmetric_rows *laplacian, int v, int column_count, const double *curvature,
                        double *row);

#endif
