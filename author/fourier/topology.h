/* SPDX-License-Identifier: MIT */
/* Private to author/fourier: a mesh's edges and the faces at each edge, any number of them. */
#ifndef SN_AUTHOR_FOURIER_TOPOLOGY_H
#define SN_AUTHOR_FOURIER_TOPOLOGY_H

#include "host/mesh/tri_mesh.h"

typedef struct sn_fit_topology {
    const sn_tri_mesh *mesh;
    int edge_count;
    int32_t *edges;       /* (edge_count x 2) vertices, sorted */
    int32_t *face_starts; /* (edge_count + 1) */
    int32_t *faces;       /* (face_starts[edge_count]) faces at each edge, ascending */
    int32_t *face_edges;  /* (triangle_count x 3) edge from corner i to corner i + 1 */
    double *normals;      /* (triangle_count x 3) unit, or 0 for degenerate faces */
    double *centers;      /* (triangle_count x 3) */
    double *areas;        /* (triangle_count) */
    double mean_edge;
} sn_fit_topology;

sn_result sn_fit_topology_build(const sn_tri_mesh *mesh, sn_arena *arena, sn_fit_topology *topology);
double sn_fit_edge_length(const sn_fit_topology *topology, int edge);

/* segmentation.c: computes parts (triangle_count), numbered from 0 in the order of their first faces, and their number.
 */
sn_result sn_fit_segment(const sn_fit_topology *topology, int part_count, int32_t *parts, int *number_count);

/* seeds.c: finds faces far from each other, at least one per component; also computes components (triangle_count). */
sn_result sn_fit_find_seeds(const sn_fit_topology *topology, sn_arena *arena, int32_t **seeds, int *count,
                            int32_t *components);

#endif
