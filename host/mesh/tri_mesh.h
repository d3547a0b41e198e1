/* SPDX-License-Identifier: MIT */
/* Triangle meshes for drawing: normals, tangents, and derivatives of vertex fields, in double, for cooking. Plain
 * arrays; the caller owns the outputs. */
#ifndef SN_HOST_MESH_TRI_MESH_H
#define SN_HOST_MESH_TRI_MESH_H

#include "host/base/arena.h"

typedef struct sn_tri_mesh {
    int vertex_count, triangle_count;
    const double *positions;  /* (vertex_count x 3) */
    const int32_t *triangles; /* (triangle_count x 3), counter-clockwise from outside */
} sn_tri_mesh;

/* Unit normals (vertex_count x 3): the mean of the incident triangles, weighted by angle; +Y for a vertex without any.
 */
void sn_tri_normals(const sn_tri_mesh *mesh, double *normals);

/* Unit tangents with handedness (vertex_count x 4): along u if uvs (vertex_count x 2, v down, or null) are given and
 * not degenerate, otherwise any direction across the normal. bitangent = w n x t. */
void sn_tri_tangents(const sn_tri_mesh *mesh, const double *normals, const double *uvs, double *tangents);

/* groups (vertex_count): vertices with bit-identical positions and normals within one degree share a number. Texture
 * seams split such vertices, which must not affect results computed from neighbours. Without normals (null): all
 * vertices at the same position. */
sn_result sn_tri_groups(const sn_tri_mesh *mesh, const double *normals, int32_t *groups, int *group_count);

/* Directional derivatives along tangent and bitangent of piecewise linear fields (vertex_count x field_count):
 * derivatives (vertex_count x field_count x 2). A vertex has the mean of the gradients over the triangles of its group,
 * weighted by angle, like the normals, so that both are consistent. */
sn_result sn_tri_derivatives(const sn_tri_mesh *mesh, const int32_t *groups, int group_count, const double *normals,
                             const double *tangents, const double *fields, int field_count, double *derivatives);

#endif
