/* SPDX-License-Identifier: MIT */
#include "author/mesher/node_graph.h"

/* Lists the other three corners of every tet at each of its vertices, with duplicates. */
static void list_corners(const sn_tet_mesh *mesh, sn_node_graph *graph)
{
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        graph->starts[mesh->tets[i] + 2] += 3;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        graph->starts[v + 2] += graph->starts[v + 1];
    }
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            if (k != i % 4) {
                graph->others[graph->starts[mesh->tets[i] + 1]++] = mesh->tets[i / 4 * 4 + k];
            }
        }
    }
}

/* Removes duplicates. last (node_count), zeroed: last vertex, plus one, whose list contains the neighbour. */
static void remove_duplicates(sn_node_graph *graph, int32_t *last)
{
    int32_t count = 0, first = 0;
    for (int32_t v = 0; v < graph->node_count; ++v) {
        const int32_t end = graph->starts[v + 1];
        graph->starts[v] = count;
        for (int32_t i = first; i < end; ++i) {
            if (last[graph->others[i]] != v + 1) {
                last[graph->others[i]] = v + 1;
                graph->others[count++] = graph->others[i];
            }
        }
        first = end;
    }
    graph->starts[graph->node_count] = count;
}

sn_result sn_node_graph_build(const sn_tet_mesh *mesh, sn_arena *arena, sn_node_graph *graph)
{
    sn_arena scratch = {0};
    int32_t *last = SN_NEW(&scratch, int32_t, mesh->vertex_count);
    graph->node_count = mesh->vertex_count;
    graph->starts = SN_NEW(arena, int32_t, (size_t)mesh->vertex_count + 2);
    graph->others = SN_NEW(arena, int32_t, 12 * (size_t)mesh->tet_count);
    const bool is_ok = last && graph->starts && graph->others;
    if (is_ok) {
        list_corners(mesh, graph);
        remove_duplicates(graph, last);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
