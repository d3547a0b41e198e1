/* SPDX-License-Identifier: MIT */
#include "host/coupled/tiles.h"

#include <string.h>

void sn_tiles_begin(int count, sn_coupled_tiles *tiles)
{
    tiles->count = count;
    tiles->rank = sn_tiles_rank(count);
    memset(tiles->is_felt, 0, (size_t)(tiles->rank * tiles->rank) * sizeof *tiles->is_felt);
    for (int i = 0; i < tiles->rank; ++i) {
        tiles->is_felt[tiles->rank * i + i] = true;
        tiles->is_felt[tiles->rank * (tiles->rank - 1) + i] = true;
    }
}

void sn_tiles_feel(sn_coupled_tiles *tiles, int row, int row_count, int column, int column_count)
{
    for (int i = row / SN_TILE; row_count > 0 && i <= (row + row_count - 1) / SN_TILE; ++i) {
        for (int j = column / SN_TILE; column_count > 0 && j <= (column + column_count - 1) / SN_TILE; ++j) {
            tiles->is_felt[tiles->rank * i + j] = true;
        }
    }
}

/* A column's rows are those of the first of them, too. */
void sn_tiles_fill(sn_coupled_tiles *tiles)
{
    const int rank = tiles->rank;
    for (int column = 0; column < rank; ++column) {
        int parent = column + 1;
        while (parent < rank && !tiles->is_felt[rank * parent + column]) {
            ++parent;
        }
        for (int i = parent + 1; i < rank; ++i) {
            tiles->is_felt[rank * i + parent] |= tiles->is_felt[rank * i + column];
        }
    }
}

void sn_tiles_clear(const sn_coupled_tiles *tiles, double *matrix)
{
    for (int column = 0; column < tiles->rank; ++column) {
        for (int row = column; row < tiles->rank; ++row) {
            double *tile = matrix + sn_tiles_at(tiles, SN_TILE * row, SN_TILE * column);
            for (int j = 0; j < SN_TILE && tiles->is_felt[tiles->rank * row + column]; ++j) {
                memset(tile + sn_tiles_stride(tiles) * (size_t)j, 0, SN_TILE * sizeof *tile);
            }
        }
    }
}

static bool is_row_felt(int count, int row, int block, const double *const matrices[3])
{
    const int first = sn_rows_first(count, block);
    for (int m = 0; m < 3 && matrices[m]; ++m) {
        const double *entries = matrices[m] + (size_t)count * (size_t)row;
        for (int j = first; j < first + SN_TILE && j < count; ++j) {
            if (entries[j] != 0) {
                return true;
            }
        }
    }
    return false;
}

void sn_rows_find(int count, const double *const matrices[3], sn_coupled_rows *rows)
{
    rows->starts[0] = 0;
    for (int block = 0; block < sn_rows_blocks(count); ++block) {
        int32_t at = rows->starts[block];
        for (int row = 0; row < count; ++row) {
            if (!is_row_felt(count, row, block, matrices)) {
                continue;
            }
            if (at > rows->starts[block] && row - rows->runs[2 * at - 1] < SN_TILE) {
                rows->runs[2 * at - 1] = row + 1;
            } else {
                rows->runs[2 * at] = row;
                rows->runs[2 * at++ + 1] = row + 1;
            }
        }
        rows->starts[block + 1] = at;
    }
}
