/* SPDX-License-Identifier: MIT */
/* Deformation without dynamics, which the two-way coupling of rigs and flesh is compared with: as-rigid-as-possible
 * deformation (Sorkine and Alexa 2007) and fast automatic skinning transformations (FAST: Jacobson, Baran, Kavan,
 * Popović and Sorkine 2012), both with the energy of spokes and rims (Chao, Pinkall, Sanan and Schröder 2010): a
 * rotation a vertex, for all edges of its elements. With cotangents as weights that sum over edges is one over
 * elements, E = 1/2 sum_t V_t / d sum_(i in t) |F_t - R_i|^2,   d corners a tet or triangle, since sum_e w_e e e^T =
 * V_t for the edges e of a triangle, and for tets it takes that sum's place.
 *
 * Of a body only mesh, gradients and volumes are used: tets or, where it is flat, triangles. Both alternate between
 * rotations and places, from where the last solve ended. Everything is in double. */
#ifndef SN_RESEARCH_BASELINES_SPOKES_RIMS_H
#define SN_RESEARCH_BASELINES_SPOKES_RIMS_H

#include "research/baselines/baselines.h"

/* sums (vertex_count x 9, row-major): sum V_t / d F_t over a vertex's elements. */
void sn_spokes_rims_sums(const sn_baseline_body *body, const double *positions, double *sums);
/* The nearest rotations of `count` matrices (9, row-major): about z alone where flat. Blocks of eight are read and
 * written whole: both arrays have room for sn_rotation_room(count) of them. */
void sn_nearest_rotations(const double *matrices, int count, bool is_flat, double *rotations);
static inline size_t sn_rotation_room(int count)
{
    return ((size_t)count + 7) / 8 * 8;
}

/* ---- as rigid as possible ---- */

typedef struct sn_arap sn_arap;

/* Borrows the body; copies `held` (held_count), vertices without repeats, one at least in each component. */
sn_result sn_arap_create(const sn_baseline_body *body, const int32_t *held, int held_count, sn_arap **arap);
void sn_arap_destroy(sn_arap **arap);
/* Held vertices are at `targets` (held_count x 3); the others of positions (vertex_count x 3) move, until none does by
 * more than `tolerance` in an iteration. Returns the number of iterations, or -1 without memory. */
int sn_arap_solve(sn_arap *arap, const double *targets, int iteration_limit, double tolerance, double *positions);
/* E, with the best rotations. */
double sn_arap_energy(sn_arap *arap, const double *positions);

/* ---- FAST ---- */

typedef struct sn_fast_desc {
    const sn_baseline_body *body;
    int handle_count;
    const double *weights; /* (vertex_count x handle_count), rows sum to 1 */
    const double *pivots;  /* (handle_count x 3) at rest */
    int cluster_count;     /* of vertices that share a rotation, by k-means of their weights */
} sn_fast_desc;

typedef struct sn_fast sn_fast;

sn_result sn_fast_create(const sn_fast_desc *desc, sn_fast **fast);
void sn_fast_destroy(sn_fast **fast);
/* Which handles' places, and which linear parts, the user gives (handle_count each); one place at least. */
sn_result sn_fast_hold(sn_fast *fast, const bool *is_place_held, const bool *is_linear_held);
/* transforms (handle_count x 12): in what is held, the targets, and elsewhere where to begin. Returns the number of
 * iterations, until no entry moves by more than `tolerance`. */
int sn_fast_solve(sn_fast *fast, int iteration_limit, double tolerance, double *transforms);

#endif
