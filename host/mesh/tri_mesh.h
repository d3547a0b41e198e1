/* SPDX-License-Identifier: MIT */
/* Triangle meshes as drawn: normals, tangents, and derivatives of vertex fields over them, in double, for cooking.
 * Plain arrays; outputs belong to the caller. */
#ifndef SN_HOST_MESH_TRI_MESH_H
#define SN_HOST_MESH_TRI_MESH_H

#include "host/base/arena.h"

typedef struct sn_tri_mesh {
    int vertex_count, triangle_count;
    const double *positions;  /* (vertex_count x 3) */
    const int32_t *triangles; /* (triangle_count x 3), counter-clockwise from outside */
} sn_tri_mesh;

/* Unit normals (vertex_count x 3): of the incident triangles, weighted by angle. A vertex without one gets +Y. */
void sn_tri_normals(const sn_tri_mesh *mesh, double *normals);

/* Unit tangents with handedness (vertex_count x 4): along u where there are uvs (vertex_count x 2, v down, null: none)
 * and they are not degenerate, else any direction across the normal. bitangent = w n x t. */
void sn_tri_tangents(const sn_tri_mesh *mesh, const double *normals, const double *uvs, double *tangents);

/* groups (vertex_count): vertices at the same place, to the bit, with normals within a degree share a number. Seams of
 * texture coordinates split such vertices; what is computed from neighbours must not see that. Without normals (null):
 * all vertices at the same place. */
sn_result sn_tri_groups(const sn_tri_mesh *mesh, const double *normals, int32_t *groups, int *group_count);

/* Directional derivatives along tangent and bitangent of piecewise linear fields (vertex_count x field_count):
 * derivatives (vertex_count x field_count x 2). A vertex has the mean of the gradients over the triangles of its group,
 * weighted by angle. Hence normals, which are means of triangle normals, and derivatives match. */
sn_result sn_tri_derivatives(const sn_tri_mesh *mesh, const int32_t *groups, int group_count, const double *normals,
                             const double *tangents, const double *fields, int field_count, double *derivatives);

#endif
