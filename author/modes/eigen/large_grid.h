/* SPDX-License-Identifier: MIT */
/* Private to author/modes: the data of a large problem that the solvers without a factor share. */
#ifndef SN_AUTHOR_MODES_EIGEN_LARGE_GRID_H
#define SN_AUTHOR_MODES_EIGEN_LARGE_GRID_H

#include "author/modes/constraint/complement.h"

typedef struct sn_large_grid {
    sn_mode_problem problem; /* its unknowns are in the order below; it has no matrix if they were reordered */
    int32_t *order;          /* (k.size) original index of each unknown; null: not reordered */
    sn_matrix_rows k;
    sn_coarse_space space;
    sn_factor *factor; /* of the lattice's own matrix */
    sn_two_grid cycle;
    sn_complement complement; /* of the constraint */
    bool is_suited;          /* false: no lattice suits the mesh, its matrix is too large, or the constraint's rows seem
                                dependent; the rest must not be used */
    sn_arena original_arena; /* k, if not reordered */
    sn_arena arena;          /* everything else */
} sn_large_grid;

/* For blocks of at most `max_width` columns, a multiple of SN_TWO_GRID_LANES. positions (vertex_count x 3). Refers to
 * the problem's data where it is not reordered. Call sn_large_grid_finish in any case. */
sn_result sn_large_grid_init(const sn_mode_problem *problem, const double *positions, size_t max_width,
                             sn_large_grid *grid);
void sn_large_grid_finish(sn_large_grid *grid);

/* Whether the rig has few enough rows for the lattice's own modes to be a useful start. Known pairs among the rows do
 * not count, since the lattice's modes follow them. */
bool sn_large_has_lattice_modes(const sn_mode_problem *problem);

/* State of an attempt without a factor of the mesh. A numerical failure in it, of the lattice's factor or of its modes,
 * is no error and gives no message, since the direct solver follows. */
typedef struct sn_large_attempt {
    sn_captured_log log;
    sn_captured_log *previous_log;
} sn_large_attempt;
void sn_large_attempt_begin(sn_large_attempt *attempt);
/* After such a failure, sets *is_done to false and returns SN_OK. */
sn_result sn_large_attempt_end(sn_large_attempt *attempt, sn_result result, bool *is_done);

#endif
