/* SPDX-License-Identifier: MIT */
/* Private to author/modes: an order of the unknowns in which products with the matrix find what they need in the cache.
 */
#ifndef SN_AUTHOR_MODES_EIGEN_ORDER_H
#define SN_AUTHOR_MODES_EIGEN_ORDER_H

#include "author/modes/constraint/matrix_rows.h"
#include "author/modes/constraint/problem.h"

/* order[i] (k->size) is the number of the unknown that comes i-th: along lines of columns of slabs, all as thick as
 * edges are long. Null where the order there is does as well. positions is (vertex_count x 3). */
sn_result sn_mode_order_find(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                             sn_arena *arena, int32_t **order);

/* `ordered` is the problem without its matrix, of which `rows` are. What is not in any order is shared. */
sn_result sn_mode_order_apply(const int32_t *order, const sn_mode_problem *problem, const sn_matrix_rows *k,
                              sn_arena *arena, sn_mode_problem *ordered, sn_matrix_rows *rows);

#endif
