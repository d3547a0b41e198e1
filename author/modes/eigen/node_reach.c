/* SPDX-License-Identifier: MIT */
#include "author/modes/eigen/node_reach.h"

sn_result sn_node_reach_list(const sn_coarse_space *space, size_t node_count, sn_arena *scratch, sn_node_reach *reach)
{
    const size_t entries = SN_CORNERS * space->size;
    size_t *next = SN_NEW(scratch, size_t, node_count);
    *reach = (sn_node_reach){node_count, SN_NEW(scratch, size_t, node_count + 1), SN_NEW(scratch, int32_t, entries)};
    if (!next || !reach->starts || !reach->vertices) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < entries; ++i) {
        reach->starts[space->nodes[i] + 1] += space->nodes[i] >= 0;
    }
    for (size_t node = 0; node < node_count; ++node) {
        reach->starts[node + 1] += reach->starts[node];
        next[node] = reach->starts[node];
    }
    for (size_t i = 0; i < entries; ++i) {
        if (space->nodes[i] >= 0) {
            reach->vertices[next[space->nodes[i]]++] = (int32_t)i;
        }
    }
    return SN_OK;
}
