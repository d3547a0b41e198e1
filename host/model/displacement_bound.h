/* SPDX-License-Identifier: MIT */
/* A bound on the displacement of any vertex by reduced coordinates, computed as one weighted norm.
 *
 * By Cauchy-Schwarz, |sum_i V_vi dZ_i|^2 <= sum_i b_i^2 |dZ_i|^2 at every vertex v if sum_i V_vi^2 / b_i^2 <= 1 there.
 * Among all such b, these minimise the bound for the expected residual of a step: f_i^2 ~ lambda_i / (1/h^2 +
 * lambda_i)^2, since rotations that change by dR leave f = A^-1 S^T dR, and |S_i|^2 ~ lambda_i. The program
 *   min sum_i c_i b_i^2   with c_i = lambda_i / (mean + lambda_i)^2
 * is convex in 1 / b_i^2. Its dual has a multiplier m_v per vertex, b_i^2 ~ sqrt (sum_v m_v V_vi^2 / c_i), and is
 * sparse: only the vertices that coordinates move most have a positive one. */
#ifndef SN_HOST_MODEL_DISPLACEMENT_BOUND_H
#define SN_HOST_MODEL_DISPLACEMENT_BOUND_H

#include "host/base/arena.h"

/* The basis V, one row per vertex. */
typedef struct sn_displacement_basis {
    size_t vertex_count, coordinate_count;
    const double *stiffness; /* (coordinate_count) lambda, >= 0 */
    const double *rows;      /* (vertex_count x coordinate_count) */
} sn_displacement_basis;

/* Computes b (coordinate_count); 0 for coordinates that move nothing. Error: SN_ERROR_MEMORY. */
sn_result sn_displacement_bound_compute(const sn_displacement_basis *basis, double *b);

#endif
