/* SPDX-License-Identifier: MIT */
/* A tree of axis-aligned boxes over items, for nearest-item and point queries at cook time. */
#ifndef SN_HOST_MESH_BOX_TREE_H
#define SN_HOST_MESH_BOX_TREE_H

#include "host/base/arena.h"

typedef struct sn_box_node {
    double low[3], high[3];
    int32_t first, count; /* a leaf's items: order[first .. first + count); count 0: children at first and first + 1 */
} sn_box_node;

typedef struct sn_box_tree {
    sn_box_node *nodes; /* the root is nodes[0] */
    int32_t *order;     /* (item_count) */
    int node_count, item_count;
} sn_box_tree;

/* boxes (item_count x 6): low x y z, high x y z. item_count >= 1. The tree lives in the arena. */
sn_result sn_box_tree_build(const double *boxes, int item_count, sn_arena *arena, sn_box_tree *tree);

/* The item nearest to the point among those whose squared distance is at most `max_distance2`, or -1. `distance2` gives
 * an item's squared distance, which must not be below that of its box. Of equally near items, the lowest index wins. */
typedef double sn_item_distance_function(int item, const double *point, void *user);
int sn_box_tree_nearest(const sn_box_tree *tree, const double *point, double max_distance2,
                        sn_item_distance_function *distance2, void *user);

#endif
