/* SPDX-License-Identifier: MIT */
/* Private to author/modes: Rayleigh-Ritz, the pairs of lowest energy in the span of given columns. */
#ifndef SN_AUTHOR_MODES_EIGEN_RITZ_H
#define SN_AUTHOR_MODES_EIGEN_RITZ_H

#include "host/base/base.h"

/* For columns S with gram = S^T S and energy = S^T K S (columns x columns): computes values (requested), ascending, and
 * map (columns x requested, column-major) such that S map is orthonormal. *rank: the dimension of the span; if it is
 * below `requested`, nothing is written. Columns may be zero or dependent. */
sn_result sn_ritz_lowest(size_t columns, const double *gram, const double *energy, size_t requested, double *values,
                         double *map, size_t *rank);

#endif
