/* SPDX-License-Identifier: MIT */
/* Sparsity of a small system. The handles of a tree are coupled to few others, and if children are eliminated first,
 * the factor stays sparse. Matrices are stored column by column, lower half only, in tiles of 8 x 8. Zero tiles of the
 * factor are skipped; only zeros are left out of sums, so the bits equal those of a dense method. */
#ifndef SN_HOST_COUPLED_TILES_H
#define SN_HOST_COUPLED_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_TILE 8

/* Tiles of a matrix (count^2) with the right-hand side as its row `count`. */
typedef struct sn_coupled_tiles {
    int count, rank;  /* unknowns; tiles per side */
    bool *is_nonzero; /* (rank x rank) [row][column] nonzero tiles of the factor's lower half */
} sn_coupled_tiles;

static inline int sn_tiles_rank(int count)
{
    return count / SN_TILE + 1;
}

/* Distance between columns, in numbers. */
static inline size_t sn_tiles_stride(const sn_coupled_tiles *tiles)
{
    return SN_TILE * (size_t)tiles->rank;
}

static inline size_t sn_tiles_at(const sn_coupled_tiles *tiles, int row, int column)
{
    return sn_tiles_stride(tiles) * (size_t)column + (size_t)row;
}

/* Adds the fill-in of an elimination to the nonzero pattern is_nonzero (count^2, row by row, lower half) of a symmetric
 * matrix. Use it on units smaller than tiles, whose pattern is too coarse. */
void sn_tiles_fill_in(int count, bool *is_nonzero);

/* Starts a pattern with only the diagonal and the right-hand side. */
void sn_tiles_init(int count, sn_coupled_tiles *tiles);
/* Adds a block of entries, starting at `row` and `column`, to the pattern. */
void sn_tiles_add(sn_coupled_tiles *tiles, int row, int row_count, int column, int column_count);

/* Nonzero rows of a matrix (count^2), per block of eight columns. Block b begins at column sn_rows_first_column(count,
 * b); its rows are runs[2 i] to runs[2 i + 1] for i from starts[b] on. */
typedef struct sn_coupled_nonzero_rows {
    int32_t *starts; /* (blocks + 1) */
    int32_t *runs;   /* (blocks x sn_rows_max_runs(count)) pairs */
} sn_coupled_nonzero_rows;

static inline int sn_rows_block_count(int count)
{
    return (count + SN_TILE - 1) / SN_TILE;
}

/* The last block overlaps the previous one; with fewer than eight columns there is one block. */
static inline int sn_rows_first_column(int count, int block)
{
    const int first = SN_TILE * block, last = count > SN_TILE ? count - SN_TILE : 0;
    return first < last ? first : last;
}

/* Maximal number of runs per block; runs closer than a tile are merged. */
static inline int sn_rows_max_runs(int count)
{
    return count / (SN_TILE + 1) + 1;
}

/* Finds the nonzero rows of the union of up to three matrices; the last ones may be null. */
void sn_rows_find(int count, const double *const matrices[3], sn_coupled_nonzero_rows *rows);

#endif
