/* SPDX-License-Identifier: MIT */
/* Private to author/modes and research/baselines: modes of large meshes, and their responses to loads, without a factor
 * of their matrix. */
#ifndef SN_AUTHOR_MODES_EIGEN_LARGE_H
#define SN_AUTHOR_MODES_EIGEN_LARGE_H

#include "author/modes/constraint/problem.h"
#include "author/modes/eigen/lanczos.h"

/* The iterative solver is used above this many unknowns, plus so many for each row of the constraint, up to a number of
 * rows. Thick bodies gain the most; thin tentacles have cheap factors, and gain from here on only. */
#define SN_LARGE_SIZE 25000
#define SN_LARGE_SIZE_PER_ROW 1000
#define SN_LARGE_SIZE_ROWS 15

/* Limits of the iterative solver for weights: its memory grows with modes, its time with rows. */
#define SN_LARGE_MODE_LIMIT 32
#define SN_LARGE_ROW_LIMIT 1024

/* Whether the iterative solver suits the problem, by its size, rows and type of mesh. */
bool sn_modes_is_large(const sn_mode_problem *problem);

/* Computes the pairs of sn_lanczos_largest without a factor, with relative errors up to 2e-7 in the eigenvalues (2e-6
 * for sliver tets, 5e-7 for stiffness ratios of a million) and 3e-4 in the span of the vectors (2e-3 with hundreds of
 * rows), orthogonal to Q up to rounding. *is_found is false if they do not converge, no lattice suits the mesh, its
 * matrix is too large, or the constraint's rows seem dependent; use the direct solver then. positions (vertex_count x
 * 3). */
sn_result sn_modes_compute_large(const sn_mode_problem *problem, const double *positions, int requested,
                                 sn_arena *arena, sn_pair_list *pairs, bool *is_found);

/* x <- P x for the operator P of lanczos.h and `count` columns (unknowns x count, column-major), to a relative error of
 * 1e-6 in the norm of K, orthogonal to Q up to rounding. *is_solved is false if that was not reached, or is not
 * possible as above; x is undefined then. positions (vertex_count x 3). */
sn_result sn_modes_solve_large(const sn_mode_problem *problem, const double *positions, size_t count, double *x,
                               bool *is_solved);

#endif
