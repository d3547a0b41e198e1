/* SPDX-License-Identifier: MIT */
/* The deformation gradient at vertices of a tet mesh: that of each tet is constant, and a vertex has the mean of the
 * tets around it, by volume (D. James, "Phong Deformation: A Better C0 Interpolant for Embedded Deformation", 2020). It
 * is linear in the positions, so that the mean is taken once, of the hat functions' gradients. */
#ifndef SN_HOST_MESH_NODAL_GRADIENTS_H
#define SN_HOST_MESH_NODAL_GRADIENTS_H

#include "host/mesh/tet_mesh.h"

/* Of node i, at a vertex: F = I_flat + sum_j (x_j - x_i) g_ij^T over its neighbours j. */
typedef struct sn_nodal_gradients {
    int node_count;
    bool is_flat;              /* a flat mesh's nodes have (0, 0, 1) across their plane: I_flat; else that is zero */
    const int32_t *vertices;   /* (node_count) of the mesh */
    const int32_t *starts;     /* (node_count + 1) */
    const int32_t *neighbours; /* of node i: from starts[i] up to starts[i + 1]: vertices, ascending */
    const double *gradients;   /* (starts[node_count] x 3) g_ij */
} sn_nodal_gradients;

/* vertices (node_count), which must outlive it. SN_ERROR_FORMAT where the tets around one, or none, have no volume. */
sn_result sn_nodal_gradients_build(const sn_tet_mesh *mesh, const int32_t *vertices, int node_count, sn_arena *arena,
                                   sn_nodal_gradients *nodal);

/* F (3 x 3), row-major, where the mesh's vertices are at positions (vertex_count x 3). */
void sn_nodal_gradient(const sn_nodal_gradients *nodal, int node, const double *positions, double *gradient);

#endif
