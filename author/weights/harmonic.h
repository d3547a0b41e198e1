/* SPDX-License-Identifier: MIT */
/* Fields that are known at some vertices of a tet mesh and harmonic at the others. */
#ifndef SN_AUTHOR_WEIGHTS_HARMONIC_H
#define SN_AUTHOR_WEIGHTS_HARMONIC_H

#include "author/sparse/laplacian.h"
#include "host/mesh/tet_mesh.h"

/* Solves L w = 0 where is_known (vertex_count) is false. fields (vertex_count x field_count) contains the known rows
 * and receives the others. A component without known vertices gets 0. */
sn_result sn_harmonic_fill(const sn_tet_mesh *mesh, const double *gradients, const double *volumes,
                           const bool *is_known, int field_count, double *fields);

#endif
