/* SPDX-License-Identifier: MIT */
#include "host/coupled/tiles.h"

#include <string.h>

/* Each column's rows are added to those of its parent, the first of them. */
void sn_tiles_fill_in(int count, bool *is_nonzero)
{
    const size_t n = (size_t)count;
    for (size_t column = 0; column < n; ++column) {
        size_t parent = column + 1;
        while (parent < n && !is_nonzero[n * parent + column]) {
            ++parent;
        }
        for (size_t i = parent + 1; i < n; ++i) {
            is_nonzero[n * i + parent] |= is_nonzero[n * i + column];
        }
    }
}

void sn_tiles_init(int count, sn_coupled_tiles *tiles)
{
    tiles->count = count;
    tiles->rank = sn_tiles_rank(count);
    memset(tiles->is_nonzero, 0, (size_t)(tiles->rank * tiles->rank) * sizeof *tiles->is_nonzero);
    for (int i = 0; i < tiles->rank; ++i) {
        tiles->is_nonzero[tiles->rank * i + i] = true;
        tiles->is_nonzero[tiles->rank * (tiles->rank - 1) + i] = true;
    }
}

void sn_tiles_add(sn_coupled_tiles *tiles, int row, int row_count, int column, int column_count)
{
    for (int i = row / SN_TILE; row_count > 0 && i <= (row + row_count - 1) / SN_TILE; ++i) {
        for (int j = column / SN_TILE; column_count > 0 && j <= (column + column_count - 1) / SN_TILE; ++j) {
            tiles->is_nonzero[tiles->rank * i + j] = true;
        }
    }
}

static bool is_row_nonzero(int count, int row, int block, const double *const matrices[3])
{
    const int first = sn_rows_first_column(count, block);
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

void sn_rows_find(int count, const double *const matrices[3], sn_coupled_nonzero_rows *rows)
{
    rows->starts[0] = 0;
    for (int block = 0; block < sn_rows_block_count(count); ++block) {
        int32_t at = rows->starts[block];
        for (int row = 0; row < count; ++row) {
            if (!is_row_nonzero(count, row, block, matrices)) {
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
