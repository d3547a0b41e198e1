/* SPDX-License-Identifier: MIT */
/* Private to author/modes and research/baselines: the largest eigenpairs of an inverse that is projected onto the
 * complement of a constraint. */
#ifndef SN_AUTHOR_MODES_EIGEN_LANCZOS_H
#define SN_AUTHOR_MODES_EIGEN_LANCZOS_H

#include "author/sparse/sparse.h"

/* P = K^-1 - K^-1 Q S^-1 Q^T K^-1 with S = Q^T K^-1 Q: the inverse of K on the complement of Q. */
typedef struct sn_projected_problem {
    int size;
    sn_factor *factor;             /* of K */
    sn_sparse_columns constraints; /* Q (size x column_count), independent */
    double tolerance;              /* of a pair's residual, relative; 0: the default of 1e-8 */
} sn_projected_problem;

/* Eigenpairs, largest value first. */
typedef struct sn_pair_list {
    int count;
    double *values;  /* (count) */
    double *vectors; /* (size x count) column-major, orthonormal */
} sn_pair_list;

/* Computes the `requested` largest pairs of P in the complement of Q, which must have more dimensions than that. */
sn_result sn_lanczos_largest(const sn_projected_problem *problem, int requested, sn_arena *arena, sn_pair_list *pairs);

#endif
