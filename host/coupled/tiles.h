/* SPDX-License-Identifier: MIT */
/* Which parts of a small system are not zero: the handles of a tree know little of each other, and eliminated children
 * first, they stay so. Matrices lie column by column, the lower half, in tiles of 8 x 8; of a tile of the factor that
 * is zero nothing is computed, and what is left out of a sum are zeros, so that the bits are a dense method's. */
#ifndef SN_HOST_COUPLED_TILES_H
#define SN_HOST_COUPLED_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_TILE 8

/* Of a matrix (count^2), and the right-hand side, which is its row `count`. */
typedef struct sn_coupled_tiles {
    int count, rank; /* unknowns; tiles a side */
    bool *is_felt;   /* (rank x rank) [row][column] of the factor's lower half */
} sn_coupled_tiles;

static inline int sn_tiles_rank(int count)
{
    return count / SN_TILE + 1;
}

/* Numbers of a column, from one to the next. */
static inline size_t sn_tiles_stride(const sn_coupled_tiles *tiles)
{
    return SN_TILE * (size_t)tiles->rank;
}

static inline size_t sn_tiles_at(const sn_coupled_tiles *tiles, int row, int column)
{
    return sn_tiles_stride(tiles) * (size_t)column + (size_t)row;
}

/* What elimination fills of a symmetric matrix, is_felt (count^2), row after row: the lower half. To be found for what
 * is smaller than tiles, which know too much of each other. */
void sn_tiles_fill(int count, bool *is_felt);

/* Empty, but for the diagonal and the right-hand side. */
void sn_tiles_begin(int count, sn_coupled_tiles *tiles);
/* Entries of the matrix from `row` and `column` on, so many, are not all zero. */
void sn_tiles_feel(sn_coupled_tiles *tiles, int row, int row_count, int column, int column_count);

/* Rows of a matrix (count^2) that are not zero, in each eight columns: the block `b` begins at column
 * sn_rows_first(count, b), and its rows are runs[2 i], up to runs[2 i + 1], for i from starts[b] on. */
typedef struct sn_coupled_rows {
    int32_t *starts; /* (blocks + 1) */
    int32_t *runs;   /* (blocks x sn_rows_most(count)) pairs */
} sn_coupled_rows;

static inline int sn_rows_blocks(int count)
{
    return (count + SN_TILE - 1) / SN_TILE;
}

/* The last block overlaps the one before; of less than eight columns there is one. */
static inline int sn_rows_first(int count, int block)
{
    const int first = SN_TILE * block, last = count > SN_TILE ? count - SN_TILE : 0;
    return first < last ? first : last;
}

/* Runs of a block: those that are closer than a tile are one. */
static inline int sn_rows_most(int count)
{
    return count / (SN_TILE + 1) + 1;
}

/* Of the sum of up to three matrices' sizes; the last ones may be null. */
void sn_rows_find(int count, const double *const matrices[3], sn_coupled_rows *rows);

#endif
