/* SPDX-License-Identifier: MIT */
/* Copies of matrices, and removal of rows and columns. */
#include "author/sparse/sparse.h"

#include <string.h>

sn_result sn_sparse_copy(const sn_sparse *from, sn_arena *arena, sn_sparse *copy)
{
    const size_t size = (size_t)from->size, filled = (size_t)from->column_starts[size];
    *copy = (sn_sparse){.size = from->size,
                        .column_starts = SN_NEW(arena, int32_t, size + 1),
                        .rows = SN_NEW(arena, int32_t, filled),
                        .values = SN_NEW(arena, double, filled)};
    if (!copy->column_starts || !copy->rows || !copy->values) {
        return SN_ERROR_MEMORY;
    }
    memcpy(copy->column_starts, from->column_starts, (size + 1) * sizeof *copy->column_starts);
    memcpy(copy->rows, from->rows, filled * sizeof *copy->rows);
    memcpy(copy->values, from->values, filled * sizeof *copy->values);
    return SN_OK;
}

void sn_sparse_select(sn_sparse *matrix, const int32_t *selected)
{
    int32_t filled = 0;
    int columns = 0;
    for (int column = 0; column < matrix->size; column++) {
        const int32_t start = matrix->column_starts[column], end = matrix->column_starts[column + 1];
        if (selected[column] < 0) {
            continue;
        }
        matrix->column_starts[columns++] = filled; /* never overwrites a start that is still to be read */
        for (int32_t i = start; i < end; i++) {
            if (selected[matrix->rows[i]] >= 0) {
                matrix->rows[filled] = selected[matrix->rows[i]];
                matrix->values[filled++] = matrix->values[i];
            }
        }
    }
    matrix->column_starts[columns] = filled;
    matrix->size = columns;
}
