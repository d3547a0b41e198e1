/* SPDX-License-Identifier: MIT */
/* Whether a segment meets a tet: what of it is inside of all four half-spaces. */
#ifndef SN_AUTHOR_COOK_COLLIDERS_SEGMENT_TET_H
#define SN_AUTHOR_COOK_COLLIDERS_SEGMENT_TET_H

#include "host/mesh/tet_mesh.h"

/* gradients (12) of the tet's hat functions. Touching a face, an edge or a corner is meeting, for all that share it; a
 * segment without length is a point. */
bool sn_segment_meets_tet(const sn_tet_mesh *mesh, int tet, const double *gradients, const double *start,
                          const double *end);

#endif
