/* SPDX-License-Identifier: MIT */
/* Static deformation, which two-way coupling of rig and flesh is compared with: as-rigid-as-possible deformation
 * (Sorkine and Alexa 2007) and fast automatic skinning transformations (FAST: Jacobson, Baran, Kavan, Popović and
 * Sorkine 2012). Both use the spokes-and-rims energy (Chao, Pinkall, Sanan and Schröder 2010), with one rotation per
 * vertex for all edges of its elements. With cotangent weights, the sum over edges equals a sum over elements, E = 1/2
 * sum_t V_t / d sum_(i in t) |F_t - R_i|^2, for elements with d corners, since sum_e w_e e e^T = V_t for the edges e of
 * a triangle. For tets, this sum replaces the sum over edges.
 *
 * Only mesh, gradients and volumes of a body are used: tets or, if it is flat, triangles. Both methods alternate
 * between rotations and positions, starting from the previous solution. All values are double. */
#ifndef SN_RESEARCH_BASELINES_SPOKES_RIMS_H
#define SN_RESEARCH_BASELINES_SPOKES_RIMS_H

#include "research/baselines/baselines.h"

/* Computes sums (vertex_count x 9, row-major): sum V_t / d F_t over a vertex's elements. */
void sn_spokes_rims_accumulate(const sn_baseline_body *body, const double *positions, double *sums);
/* Computes the nearest rotations of `count` matrices (9, row-major); only about z if is_flat. Blocks of eight are read
 * and written, so both arrays need a capacity of sn_rotation_capacity(count) matrices. */
void sn_nearest_rotations(const double *matrices, int count, bool is_flat, double *rotations);
static inline size_t sn_rotation_capacity(int count)
{
    return ((size_t)count + 7) / 8 * 8;
}

/* ---- as-rigid-as-possible deformation ---- */

typedef struct sn_arap sn_arap;

/* Does not copy the body. Copies `fixed` (fixed_count): fixed vertices without repeats, at least one in each component.
 */
sn_result sn_arap_create(const sn_baseline_body *body, const int32_t *fixed, int fixed_count, sn_arap **arap);
void sn_arap_destroy(sn_arap **arap);
/* Sets fixed vertices to `targets` (fixed_count x 3) and iterates the others of positions (vertex_count x 3) until none
 * moves by more than `tolerance` in an iteration. Returns the number of iterations, or -1 if memory runs out. */
int sn_arap_solve(sn_arap *arap, const double *targets, int iteration_limit, double tolerance, double *positions);
/* Returns E with the best rotations. */
double sn_arap_energy(sn_arap *arap, const double *positions);

/* ---- FAST ---- */

typedef struct sn_fast_desc {
    const sn_baseline_body *body;
    int handle_count;
    const double *weights; /* (vertex_count x handle_count), rows sum to 1 */
    const double *pivots;  /* (handle_count x 3) at rest */
    int cluster_count;     /* clusters of vertices that share a rotation, by k-means of their weights */
} sn_fast_desc;

typedef struct sn_fast sn_fast;

sn_result sn_fast_create(const sn_fast_desc *desc, sn_fast **fast);
void sn_fast_destroy(sn_fast **fast);
/* Selects the handles whose positions and whose linear parts are fixed (handle_count each); at least one position. */
sn_result sn_fast_fix(sn_fast *fast, const bool *is_position_fixed, const bool *is_linear_fixed);
/* transforms (handle_count x 12): targets for fixed parts, initial values for the others; receives the result. Iterates
 * until no entry moves by more than `tolerance`. Returns the number of iterations. */
int sn_fast_solve(sn_fast *fast, int iteration_limit, double tolerance, double *transforms);

#endif
