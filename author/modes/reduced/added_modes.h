/* SPDX-License-Identifier: MIT */
/* Private to author/modes: modes beside those that there are, out of columns of x = M^1/2 w. What the modes leave of
 * these is reduced to its principal directions, and they to the stationary ones of w^T H w, by Rayleigh and Ritz. */
#ifndef SN_AUTHOR_MODES_REDUCED_ADDED_MODES_H
#define SN_AUTHOR_MODES_REDUCED_ADDED_MODES_H

#include "author/modes/constraint/problem.h"

typedef struct sn_added_columns {
    double *values; /* (unknowns x count) as long as they are important; what the modes leave of them, afterwards */
    size_t count;   /* > 0 */
    double square;  /* of all columns, before */
    double least_energy; /* energies are raised, all by one factor, until the first is this; 0: they are w^T H w */
    int most;            /* modes that are added, at most; > 0 */
    bool is_target;      /* what they are */
} sn_added_columns;

/* modes, found in the same unknowns, get as many more as are worth it, in ascending order with the others. */
sn_result sn_modes_add_columns(const sn_mode_problem *problem, const sn_added_columns *added, sn_arena *scratch,
                               sn_arena *arena, sn_modes *modes);

/* respond.c: x (unknowns x count) = P x in place, how flesh gives way to the loads M^1/2 x: see target_modes.c. Large
 * problems that do not converge without a factor get one. positions (vertex_count x 3). */
sn_result sn_modes_respond(const sn_mode_problem *problem, const double *positions, size_t count, sn_arena *scratch,
                           double *x);

/* x (unknowns x mode_count) = M^1/2 w */
void sn_modes_in_unknowns(const sn_mode_problem *problem, const sn_modes *modes, double *x);

#endif
