/* SPDX-License-Identifier: MIT */
/* Private to author/sparse: the layout of a supernodal factor. */
#ifndef SN_AUTHOR_SPARSE_SUPERNODES_H
#define SN_AUTHOR_SPARSE_SUPERNODES_H

#include <stddef.h>
#include <stdint.h>

/* P A P^T = L L^T. Supernode s holds the columns first_columns[s] to first_columns[s + 1] - 1. Its rows, beginning with
 * these columns, are rows[row_starts[s]] to rows[row_starts[s + 1] - 1]. Its values are a dense column-major block at
 * values[value_starts[s]], of leading dimension sn_supernode_stride. Entries above the triangle and below the rows are
 * zero. */
typedef struct sn_supernodes {
    size_t size, count;
    const int32_t *order; /* (size) index of the unknown that comes i-th */
    const int32_t *first_columns, *row_starts, *rows;
    const size_t *value_starts; /* (count + 1) */
    const double *values;       /* or null */
    const float *values32;      /* the same in float, or null; one of both is set */
} sn_supernodes;

/* Columns start and end at a multiple of this number of values. */
#define SN_SUPERNODE_ALIGNMENT 4

static inline size_t sn_supernode_column_count(const sn_supernodes *factor, size_t s)
{
    return (size_t)(factor->first_columns[s + 1] - factor->first_columns[s]);
}

static inline size_t sn_supernode_row_count(const sn_supernodes *factor, size_t s)
{
    return (size_t)(factor->row_starts[s + 1] - factor->row_starts[s]);
}

static inline size_t sn_supernode_stride(size_t row_count)
{
    return (row_count + SN_SUPERNODE_ALIGNMENT - 1) / SN_SUPERNODE_ALIGNMENT * SN_SUPERNODE_ALIGNMENT;
}

#endif
