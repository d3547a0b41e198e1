/* SPDX-License-Identifier: MIT */
/* Where a mesh's vertices are when a surface in it has a given shape. */
#ifndef SN_AUTHOR_SPACETIME_FIT_H
#define SN_AUTHOR_SPACETIME_FIT_H

#include "author/spacetime/blendshapes.h"

/* Static projective dynamics: the least elastic energy with springs from the surface's vertices to their places; the
 * springs are a thousand times as stiff as the mesh. shapes: (count) of (surface.vertex_count x 3); positions: (count)
 * of (mesh.vertex_count x 3), out. *error: the largest distance left of a surface vertex, in diagonals of the mesh. */
sn_result sn_spacetime_fit(const sn_tet_mesh *mesh, const sn_spacetime_material *material,
                           const sn_spacetime_surface *surface, int count, const double *const *shapes,
                           double *const *positions, double *error);

#endif
