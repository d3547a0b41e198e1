/* SPDX-License-Identifier: MIT */
/* Private to author/sparse: supernodes of a sparse Cholesky factor. */
#ifndef SN_AUTHOR_SPARSE_FIND_SUPERNODES_H
#define SN_AUTHOR_SPARSE_FIND_SUPERNODES_H

#include "author/sparse/sparse.h"

/* Supernode s has columns first_columns[s] up to first_columns[s + 1]; its rows, these columns first, are
 * rows[row_starts[s]] up to rows[row_starts[s + 1]], ascending. */
typedef struct sn_supernode_list {
    int count;
    int32_t *first_columns, *row_starts; /* (count + 1) */
    int32_t *rows;                       /* (row_starts[count]) */
} sn_supernode_list;

/* order (size): the unknown that is eliminated i-th, a postorder of the elimination tree; counts (size): entries of
 * each column of the factor in that order, with the diagonal. The arrays of the list live in the arena; what scratch
 * holds may be freed afterwards. Errors: SN_ERROR_MEMORY; SN_ERROR_UNSUPPORTED where the rows exceed 2^31 - 1. Logs
 * nothing. */
sn_result sn_find_supernodes(const sn_sparse *matrix, const int32_t *order, const int32_t *counts, sn_arena *scratch,
                             sn_arena *arena, sn_supernode_list *list);

#endif
