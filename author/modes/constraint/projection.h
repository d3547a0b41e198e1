/* SPDX-License-Identifier: MIT */
/* Private to author/modes and research/baselines: the operator whose largest eigenpairs are the modes. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_PROJECTION_H
#define SN_AUTHOR_MODES_CONSTRAINT_PROJECTION_H

#include "author/modes/eigen/lanczos.h"

/* P of a projected problem, with the data that an application needs. */
typedef struct sn_projection {
    size_t size;
    sn_factor *factor;
    const sn_sparse_columns *constraints;
    double *schur;    /* Cholesky factor of S */
    double *solved;   /* K^-1 Q (size x column_count); null: a second solve is faster */
    double *products; /* (column_count x max_width) */
    double *added;    /* (size x max_width) */
    double *packed;   /* (size x max_width) gathered rows of a block of constraints */
} sn_projection;

/* For blocks of at most `max_width` columns. */
sn_result sn_projection_init(const sn_projected_problem *problem, int max_width, sn_arena *arena, sn_projection *op);
/* x -= K^-1 Q S^-1 Q^T x for `columns` columns, at most `max_width`, so that Q^T x = 0. */
sn_result sn_projection_constrain(const sn_projection *op, int columns, double *x);
/* y = P x */
sn_result sn_projection_apply(const sn_projection *op, int columns, const double *x, double *y);

#endif
