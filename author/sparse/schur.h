/* SPDX-License-Identifier: MIT */
/* Private to author/sparse: products through a supernodal factor. */
#ifndef SN_AUTHOR_SPARSE_SCHUR_H
#define SN_AUTHOR_SPARSE_SCHUR_H

#include "author/sparse/sparse.h"
#include "author/sparse/supernodal.h"

/* See sn_factor_schur. */
sn_result sn_supernodal_schur(const sn_supernodes *factor, const sn_sparse_columns *q, double *schur);

#endif
