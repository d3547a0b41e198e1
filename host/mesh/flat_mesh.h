/* SPDX-License-Identifier: MIT */
/* Flat bodies: triangles in the plane z = 0, which represent a prism of unit thickness with fields that do not depend
 * on z. Such a mesh is a sn_tet_mesh with is_flat and collapsed tets: the fourth corner repeats the third, with zero
 * gradient and mass fraction, and volumes are areas. All sums over corners therefore work for triangles, too. */
#ifndef SN_HOST_MESH_FLAT_MESH_H
#define SN_HOST_MESH_FLAT_MESH_H

#include "host/mesh/tet_mesh.h"

/* Validates and repairs triangles from outside, as tets of a flat mesh. Sets z to 0, and *plane to its former value.
 * Errors (SN_ERROR_FORMAT): no triangle, an index out of range, a vertex off the plane z = const, a triangle with a
 * repeated vertex or zero area, a duplicate triangle, an edge with three triangles, an unused vertex. Triangles that
 * are clockwise as seen from +z are flipped, with a warning if only some are. `name` is for messages. */
sn_result sn_flat_mesh_validate(sn_tet_mesh *mesh, const char *name, double *plane);

/* Signed area of triangle t: positive if counter-clockwise as seen from +z. */
double sn_flat_area(const sn_tet_mesh *mesh, int triangle);

/* Like sn_tet_gradients. */
void sn_flat_gradients(const sn_tet_mesh *mesh, double *gradients, double *areas);

/* All triangles, (tet_count x 3), allocated from the arena. */
sn_result sn_flat_triangles(const sn_tet_mesh *mesh, sn_arena *arena, int32_t **triangles, int *triangle_count);

#endif
