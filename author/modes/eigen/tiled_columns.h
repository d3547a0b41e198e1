/* SPDX-License-Identifier: MIT */
/* Private to author/modes: sparse columns Q, stored by tiles of rows. */
#ifndef SN_AUTHOR_MODES_EIGEN_TILED_COLUMNS_H
#define SN_AUTHOR_MODES_EIGEN_TILED_COLUMNS_H

#include "author/sparse/sparse.h"

#define SN_TILE_ROWS 256 /* the last tile may have fewer */

/* The part of a block of columns in a tile. */
typedef struct sn_column_part {
    int32_t first_column, column_count, row_count;
    const uint8_t *rows;  /* (row_count) relative to the tile's first row */
    const double *values; /* (row_count x column_count) row-major */
} sn_column_part;

typedef struct sn_tiled_columns {
    size_t size, count, tile_count;
    size_t *starts;        /* (tile_count + 1) */
    sn_column_part *parts; /* (starts[tile_count]) ascending columns in each tile */
} sn_tiled_columns;

/* A block's rows may be in any order. */
sn_result sn_tiled_columns_build(const sn_sparse_columns *columns, size_t size, sn_arena *arena,
                                 sn_tiled_columns *tiled);

/* The functions below work on one tile, whose rows x are (rows x width); coefficients and sums are (count x width); all
 * are row-major. width is a multiple of 4; packed is scratch (SN_TILE_ROWS x width). */

/* sums += q^T x for blocks of columns that end after `from`; sums of earlier columns may change, too. */
void sn_tiled_columns_gather(const sn_tiled_columns *q, size_t tile, size_t from, size_t width, const double *x,
                             double *packed, double *sums);
/* x -= q coefficients, for blocks of columns that begin before `end`. */
void sn_tiled_columns_subtract(const sn_tiled_columns *q, size_t tile, size_t end, size_t width,
                               const double *coefficients, double *packed, double *x);
/* x = the columns from `first` on; columns beyond the last are 0. */
void sn_tiled_columns_expand(const sn_tiled_columns *q, size_t tile, size_t first, size_t width, double *x);

#endif
