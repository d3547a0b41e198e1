/* SPDX-License-Identifier: MIT */
/* Private to author/modes and author/baselines: the modes of large meshes, and responses to loads, without a factor of
 * their matrix. */
#ifndef SN_AUTHOR_MODES_EIGEN_LARGE_H
#define SN_AUTHOR_MODES_EIGEN_LARGE_H

#include "author/modes/constraint/problem.h"
#include "author/modes/eigen/lanczos.h"

/* Above this many unknowns, and so many more for each row of the constraint, of some, the way below is the faster one:
 * for thick bodies by far, and from there on for thin tentacles, whose factors are cheap, too. */
#define SN_LARGE_SIZE 25000
#define SN_LARGE_SIZE_PER_ROW 1000
#define SN_LARGE_SIZE_ROWS 15

/* Its memory grows with modes, its time with rows; for weights, beyond these it is not worth it. */
#define SN_LARGE_MODE_LIMIT 32
#define SN_LARGE_ROW_LIMIT 1024

/* By that size, its rows' number and its mesh. */
bool sn_modes_are_large(const sn_mode_problem *problem);

/* The pairs that sn_lanczos_largest finds, to 2e-7 in the eigenvalues (2e-6 where tets are slivers, 5e-7 where
 * neighbours are a million times as stiff) and 3e-4 in the span of the vectors (2e-3 under hundreds of rows, where the
 * last ones mix with those that come next), orthogonal to Q to rounding. *is_found is false where they did not
 * converge, where no lattice suits the mesh or its matrix is too large, and where the constraint's rows seem to depend
 * on each other: then the direct way has to be taken. positions is (vertex_count x 3). */
sn_result sn_modes_of_large(const sn_mode_problem *problem, const double *positions, int wanted, sn_arena *arena,
                            sn_pair_list *pairs, bool *is_found);

/* x <- P x for the operator P of lanczos.h and `count` columns (unknowns x count, column-major), to 1e-6 in the norm of
 * K, orthogonal to Q to rounding. *is_solved is false where that was not reached, or cannot be, as above: x is anything
 * then. positions is (vertex_count x 3). */
sn_result sn_modes_solve_large(const sn_mode_problem *problem, const double *positions, size_t count, double *x,
                               bool *is_solved);

#endif
