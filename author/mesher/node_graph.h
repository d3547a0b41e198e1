/* SPDX-License-Identifier: MIT */
/* Adjacency of the vertices of a tet mesh. */
#ifndef SN_AUTHOR_MESHER_NODE_GRAPH_H
#define SN_AUTHOR_MESHER_NODE_GRAPH_H

#include "host/mesh/tet_mesh.h"

typedef struct sn_node_graph {
    int node_count;
    int32_t *starts; /* (node_count + 2) the last entry is unused */
    int32_t *others; /* (starts[node_count]) neighbours of each vertex, without duplicates */
} sn_node_graph;

sn_result sn_node_graph_build(const sn_tet_mesh *mesh, sn_arena *arena, sn_node_graph *graph);

#endif
