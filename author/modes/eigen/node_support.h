/* SPDX-License-Identifier: MIT */
/* Private to author/modes: the vertices in the support of each node of a coarse space. */
#ifndef SN_AUTHOR_MODES_EIGEN_NODE_SUPPORT_H
#define SN_AUTHOR_MODES_EIGEN_NODE_SUPPORT_H

#include "author/modes/eigen/two_grid.h"

typedef struct sn_node_support {
    size_t node_count;
    size_t *starts;    /* (node_count + 1) */
    int32_t *vertices; /* (starts[node_count]) vertex * SN_CORNERS + corner, ascending for each node */
} sn_node_support;

/* For the space's nodes, which must be below node_count; negative nodes of a vertex are skipped. Allocates in
 * `scratch`. */
sn_result sn_node_support_list(const sn_coarse_space *space, size_t node_count, sn_arena *scratch,
                               sn_node_support *support);

#endif
