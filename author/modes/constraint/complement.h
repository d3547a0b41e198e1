/* SPDX-License-Identifier: MIT */
/* Private to author/modes: the projection onto the complement of a constraint Q, and the projected preconditioner T - T
 * Q (Q^T T Q)^-1 Q^T T for a two-grid cycle T, whose results lie in the complement up to float rounding. */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_COMPLEMENT_H
#define SN_AUTHOR_MODES_CONSTRAINT_COMPLEMENT_H

#include "author/modes/eigen/tiled_columns.h"
#include "author/modes/eigen/two_grid.h"

typedef struct sn_complement {
    const sn_two_grid *grid;
    size_t count, max_width;
    sn_tiled_columns q;
    double *gram;          /* (count^2) Cholesky factor L of Q^T Q */
    double *schur;         /* (count^2) Cholesky factor of Q^T T Q, which is symmetric up to rounding */
    float *solved;         /* (size x count) T Q L^-T, row-major; null: T is applied a second time instead */
    double *solved_tile;   /* (SN_TILE_ROWS x count) */
    bool is_singular;      /* numerically: a Cholesky factor does not exist */
    double *parts;         /* (count x max_width) row-major */
    double *work;          /* (count x max_width) */
    double *tile, *packed; /* (SN_TILE_ROWS x max_width) */
} sn_complement;

/* T is applied to at most `max_width` columns at a time. is_stored: store T Q L^-T. */
sn_result sn_complement_build(const sn_sparse_columns *q, const sn_two_grid *grid, size_t max_width, bool is_stored,
                              sn_arena *arena, sn_complement *complement);

/* x (size x width) -= Q (Q^T Q)^-1 Q^T x, orthogonal to Q up to rounding, in two passes over tiles of SN_TILE_ROWS
 * rows: begin; gather each tile x (rows x width); solve; subtract from each tile. */
void sn_complement_begin(const sn_complement *complement, size_t width);
void sn_complement_gather(const sn_complement *complement, size_t first, size_t width, const double *x);
void sn_complement_solve(const sn_complement *complement, size_t width);
void sn_complement_subtract(const sn_complement *complement, size_t first, size_t width, double *x);

/* The grid's solution = (T - T Q (Q^T T Q)^-1 Q^T T) residual. May change the grid's residual by a multiple of Q. The
 * residual should have a small component along Q, since rounding errors are proportional to its norm. */
sn_result sn_complement_apply(const sn_complement *complement, size_t width);

#endif
