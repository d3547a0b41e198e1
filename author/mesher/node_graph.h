/* SPDX-License-Identifier: MIT */
/* Which vertices of a tet mesh are neighbours. */
#ifndef SN_AUTHOR_MESHER_NODE_GRAPH_H
#define SN_AUTHOR_MESHER_NODE_GRAPH_H

#include "host/mesh/tet_mesh.h"

typedef struct sn_node_graph {
    int node_count;
    int32_t *starts; /* (node_count + 2); the last one is spare */
    int32_t *others; /* (starts[node_count]) vertices across the edges at each vertex, each once */
} sn_node_graph;

sn_result sn_node_graph_build(const sn_tet_mesh *mesh, sn_arena *arena, sn_node_graph *graph);

#endif
