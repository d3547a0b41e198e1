/* SPDX-License-Identifier: MIT */
/* Private to the solves with a supernodal factor: a supernode's block, and vector types. */
#ifndef SN_AUTHOR_SPARSE_SUPERNODAL_BLOCK_H
#define SN_AUTHOR_SPARSE_SUPERNODAL_BLOCK_H

#include "author/sparse/supernodes.h"

#define LANES 4
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Broadcasts a value. The compiler drops a subtraction of 0, but not an addition, which changes -0. */
INLINE lanes broadcast(double value)
{
    return value - (lanes){0};
}

/* The block of a supernode, and its rows. */
typedef struct block_view {
    size_t column_count, row_count, stride, first;
    const int32_t *rows; /* below the triangle */
    const double *values;
    const double *inverse; /* (column_count) of the diagonal */
} block_view;

INLINE block_view view_block(const sn_supernodes *f, size_t s, const double *inverse)
{
    const size_t first = (size_t)f->first_columns[s], columns = sn_supernode_column_count(f, s);
    const size_t rows = sn_supernode_row_count(f, s);
    return (block_view){.column_count = columns,
                        .row_count = rows,
                        .stride = sn_supernode_stride(rows),
                        .first = first,
                        .rows = f->rows + (size_t)f->row_starts[s] + columns,
                        .values = f->values + f->value_starts[s],
                        .inverse = inverse + first};
}

#endif
