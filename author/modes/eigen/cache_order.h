/* SPDX-License-Identifier: MIT */
/* Private to author/modes: a cache-friendly order of the unknowns for products with the matrix. */
#ifndef SN_AUTHOR_MODES_EIGEN_CACHE_ORDER_H
#define SN_AUTHOR_MODES_EIGEN_CACHE_ORDER_H

#include "author/modes/constraint/matrix_rows.h"
#include "author/modes/constraint/problem.h"

/* order[i] (k->size): the index of the unknown that comes i-th. Sorts along lines in columns in slabs, all about one
 * edge length thick. Null if this would not improve the present order. positions (vertex_count x 3). */
sn_result sn_mode_order_find(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                             sn_arena *arena, int32_t **order);

/* `ordered`: the problem without its matrix; `rows`: the reordered matrix. Shares with `problem` whatever has no order.
 */
sn_result sn_mode_order_apply(const int32_t *order, const sn_mode_problem *problem, const sn_matrix_rows *k,
                              sn_arena *arena, sn_mode_problem *ordered, sn_matrix_rows *rows);

#endif
