/* SPDX-License-Identifier: MIT */
/* Private to author/modes: T - T Q (Q^T T Q)^-1 Q^T T for a constraint Q and a two-grid cycle T: what it maps to is in
 * the complement of Q. */
#ifndef SN_AUTHOR_MODES_COMPLEMENT_H
#define SN_AUTHOR_MODES_COMPLEMENT_H

#include "author/modes/two_grid.h"

#define SN_COMPLEMENT_ROWS 256 /* that are taken at once, at most */

typedef struct sn_complement {
    const sn_two_grid *grid;
    size_t count;     /* rows of the constraint, columns here */
    size_t room;      /* count, to a multiple of SN_TWO_GRID_LANES; the others are zero */
    double *rows;     /* Q (size x room) row-major */
    double *solved;   /* T Q (size x room) row-major */
    double *products; /* (room^2) Q^T T Q */
    double *schur;    /* (room^2) the Cholesky factor of its symmetric part */
    bool is_singular; /* as far as floats tell: there is no such factor */
    double *parts;    /* (room x widest) row-major: (Q^T T Q)^-1 Q^T T r */
    double *work;     /* (3 x room x widest) */
    double *tiles[2]; /* (SN_COMPLEMENT_ROWS x widest) */
} sn_complement;

/* T is applied to at most `widest` columns at a time. */
sn_result sn_complement_build(const sn_sparse_columns *q, const sn_two_grid *grid, size_t widest, sn_arena *arena,
                              sn_complement *complement);
/* Of the grid's solution T r, `width` columns: parts. */
void sn_complement_find_parts(const sn_complement *complement, size_t width);
/* T r - T Q parts, (count x width) for rows from `first` on, at most SN_COMPLEMENT_ROWS. Good until the next call. */
const double *sn_complement_take(const sn_complement *complement, size_t first, size_t count, size_t width);
/* Q parts, likewise. */
const double *sn_complement_rest(const sn_complement *complement, size_t first, size_t count, size_t width);

#endif
