/* SPDX-License-Identifier: MIT */
/* Linear blend skinning and mode projection on the CPU, in double: the reference for the vertex shader. position =
 * sum_b g_b P_b X' + sum_j w_j T_j X', where X' = X + sum_m a_m d_m is the rest position with morph targets. */
#ifndef SN_HOST_SKIN_SKIN_H
#define SN_HOST_SKIN_SKIN_H

#include "sinew/surface.h"

/* Adds sum_j w_j T_j [x, 1] to every position. weights (vertex_count x weight_count), transforms (weight_count x 3 x 4)
 * row-major, rest_positions and positions (vertex_count x 3). */
void sn_skin_add(const float *weights, int weight_count, const double *transforms, const float *rest_positions,
                 int vertex_count, double *positions);

/* The rest position of a vertex under morph targets with these weights (morph_count; null: all 0). */
void sn_skin_morph(const sn_surface *surface, int vertex, const float *morphs, double *position);

/* Skins the surface by morph targets, bones (bone_count x 12) and modes (mode_count x 12), row-major. Results are
 * (vertex_count x 3); normals and tangents have unit length; all but positions may be null. morphs as in sn_skin_morph.
 *
 * Normals follow the complete deformation f(X) = sum g_b(X) P_b X + sum w_j(X) T_j X, including the variation of the
 * weights (which the paper's shader omits): with the tangent t and the bitangent b,
 *   J t = (sum g A + sum w L) t + sum dg/dt (P X - q) + sum dw/dt T X,   b likewise,   n = +- J t x J b,
 * where A and L are the linear parts and q = sum g P X. Rig weights sum to one, so their derivatives sum to zero, and
 * subtracting q keeps the rounding of the stored derivatives from growing with the distance to the origin. Morph
 * targets change X to X' and t to t + sum a_m dd_m/dt, b likewise; the weights remain those of X. Normals that a file
 * gives for its targets are not needed. */
void sn_skin_surface(const sn_surface *surface, const double *bones, const double *modes, const float *morphs,
                     double *positions, double *normals, double *tangents);

/* Skins one vertex. */
void sn_skin_vertex(const sn_surface *surface, int vertex, const double *bones, const double *modes,
                    const float *morphs, double *position, double *normal, double *tangent);

#endif
