/* SPDX-License-Identifier: MIT */
/* Tetrahedral meshes and their discrete operators, in double, for cooking. Plain arrays; the caller owns the outputs.
 */
#ifndef SN_HOST_MESH_TET_MESH_H
#define SN_HOST_MESH_TET_MESH_H

#include <stdbool.h>

#include "host/base/arena.h"

typedef struct sn_tet_mesh {
    int vertex_count;
    int tet_count;
    double *positions; /* (vertex_count x 3) */
    int32_t *tets;     /* (tet_count x 4), positively oriented: det[b-a, c-a, d-a] > 0 */
    bool is_flat;      /* see host/mesh/flat_mesh.h */
} sn_tet_mesh;

/* Fraction of a tet's volume that belongs to a corner. */
static inline double sn_tet_corner_fraction(const sn_tet_mesh *mesh, int corner)
{
    return !mesh->is_flat ? 0.25 : corner < 3 ? 1.0 / 3 : 0;
}

/* Signed volume of tet t. */
double sn_tet_volume(const sn_tet_mesh *mesh, int tet);

/* Bounding box of the vertices; low and high are (3). Returns the length of its diagonal. */
double sn_tet_mesh_box(const sn_tet_mesh *mesh, double *low, double *high);

/* Validates and repairs a mesh from outside. Errors (SN_ERROR_FORMAT): no tet, a tet of zero or negative volume (if
 * every tet of several is negative, all are flipped, with a warning), a repeated vertex in a tet, a duplicate tet.
 * Unused vertices are removed, with a warning; the order of the others stays. `name` is for messages. old_index
 * receives the old indices of the remaining vertices unless it is null. */
sn_result sn_tet_mesh_validate(sn_tet_mesh *mesh, const char *name, sn_arena *arena, int32_t **old_index);

/* Hat-function gradients (tet_count x 4 x 3) and volumes (tet_count). */
void sn_tet_gradients(const sn_tet_mesh *mesh, double *gradients, double *volumes);

/* Lumped mass (vertex_count): fractions of the volumes of the incident tets, each times scale[t] (null: 1). */
void sn_tet_lumped_mass(const sn_tet_mesh *mesh, const double *volumes, const double *scale, double *mass);

/* Face neighbours (tet_count x 4): entry k is the tet across the face opposite corner k, or -1 on the boundary. If more
 * than two triangles of a flat mesh share an edge, it is the next one of their ring. Error: SN_ERROR_FORMAT if more
 * than two tets share a face. */
sn_result sn_tet_neighbours(const sn_tet_mesh *mesh, sn_arena *scratch, int32_t *neighbours);

/* Marks the vertices on the boundary (for a flat mesh: on its outline). is_boundary (vertex_count) must be zero before.
 */
void sn_tet_mark_boundary(const sn_tet_mesh *mesh, const int32_t *neighbours, bool *is_boundary);

/* Boundary triangles, oriented outwards; for a flat mesh, all its triangles. *triangles is (*triangle_count x 3),
 * allocated from the arena. */
sn_result sn_tet_boundary(const sn_tet_mesh *mesh, const int32_t *neighbours, sn_arena *arena, int32_t **triangles,
                          int *triangle_count);

#endif
