/* SPDX-License-Identifier: MIT */
/* Tetrahedral meshes and their discrete operators, in double, for cooking. Plain arrays; outputs belong to the caller.
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

/* A corner's share of a tet's volume. */
static inline double sn_tet_share(const sn_tet_mesh *mesh, int corner)
{
    return !mesh->is_flat ? 0.25 : corner < 3 ? 1.0 / 3 : 0;
}

/* Signed volume of tet t. */
double sn_tet_volume(const sn_tet_mesh *mesh, int tet);

/* The box of the vertices; returns the length of its diagonal. low and high are (3). */
double sn_tet_mesh_box(const sn_tet_mesh *mesh, double *low, double *high);

/* Checks and repairs a mesh that came from outside. Errors (SN_ERROR_FORMAT): no tet, a tet of zero or negative
 * volume (when every tet of several is negative, all are flipped, with a warning), a repeated vertex in a tet, a tet
 * given twice. Vertices that no tet uses are removed, with a warning; the order of the others stays. `name` is for
 * messages. Writes the kept vertices' old indices to old_index when it is not null. */
sn_result sn_tet_mesh_validate(sn_tet_mesh *mesh, const char *name, sn_arena *arena, int32_t **old_index);

/* Hat-function gradients (tet_count x 4 x 3) and volumes (tet_count). */
void sn_tet_gradients(const sn_tet_mesh *mesh, double *gradients, double *volumes);

/* Lumped mass (vertex_count): shares of the volumes of the incident tets, each times scale[t] (null: 1). */
void sn_tet_lumped_mass(const sn_tet_mesh *mesh, const double *volumes, const double *scale, double *mass);

/* Face neighbours (tet_count x 4): entry k is the tet across the face opposite corner k, or -1 on the boundary. Where
 * more than two triangles of a flat mesh share an edge, it is the next of them, in a ring. SN_ERROR_FORMAT where more
 * than two tets share a face. */
sn_result sn_tet_neighbours(const sn_tet_mesh *mesh, sn_arena *scratch, int32_t *neighbours);

/* Vertices on the boundary; of a flat mesh, on its outline. is_boundary (vertex_count) is zero before. */
void sn_tet_mark_boundary(const sn_tet_mesh *mesh, const int32_t *neighbours, bool *is_boundary);

/* Boundary triangles, oriented outwards; of a flat mesh, all of its triangles; *triangles is (count x 3), from the
 * arena. Returns through *triangle_count. */
sn_result sn_tet_boundary(const sn_tet_mesh *mesh, const int32_t *neighbours, sn_arena *arena, int32_t **triangles,
                          int *triangle_count);

#endif
