/* SPDX-License-Identifier: MIT */
/* Private to author/modes: additional modes from given columns of x = M^1/2 w. The part of the columns outside of the
 * span of the modes is reduced to its principal directions, and these to the stationary vectors of w^T H w
 * (Rayleigh-Ritz). */
#ifndef SN_AUTHOR_MODES_REDUCED_ADDED_MODES_H
#define SN_AUTHOR_MODES_REDUCED_ADDED_MODES_H

#include "author/modes/constraint/problem.h"

/* For sn_added_columns.max_unexplained. */
#define SN_MAX_UNEXPLAINED 0.05

typedef struct sn_added_columns {
    double
        *values; /* (unknowns x count) scaled by importance; overwritten by the part outside of the span of the modes */
    size_t count;           /* > 0 */
    double square;          /* squared norm of all columns before the projection */
    double min_energy;      /* energies are scaled by one factor, so that the first is at least this; 0: keep w^T H w */
    double max_unexplained; /* stop when this part of `square` is outside of the span of the added modes */
    int max_count;          /* largest number of modes to add; > 0 */
    bool is_target;         /* the added modes are for morph targets */
} sn_added_columns;

/* Adds as many directions as are significant to the modes, which must have the same unknowns, in ascending order of
 * energy. */
sn_result sn_modes_add_columns(const sn_mode_problem *problem, const sn_added_columns *added, sn_arena *scratch,
                               sn_arena *arena, sn_modes *modes);

/* In load_response.c: x (unknowns x count) = P x in place, the response of flesh to the loads M^1/2 x; see
 * target_modes.c. Large problems are first solved without a factor; if that does not converge, with one. positions
 * (vertex_count x 3).
 */
sn_result sn_modes_solve_loads(const sn_mode_problem *problem, const double *positions, size_t count, sn_arena *scratch,
                               double *x);

/* x (unknowns x mode_count) = M^1/2 w. */
void sn_modes_to_unknowns(const sn_mode_problem *problem, const sn_modes *modes, double *x);

#endif
