/* SPDX-License-Identifier: MIT */
/* A bound on how far reduced coordinates move any vertex, for the price of one weighted norm.
 *
 * By Cauchy-Schwarz |sum_i V_vi dZ_i|^2 <= sum_i b_i^2 |dZ_i|^2 at every vertex v, if sum_i V_vi^2 / b_i^2 <= 1 there.
 * Of all such b these make the bound small for what a step's residual is like: f_i^2 ~ lambda_i / (1/h^2 + lambda_i)^2,
 * since rotations that change by dR leave f = A^-1 S^T dR, and |S_i|^2 ~ lambda_i. The program
 *   min sum_i c_i b_i^2   with c_i = lambda_i / (mean + lambda_i)^2
 * is convex in 1 / b_i^2; its dual has a share m_v a vertex, b_i^2 ~ sqrt (sum_v m_v V_vi^2 / c_i), and few vertices
 * have any: those that coordinates move farthest. */
#ifndef SN_HOST_MODEL_REACH_H
#define SN_HOST_MODEL_REACH_H

#include "host/base/arena.h"

/* The basis V, a row a vertex. */
typedef struct sn_reach_basis {
    size_t vertex_count, coordinate_count;
    const double *stiffness; /* (coordinate_count) lambda, not negative */
    const double *rows;      /* (vertex_count x coordinate_count) */
} sn_reach_basis;

/* b (coordinate_count): 0 for coordinates that move nothing. Fails when memory is out. */
sn_result sn_reach_find(const sn_reach_basis *basis, double *b);

#endif
