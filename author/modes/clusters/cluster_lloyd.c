/* SPDX-License-Identifier: MIT */
/* Lloyd's iterations by filtering (Kanungo et al. 2002): each box of the tree passes to its halves only the centres
 * that can be closest somewhere in it, and leaves test the remaining ones. The labels equal those of unfiltered Lloyd
 * iterations. Centroids are updated by the points that change clusters. */
#include "author/modes/clusters/cluster_kmeans.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct lloyd {
    const sn_tree *tree;
    const sn_block_kernels *kernels;
    int centre_count;
    sn_row_lanes *centres; /* (centre_count x width) */
    double *weighted_sums; /* (centre_count x dimension_count) weighted sum of a centre's points */
    double *sum_weights;   /* (centre_count) */
    int32_t *counts;       /* (centre_count) number of points */
    float *distances2;     /* (centre_count) from the center of the current box */
    sn_row_lanes *local;   /* (centre_count x width) centres relative to the center of the current leaf */
    int32_t *labels;       /* (32 block_count) */
    int changed_count;
    int64_t test_count;
} lloyd;

/* sign 1: add to the centre; -1: remove from it. */
static void move_point(const lloyd *l, int leaf, int slot, int32_t label, int sign)
{
    const size_t count = (size_t)l->tree->dimension_count, block = (size_t)l->tree->nodes[leaf].first_block;
    const float *point = l->tree->points + block * count * SN_BLOCK_SIZE + slot;
    const float *center = (const float *)(l->tree->centers + (size_t)leaf * (size_t)l->tree->width);
    const double weight = sign * (double)((const float *)l->tree->weights)[block * SN_BLOCK_SIZE + (size_t)slot];
    double *sum = l->weighted_sums + (size_t)label * count;
    for (size_t j = 0; j < count; ++j) {
        sum[j] += weight * (double)(center[j] + point[j * SN_BLOCK_SIZE]);
    }
    l->sum_weights[label] += weight;
    l->counts[label] += sign;
}

static void set_label(lloyd *l, int leaf, int slot, int32_t label)
{
    int32_t *previous = &l->labels[(size_t)l->tree->nodes[leaf].first_block * SN_BLOCK_SIZE + (size_t)slot];
    if (*previous == label) {
        return;
    }
    if (*previous >= 0) {
        move_point(l, leaf, slot, *previous, -1);
    }
    move_point(l, leaf, slot, label, 1);
    *previous = label;
    ++l->changed_count;
}

/* Fills distances2; returns the centre closest to the center of the box. */
static int nearest_to_center(const lloyd *l, int node, const int32_t *centres, int count)
{
    const size_t width = (size_t)l->tree->width;
    const sn_row_lanes *center = l->tree->centers + (size_t)node * width;
    int nearest = 0;
    for (int i = 0; i < count; ++i) {
        const sn_row_lanes *centre = l->centres + (size_t)centres[i] * width;
        sn_row_lanes sum = {0};
        for (size_t w = 0; w < width; ++w) {
            const sn_row_lanes difference = centre[w] - center[w];
            sum += difference * difference;
        }
        l->distances2[i] = sn_row_sum(sum);
        nearest = l->distances2[i] < l->distances2[nearest] ? i : nearest;
    }
    return nearest;
}

/* Lists in `candidates` the centres that can be closest to a point of the box; returns their number. With c* closest to
 * the center of the box, c is excluded if it is farther than c* by more than the ball's diameter, or if c* is closer
 * even to the corner farthest along c - c*. */
static int filter_centres(const lloyd *l, int node, const int32_t *centres, int count, int32_t *candidates)
{
    const size_t width = (size_t)l->tree->width;
    const sn_row_lanes *half = l->tree->halves + (size_t)node * width;
    const int nearest = nearest_to_center(l, node, centres, count);
    const sn_row_lanes *best = l->centres + (size_t)centres[nearest] * width;
    const float min_distance2 = l->distances2[nearest],
                max_radius = sqrtf(min_distance2) + 2 * l->tree->nodes[node].radius;
    const float max_radius2 = max_radius * max_radius;
    int candidate_count = 0;
    for (int i = 0; i < count; ++i) {
        if (l->distances2[i] > max_radius2) {
            continue;
        }
        const sn_row_lanes *centre = l->centres + (size_t)centres[i] * width;
        sn_row_lanes sum = {0};
        for (size_t w = 0; w < width; ++w) {
            sum += sn_row_abs(centre[w] - best[w]) * half[w];
        }
        if (i == nearest || l->distances2[i] - min_distance2 < 2 * sn_row_sum(sum)) {
            candidates[candidate_count++] = centres[i];
        }
    }
    return candidate_count;
}

