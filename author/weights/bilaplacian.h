/* SPDX-License-Identifier: MIT */
/* The quadratic form of the squared Laplacian over a mesh: K = L M^-1 L. */
#ifndef SN_AUTHOR_WEIGHTS_BILAPLACIAN_H
#define SN_AUTHOR_WEIGHTS_BILAPLACIAN_H

#include "author/sparse/sparse.h"
#include "author/weights/simplices.h"

/* Builds K over the free vertices plus a diagonal shift. free_index (vertex_count): index of the vertex among the free
 * ones, in ascending order, or -1. shift is (vertex_count). */
sn_result sn_bilaplacian_build(const sn_symmetric_rows *laplacian, const double *mass, const int32_t *free_index,
                               const double *shift, sn_arena *arena, sn_sparse *bilaplacian);

/* Computes curvature (size x column_count) = M^-1 L weights. Returns the sum over the columns of w^T K w / 2. */
double sn_bilaplacian_energy(const sn_symmetric_rows *laplacian, const double *mass, int column_count,
                             const double *weights, double *curvature);
/* Computes row v of K w: row (column_count) = (L curvature)_v. */
void sn_bilaplacian_row(const sn_symmetric_rows *laplacian, int v, int column_count, const double *curvature,
                        double *row);

#endif
