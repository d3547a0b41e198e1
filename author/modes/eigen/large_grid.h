/* SPDX-License-Identifier: MIT */
/* Private to author/modes: what the ways without a factor need of a large problem. */
#ifndef SN_AUTHOR_MODES_EIGEN_LARGE_GRID_H
#define SN_AUTHOR_MODES_EIGEN_LARGE_GRID_H

#include "author/modes/constraint/complement.h"

typedef struct sn_large_grid {
    sn_mode_problem problem; /* its unknowns in the order of what follows, which are without a matrix then */
    int32_t *order;          /* (k.size) where they were; null: there */
    sn_matrix_rows k;
    sn_coarse_space space;
    sn_factor *factor; /* of the lattice's own matrix */
    sn_two_grid cycle;
    sn_complement complement; /* of the constraint */
    bool is_suited; /* false: no lattice suits the mesh, its matrix is too large, or the constraint's rows seem to
                       depend on each other; the rest is not to be used then */
    sn_arena given; /* k, where the order is the problem's */
    sn_arena own;   /* all else */
} sn_large_grid;

/* For blocks of at most `widest` columns, a multiple of SN_TWO_GRID_LANES. positions is (vertex_count x 3). What is not
 * in any order stays the problem's. Finished in any case. */
sn_result sn_large_grid_init(const sn_mode_problem *problem, const double *positions, size_t widest,
                             sn_large_grid *grid);
void sn_large_grid_finish(sn_large_grid *grid);

/* Whether its rig has few enough rows for the lattice's own modes to be a start. Pairs that were found before do not
 * count: the lattice has those that follow them. */
bool sn_large_has_lattice_modes(const sn_mode_problem *problem);

/* Around an attempt without a factor of the mesh: a failure that its numbers are the cause of, of the lattice's factor
 * or of its modes, is none, for the direct way has its turn; nothing is said of it. */
typedef struct sn_large_attempt {
    sn_kept_log said;
    sn_kept_log *former;
} sn_large_attempt;
void sn_large_attempt_begin(sn_large_attempt *attempt);
/* *is_done is false where there was such a failure; then it is SN_OK. */
sn_result sn_large_attempt_end(sn_large_attempt *attempt, sn_result result, bool *is_done);

#endif
