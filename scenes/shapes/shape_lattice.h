/* SPDX-License-Identifier: MIT */
/* Shared by flat and solid lattices: nodes with signed distances, and cut vertices of their edges. */
#ifndef SN_SCENES_SHAPES_SHAPE_LATTICE_H
#define SN_SCENES_SHAPES_SHAPE_LATTICE_H

#include "scenes/shapes/shape.h"

typedef struct sn_lattice {
    const sn_shape_field *field;
    int counts[3], direction_count; /* direction_count: edges that a node owns */
    double (*nodes)[3];
    double *distances; /* negative inside, 0 on the boundary */
    int32_t *cuts;     /* (node_count x direction_count) vertex + 1 of an edge's cut; 0: none yet */
    int32_t *vertices; /* (node_count) vertex + 1 of a node; 0: unused */
    sn_shape_mesh *mesh;
    int vertex_limit, triangle_limit;
    bool is_out_of_memory;
} sn_lattice;

sn_result sn_lattice_init(sn_lattice *lattice, const sn_shape_field *field, const int counts[3], int direction_count,
                          sn_shape_mesh *mesh);
void sn_lattice_finish(sn_lattice *lattice);
/* Evaluates the distances of all nodes and snaps nodes near the boundary to it. */
void sn_lattice_snap(sn_lattice *lattice);
static inline int sn_lattice_node(const sn_lattice *lattice, int x, int y, int z)
{
    return (z * lattice->counts[1] + y) * lattice->counts[0] + x;
}
/* The mesh vertex at a node, or at the cut of the edge between two nodes; `direction` is the edge's index at the first
 * node. Created on first use. */
int32_t sn_lattice_vertex(sn_lattice *lattice, int node);
int32_t sn_lattice_cut(sn_lattice *lattice, int node, int direction, int other);
void sn_lattice_add_triangle(sn_lattice *lattice, int32_t a, int32_t b, int32_t c);

#endif
