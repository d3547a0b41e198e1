/* SPDX-License-Identifier: MIT */
/* Deformation gradients at the vertices of a tet mesh: each tet has a constant one, and a vertex has the
 * volume-weighted mean of the tets around it (D. James, "Phong Deformation: A Better C0 Interpolant for Embedded
 * Deformation", 2020). It is linear in the positions, so that the gradients of the hat functions are averaged once. */
#ifndef SN_HOST_MESH_NODAL_GRADIENTS_H
#define SN_HOST_MESH_NODAL_GRADIENTS_H

#include "host/mesh/tet_mesh.h"

/* For node i: F = I_flat + sum_j (x_j - x_i) g_ij^T over its neighbours j. */
typedef struct sn_nodal_gradients {
    int node_count;
    bool is_flat;              /* I_flat: for a flat mesh, the unit entry across its plane; otherwise zero */
    const int32_t *vertices;   /* (node_count) vertices of the mesh */
    const int32_t *starts;     /* (node_count + 1) */
    const int32_t *neighbours; /* neighbours of node i: starts[i] to starts[i + 1], ascending */
    const double *gradients;   /* (starts[node_count] x 3) g_ij */
} sn_nodal_gradients;

/* vertices (node_count) must outlive the result. Error: SN_ERROR_FORMAT if a vertex has no tets, or tets without
 * volume. */
sn_result sn_nodal_gradients_build(const sn_tet_mesh *mesh, const int32_t *vertices, int node_count, sn_arena *arena,
                                   sn_nodal_gradients *nodal);

/* F (3 x 3), row-major, for current positions (vertex_count x 3) of the mesh. */
void sn_nodal_gradient(const sn_nodal_gradients *nodal, int node, const double *positions, double *gradient);

#endif
