/* SPDX-License-Identifier: MIT */
#include "author/modes/eigen/node_support.h"

sn_result sn_node_support_list(const sn_coarse_space *space, size_t node_count, sn_arena *scratch,
                               sn_node_support *support)
{
    const size_t entries = SN_CORNERS * space->size;
    size_t *next = SN_NEW(scratch, size_t, node_count);
    *support =
        (sn_node_support){node_count, SN_NEW(scratch, size_t, node_count + 1), SN_NEW(scratch, int32_t, entries)};
    if (!next || !support->starts || !support->vertices) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < entries; ++i) {
        support->starts[space->nodes[i] + 1] += space->nodes[i] >= 0;
    }
    for (size_t node = 0; node < node_count; ++node) {
        support->starts[node + 1] += support->starts[node];
        next[node] = support->starts[node];
    }
    for (size_t i = 0; i < entries; ++i) {
        if (space->nodes[i] >= 0) {
            support->vertices[next[space->nodes[i]]++] = (int32_t)i;
        }
    }
    return SN_OK;
}
