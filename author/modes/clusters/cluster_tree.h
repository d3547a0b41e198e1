/* SPDX-License-Identifier: MIT */
/* A k-d tree of weighted points whose leaves are blocks of 32, for the k-means of cluster_kmeans.h. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_TREE_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_TREE_H

#include "author/modes/clusters/cluster_block.h"
#include "host/base/arena.h"

#define SN_ROW_LANES 4

/* Points, centres and boxes are rows of `width` vectors, zero beyond dimension_count. */
typedef float sn_row_lanes __attribute__((vector_size(16)));
typedef int32_t sn_row_masks __attribute__((vector_size(16)));

typedef struct sn_tree_node {
    int32_t first_block, block_count;
    int32_t right; /* the left child is the next node; 0: a leaf with one block */
    float radius;  /* largest distance of a point from the box's center */
} sn_tree_node;

typedef struct sn_tree {
    int point_count, dimension_count, width, block_count, node_count, depth;
    int32_t *order;        /* (32 block_count) the point in each slot; padding repeats the last one */
    float *points;         /* (block_count x dimension_count x 32) relative to the center of the leaf's box */
    sn_row_lanes *weights; /* (block_count x 8) 0 for padding */
    sn_tree_node *nodes;   /* (node_count) parents before children */
    sn_row_lanes *centers; /* (node_count x width) centers of the bounding boxes */
    sn_row_lanes *halves;  /* (node_count x width) half their extents */
} sn_tree;

/* Splits at the median of the box's longest axis. points (point_count x 4 width). */
sn_result sn_tree_build(const float *points, const float *weights, int point_count, int dimension_count,
                        sn_arena *arena, sn_tree *tree);

static inline sn_row_lanes sn_row_select(sn_row_masks mask, sn_row_lanes a, sn_row_lanes b)
{
    return (sn_row_lanes)(((sn_row_masks)a & mask) | ((sn_row_masks)b & ~mask));
}

static inline sn_row_lanes sn_row_min(sn_row_lanes a, sn_row_lanes b)
{
    return sn_row_select(a < b, a, b);
}

static inline sn_row_lanes sn_row_max(sn_row_lanes a, sn_row_lanes b)
{
    return sn_row_select(a > b, a, b);
}

static inline sn_row_lanes sn_row_abs(sn_row_lanes x)
{
    return (sn_row_lanes)((sn_row_masks)x & INT32_MAX);
}

static inline float sn_row_sum(sn_row_lanes x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}

static inline float sn_row_max_lane(sn_row_lanes x)
{
    const float a = x[0] > x[2] ? x[0] : x[2], b = x[1] > x[3] ? x[1] : x[3];
    return a > b ? a : b;
}

#endif
