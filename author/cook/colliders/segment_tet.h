/* SPDX-License-Identifier: MIT */
/* Intersection of a segment and a tet, by clipping against its four half-spaces. */
#ifndef SN_AUTHOR_COOK_COLLIDERS_SEGMENT_TET_H
#define SN_AUTHOR_COOK_COLLIDERS_SEGMENT_TET_H

#include "host/mesh/tet_mesh.h"

/* Whether they intersect. gradients (12) of the tet's hat functions. Touching a face, an edge or a corner counts; a
 * segment of length 0 is a point. */
bool sn_segment_intersects_tet(const sn_tet_mesh *mesh, int tet, const double *gradients, const double *start,
                               const double *end);

#endif
