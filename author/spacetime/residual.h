/* SPDX-License-Identifier: MIT */
/* The spacetime objective and its gradient for fixed projections:
 *   W = sum_s w_s |f_s|^2_N / 2,  f = M x'' + a M x' + L x - J p - m g,
 * where N is the norm's diagonal: 1 / m or 1, and 0 at vertices that are fixed in all keys, where f is the reaction
 * force. */
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
    double *residuals;   /* (block_count x vertex_count x 3 x lanes) f of the last evaluation */
    double *positions;   /* scratch of the same size */
    double *objectives;  /* (sample_count): |f_s|^2_N / 2 */
    double *damped;      /* (3 x function_count x vertex_count) scratch of the gradient */
} sn_spacetime_problem;

/* Allocates the problem and sets q to the input keys. Does not evaluate it. */
sn_result sn_spacetime_problem_build(const sn_spacetime_input *input, const sn_spacetime_desc *desc, sn_arena *arena,
                                     sn_spacetime_problem *problem);

/* Computes residuals and objectives at q. Returns W. */
double sn_spacetime_evaluate(sn_spacetime_problem *problem);

/* Computes the gradient (3 x function_count x vertex_count) of the last evaluation; 0 at fixed vertices. */
void sn_spacetime_gradient(sn_spacetime_problem *problem, double *gradient);

#endif
