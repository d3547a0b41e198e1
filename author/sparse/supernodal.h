/* SPDX-License-Identifier: MIT */
/* Private to author/sparse: solves with a supernodal factor. */
#ifndef SN_AUTHOR_SPARSE_SUPERNODAL_H
#define SN_AUTHOR_SPARSE_SUPERNODAL_H

#include "host/base/base.h"

/* P A P^T = L L^T. Supernode s holds columns first_columns[s] to first_columns[s + 1]; its rows, these columns first,
 * are rows[row_starts[s]] to rows[row_starts[s + 1]], its values a dense column-major block from
 * values[value_starts[s]]. */
typedef struct sn_supernodes {
    size_t size, count;
    const int32_t *order; /* (size) the unknown that comes i-th */
    const int32_t *first_columns, *row_starts, *value_starts, *rows;
    const double *values;
} sn_supernodes;

/* Most right-hand sides of one solve: a factor that is larger than the caches is read once for all of them. */
#define SN_SUPERNODAL_COLUMNS 8

/* Rows of the supernode that has most. */
size_t sn_supernodal_most_rows(const sn_supernodes *factor);
/* Doubles of workspace for any solve. */
size_t sn_supernodal_work_size(const sn_supernodes *factor);
/* Fills the part of a workspace that all solves share. */
void sn_supernodal_work_init(const sn_supernodes *factor, double *work);
/* x (size x column_count) column-major, in place; at most SN_SUPERNODAL_COLUMNS. */
void sn_supernodal_solve(const sn_supernodes *factor, int column_count, double *x, double *work);

/* For more right-hand sides than a few, all at once; each costs less. Sums have another order. */
size_t sn_supernodal_wide_work_size(const sn_supernodes *factor, int column_count);
void sn_supernodal_wide_solve(const sn_supernodes *factor, int column_count, double *x, double *work);

#endif
