/* SPDX-License-Identifier: MIT */
/* Private to author/modes: T - T Q (Q^T T Q)^-1 Q^T T for a constraint Q and a two-grid cycle T: what it maps to is in
 * the complement of Q. */
#ifndef SN_AUTHOR_MODES_COMPLEMENT_H
#define SN_AUTHOR_MODES_COMPLEMENT_H

#include "author/modes/two_grid.h"

typedef struct sn_complement {
    size_t count;     /* rows of the constraint, columns here */
    size_t room;      /* count, to a multiple of SN_TWO_GRID_LANES; the others are zero */
    double *rows;     /* Q (size x room) row-major */
    double *solved;   /* T Q (size x room) row-major */
    double *products; /* (room^2) Q^T T Q */
    double *schur;    /* (room^2) the Cholesky factor of its symmetric part */
    bool is_singular; /* as far as floats tell: there is no such factor */
} sn_complement;

/* T is applied to at most `widest` columns at a time. */
sn_result sn_complement_build(const sn_sparse_columns *q, const sn_two_grid *grid, size_t widest, sn_arena *arena,
                              sn_complement *complement);
/* a (room x width) = (Q^T T Q)^-1 b, column-major; b is overwritten, and a has room for as much again. */
void sn_complement_multipliers(const sn_complement *complement, size_t width, double *b, double *a);

#endif
