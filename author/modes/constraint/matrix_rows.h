/* SPDX-License-Identifier: MIT */
/* Private to author/modes: a symmetric matrix with all entries stored by rows, and its product with blocks of vectors.
 */
#ifndef SN_AUTHOR_MODES_CONSTRAINT_MATRIX_ROWS_H
#define SN_AUTHOR_MODES_CONSTRAINT_MATRIX_ROWS_H

#include "author/sparse/sparse.h"

typedef struct sn_matrix_rows {
    size_t size;
    size_t *starts;   /* (size + 1) */
    int32_t *columns; /* (starts[size]) ascending in each row */
    double *values;
    double *inverse_diagonal; /* (size) */
} sn_matrix_rows;

sn_result sn_matrix_rows_build(const sn_sparse *lower, sn_arena *arena, sn_matrix_rows *rows);

/* y = a x for the rows from `first` on: x (size x width) with a row stride of `stride`, y (count x width). width is a
 * multiple of 4. */
void sn_matrix_rows_multiply(const sn_matrix_rows *a, size_t first, size_t count, size_t width, const double *x,
                             size_t stride, double *y);

#endif