/* Finds the closest centre of each point. */
static void assign_leaf(lloyd *l, int leaf, const int32_t *centres, int centre_count)
{
    const size_t count = (size_t)l->tree->dimension_count, width = (size_t)l->tree->width;
    const sn_row_lanes *center = l->tree->centers + (size_t)leaf * width;
    sn_row_lanes *local = l->local;
    for (int i = 0; i < centre_count; ++i, local += width) {
        const sn_row_lanes *centre = l->centres + (size_t)centres[i] * width;
        sn_row_lanes norm2 = {0};
        for (size_t w = 0; w < width; ++w) {
            local[w] = centre[w] - center[w];
            norm2 += local[w] * local[w];
        }
        l->distances2[i] = 0.5f * sn_row_sum(norm2);
    }
    const sn_block_centres local_centres = {(const float *)l->local, l->distances2, centre_count,
                                            SN_ROW_LANES * (int)width};
    _Alignas(64) int32_t nearest[SN_BLOCK_SIZE];
    l->kernels->nearest(l->tree->points + (size_t)l->tree->nodes[leaf].first_block * count * SN_BLOCK_SIZE,
                        l->tree->dimension_count, &local_centres, nearest);
    for (int i = 0; i < SN_BLOCK_SIZE; ++i) {
        set_label(l, leaf, i, centres[nearest[i]]);
    }
}

/* `candidates` has space for centre_count indices per level of the tree. */
static void assign_node(lloyd *l, int node, const int32_t *centres, int count, int32_t *candidates)
{
    const int right = l->tree->nodes[node].right;
    l->test_count += count;
    if (!right) {
        assign_leaf(l, node, centres, count); /* filtering would cost as much as it saves */
        return;
    }
    const int candidate_count = filter_centres(l, node, centres, count, candidates);
    assign_node(l, node + 1, candidates, candidate_count, candidates + candidate_count);
    assign_node(l, right, candidates, candidate_count, candidates + candidate_count);
}

static void move_centres(const lloyd *l)
{
    const size_t count = (size_t)l->tree->dimension_count;
    for (int c = 0; c < l->centre_count; ++c) {
        float *centre = (float *)(l->centres + (size_t)c * (size_t)l->tree->width);
        double *sum = l->weighted_sums + (size_t)c * count;
        if (l->counts[c] == 0) { /* keep the centre; its sums contain only rounding errors */
            memset(sum, 0, count * sizeof *sum);
            l->sum_weights[c] = 0;
        }
        for (size_t j = 0; j < count && l->sum_weights[c] > 0; ++j) {
            centre[j] = (float)(sum[j] / l->sum_weights[c]);
        }
    }
}

static void iterate(lloyd *l, int iteration_count, int32_t *lists)
{
    for (int c = 0; c < l->centre_count; ++c) {
        lists[c] = c;
    }
    for (int i = 0; i < l->tree->block_count * SN_BLOCK_SIZE; ++i) {
        l->labels[i] = -1;
    }
    for (int i = 0; i <= iteration_count; ++i) {
        l->changed_count = 0;
        assign_node(l, 0, lists, l->centre_count, lists + l->centre_count);
        if (l->changed_count == 0 || l->test_count > SN_KMEANS_TESTS * l->tree->block_count) {
            break;
        }
        move_centres(l);
    }
}

sn_result sn_kmeans_iterate(const sn_tree *tree, int centre_count, int iteration_count, sn_row_lanes *centres,
                            int32_t *labels)
{
    sn_arena scratch = {0};
    const size_t slots = (size_t)tree->block_count * SN_BLOCK_SIZE;
    const size_t numbers = (size_t)centre_count * (size_t)tree->dimension_count;
    int32_t *lists = SN_NEW(&scratch, int32_t, (size_t)(tree->depth + 1) * (size_t)centre_count);
    lloyd l = {.tree = tree,
               .kernels = sn_block_kernels_get(),
               .centre_count = centre_count,
               .centres = centres,
               .weighted_sums = SN_NEW(&scratch, double, numbers),
               .sum_weights = SN_NEW(&scratch, double, centre_count),
               .counts = SN_NEW(&scratch, int32_t, centre_count),
               .distances2 = SN_NEW(&scratch, float, centre_count),
               .local = SN_NEW(&scratch, sn_row_lanes, (size_t)centre_count * (size_t)tree->width),
               .labels = SN_NEW(&scratch, int32_t, slots)};
    const bool is_ok = lists && l.weighted_sums && l.sum_weights && l.counts && l.distances2 && l.local && l.labels;
    if (is_ok) {
        iterate(&l, iteration_count, lists);
        for (int i = 0; i < tree->point_count; ++i) {
            labels[tree->order[i]] = l.labels[i];
        }
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
