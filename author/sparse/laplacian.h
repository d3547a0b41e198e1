/* SPDX-License-Identifier: MIT */
/* The cotangent Laplacian of a tet mesh as a sparse matrix. */
#ifndef SN_AUTHOR_SPARSE_LAPLACIAN_H
#define SN_AUTHOR_SPARSE_LAPLACIAN_H

#include "author/sparse/sparse.h"
#include "host/mesh/tet_mesh.h"

/* Cotangent Laplacian, positive semi-definite: sum_t scale[t] V_t grad_i . grad_j (scale null: 1); plus shift[i] on
 * the diagonal (null: 0). */
sn_result sn_laplacian_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes,
                             const double *scale, const double *shift, sn_arena *arena, sn_sparse *laplacian);

#endif
