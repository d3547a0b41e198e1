/* SPDX-License-Identifier: MIT */
/* What flat and solid lattices share: nodes with their distances, and the cuts of their edges. */
#ifndef SN_SCENES_SHAPES_SHAPE_LATTICE_H
#define SN_SCENES_SHAPES_SHAPE_LATTICE_H

#include "scenes/shapes/shape.h"

typedef struct sn_lattice {
    const sn_shape_field *field;
    int counts[3], direction_count; /* edges of a node that go on from it */
    double (*nodes)[3];
    double *distances; /* below 0 inside, 0 on the boundary */
    int32_t *cuts;     /* (node_count x direction_count) vertex + 1 of an edge's cut; 0: none yet */
    int32_t *vertices; /* (node_count) vertex + 1 of a node; 0: not used */
    sn_shape_mesh *mesh;
    int vertex_limit, triangle_limit;
    bool is_out_of_memory;
} sn_lattice;

sn_result sn_lattice_init(sn_lattice *lattice, const sn_shape_field *field, const int counts[3], int direction_count,
                          sn_shape_mesh *mesh);
void sn_lattice_finish(sn_lattice *lattice);
/* Distances of all nodes; those nearer than a share of an edge are moved onto the boundary. */
void sn_lattice_fit(sn_lattice *lattice);
static inline int sn_lattice_node(const sn_lattice *lattice, int x, int y, int z)
{
    return (z * lattice->counts[1] + y) * lattice->counts[0] + x;
}
/* The mesh's vertex at a node, or at the cut of the edge between two nodes, which is the node's `direction`th. */
int32_t sn_lattice_vertex(sn_lattice *lattice, int node);
int32_t sn_lattice_cut(sn_lattice *lattice, int node, int direction, int other);
void sn_lattice_triangle(sn_lattice *lattice, int32_t a, int32_t b, int32_t c);

#endif
