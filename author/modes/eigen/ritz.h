/* SPDX-License-Identifier: MIT */
/* Private to author/modes: the pairs of lowest energy in the span of some columns. */
#ifndef SN_AUTHOR_MODES_EIGEN_RITZ_H
#define SN_AUTHOR_MODES_EIGEN_RITZ_H

#include "host/base/base.h"

/* Of columns S with the products gram = S^T S and energy = S^T K S (columns x columns): values (wanted) ascending, and
 * map (columns x wanted, column-major) such that S map is orthonormal. *rank: the dimension of the span; where it is
 * less than wanted nothing is written. Columns may be zero, or depend on others. */
sn_result sn_ritz_lowest(size_t columns, const double *gram, const double *energy, size_t wanted, double *values,
                         double *map, size_t *rank);

#endif
