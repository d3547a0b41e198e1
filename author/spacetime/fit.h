/* SPDX-License-Identifier: MIT */
/* Fits a tet mesh to given shapes of an embedded surface. */
#ifndef SN_AUTHOR_SPACETIME_FIT_H
#define SN_AUTHOR_SPACETIME_FIT_H

#include "author/spacetime/blendshapes.h"

/* Static projective dynamics: minimizes the elastic energy with springs between the surface's vertices and their target
 * positions; the springs are 1000 times as stiff as the mesh. shapes: (count) arrays of (surface.vertex_count x 3);
 * positions: (count) output arrays of (mesh.vertex_count x 3). *error: the largest remaining distance of a surface
 * vertex, in diagonals of the mesh. */
sn_result sn_spacetime_fit(const sn_tet_mesh *mesh, const sn_spacetime_material *material,
                           const sn_spacetime_surface *surface, int count, const double *const *shapes,
                           double *const *positions, double *error);

#endif
