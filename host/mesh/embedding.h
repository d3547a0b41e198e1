/* SPDX-License-Identifier: MIT */
/* Locates points in a mesh. */
#ifndef SN_HOST_MESH_EMBEDDING_H
#define SN_HOST_MESH_EMBEDDING_H

#include "host/mesh/tet_mesh.h"
#include "host/mesh/tri_mesh.h"

/* The nearest point of a triangle (3 x 3 positions) as barycentric coordinates (3); returns the squared distance. */
double sn_triangle_nearest(const double *const corners[3], const double *point, double *barycentric);

/* For each point, (point_count x 3), the nearest triangle and the nearest point's barycentric coordinates there
 * (point_count x 3). */
sn_result sn_tri_locate(const sn_tri_mesh *mesh, const double *points, int point_count, int32_t *triangles,
                        double *barycentric);

/* For each point, the tet that contains it, or, if it is outside, the tet of the nearest boundary triangle; and its
 * barycentric coordinates there (point_count x 4), which reproduce the point exactly, and are negative outside.
 * boundary is (boundary_count x 3), from sn_tet_boundary. */
sn_result sn_tet_locate(const sn_tet_mesh *mesh, const int32_t *boundary, int boundary_count, const double *points,
                        int point_count, int32_t *tets, double *barycentric);

#endif
