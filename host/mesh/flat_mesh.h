/* SPDX-License-Identifier: MIT */
/* Flat bodies: triangles in the plane z = 0, as a prism of unit thickness whose fields do not depend on z. Such a mesh
 * is a sn_tet_mesh with is_flat, whose tets have collapsed: the fourth corner repeats the third, with a gradient and a
 * share of 0, and a volume is an area. So everything that sums over corners takes triangles, too. */
#ifndef SN_HOST_MESH_FLAT_MESH_H
#define SN_HOST_MESH_FLAT_MESH_H

#include "host/mesh/tet_mesh.h"

/* Checks and repairs triangles that came from outside, as a flat mesh's tets. z is 0 afterwards, and *plane what it
 * was. Errors (SN_ERROR_FORMAT): no triangle, an index out of range, a vertex off the plane z = const, a triangle that
 * repeats a vertex, has no area or is given twice, an edge of three triangles, a vertex of none. Triangles that are
 * clockwise, seen from +z, are turned, with a warning where only some are. `name` is for messages. */
sn_result sn_flat_mesh_validate(sn_tet_mesh *mesh, const char *name, double *plane);

/* Signed area of triangle t: positive where it is counter-clockwise, seen from +z. */
double sn_flat_area(const sn_tet_mesh *mesh, int triangle);

/* As sn_tet_gradients. */
void sn_flat_gradients(const sn_tet_mesh *mesh, double *gradients, double *areas);

/* All triangles, (tet_count x 3), from the arena. */
sn_result sn_flat_triangles(const sn_tet_mesh *mesh, sn_arena *arena, int32_t **triangles, int *triangle_count);

#endif
