/* SPDX-License-Identifier: MIT */
/* Elimination of unknowns whose values are given. */
#include "author/sparse/sparse.h"

void sn_sparse_keep(sn_sparse *matrix, const int32_t *kept)
{
    int32_t filled = 0;
    int columns = 0;
    for (int column = 0; column < matrix->size; column++) {
        const int32_t start = matrix->column_starts[column], end = matrix->column_starts[column + 1];
        if (kept[column] < 0) {
            continue;
        }
        matrix->column_starts[columns++] = filled; /* never past a start that is still to be read */
        for (int32_t i = start; i < end; i++) {
            if (kept[matrix->rows[i]] >= 0) {
                matrix->rows[filled] = kept[matrix->rows[i]];
                matrix->values[filled++] = matrix->values[i];
            }
        }
    }
    matrix->column_starts[columns] = filled;
    matrix->size = columns;
}
