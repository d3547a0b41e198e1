/* SPDX-License-Identifier: MIT */
/* The spacetime objective and its gradient for given projections:
 *   W = sum_s w_s |f_s|^2_N / 2,  f = M x'' + a M x' + L x - J p - m g,
 * N the norm's diagonal: 1 / m or 1, and 0 at vertices that are held in all keys, where f is what holds them. */
#ifndef SN_AUTHOR_SPACETIME_RESIDUAL_H
#define SN_AUTHOR_SPACETIME_RESIDUAL_H

#include "author/spacetime/trajectory.h"
#include "author/sparse/sparse.h"

typedef struct sn_spacetime_problem {
    const sn_spacetime_input *input;
    const sn_spacetime_desc *desc;
    sn_spacetime_elastic elastic;
    sn_spacetime_trajectory trajectory;
    sn_sparse stiffness; /* L */
    bool *is_free;       /* (function_count x vertex_count) */
    double *norm;        /* (vertex_count) */
    double *q;           /* (function_count x vertex_count x 3) */
    double *residuals;   /* (block_count x vertex_count x 3 x lanes), f of the last evaluation */
    double *positions;   /* the same shape: scratch */
    double *objectives;  /* (sample_count): |f_s|^2_N / 2 */
    double *damped;      /* (3 x function_count x vertex_count): scratch of the gradient */
} sn_spacetime_problem;

/* Everything but the evaluation; q holds the keys as given. */
sn_result sn_spacetime_problem_build(const sn_spacetime_input *input, const sn_spacetime_desc *desc, sn_arena *arena,
                                     sn_spacetime_problem *problem);

/* Fills residuals and objectives at q; returns W. */
double sn_spacetime_evaluate(sn_spacetime_problem *problem);

/* gradient (3 x function_count x vertex_count) of the last evaluation; 0 where nothing is free. */
void sn_spacetime_gradient(sn_spacetime_problem *problem, double *gradient);

#endif
