/* SPDX-License-Identifier: MIT */
/* Linear blend skinning and mode projection on the CPU, in double: the reference of the vertex shader.
 * position = sum_b g_b P_b X + sum_j w_j T_j X. */
#ifndef SN_HOST_SKIN_SKIN_H
#define SN_HOST_SKIN_SKIN_H

/* Adds sum_j w_j T_j [x, 1] to every position. weights (vertex_count x weight_count), transforms (weight_count x 3 x 4)
 * row-major, rest_positions and positions (vertex_count x 3). */
void sn_skin_add(const float *weights, int weight_count, const double *transforms, const float *rest_positions,
                 int vertex_count, double *positions);

#endif
