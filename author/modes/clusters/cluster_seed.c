/* SPDX-License-Identifier: MIT */
/* Greedy k-means++ (Arthur and Vassilvitskii 2007, section 5: the best of several candidates for each centre). A
 * candidate visits only the boxes that are closer to it than their farthest point is to its centre. Points are drawn by
 * descending through the boxes' potentials. */
#include "author/modes/clusters/cluster_kmeans.h"

#include <float.h>
#include <string.h>

#include "host/base/random.h"

#define CANDIDATE_COUNT 4
#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)

#define BLOCK_LANES (SN_BLOCK_SIZE / SN_ROW_LANES)

typedef struct seeding {
    const sn_tree *tree;
    const sn_block_kernels *kernels;
    sn_row_lanes *distances2; /* (block_count x 8) to the closest centre so far */
    float *max_distance2;     /* (node_count) the largest of these */
    double *potentials;       /* (node_count) their weighted sum */
    sn_row_lanes *local;      /* (width) a centre relative to the center of a box */
    uint64_t random;
    int64_t test_count;
} seeding;

/* Squared distance from a point to a node's box. Stores the point relative to the box's center in `local`, as the
 * block's points are. */
static float box_distance2(seeding *s, int node, const sn_row_lanes *point)
{
    const size_t width = (size_t)s->tree->width, at = (size_t)node * width;
    sn_row_lanes sum = {0};
    ++s->test_count;
    for (size_t w = 0; w < width; ++w) {
        s->local[w] = point[w] - s->tree->centers[at + w];
        const sn_row_lanes gap = sn_row_max(sn_row_abs(s->local[w]) - s->tree->halves[at + w], (sn_row_lanes){0});
        sum += gap * gap;
    }
    return sn_row_sum(sum);
}

/* Squared distances from `local` to the points of a block. */
static void block_distances2(const seeding *s, int block, sn_row_lanes *distances2)
{
    const size_t count = (size_t)s->tree->dimension_count;
    s->kernels->distances2(s->tree->points + (size_t)block * count * SN_BLOCK_SIZE, s->tree->dimension_count,
                           (const float *)s->local, (float *)distances2);
}

/* Decrease of the potential if `point` becomes a centre. */
static double gain_of(seeding *s, int node, const sn_row_lanes *point)
{
    if (box_distance2(s, node, point) >= s->max_distance2[node]) {
        return 0;
    }
    const sn_tree_node *n = &s->tree->nodes[node];
    if (n->right) {
        return gain_of(s, node + 1, point) + gain_of(s, n->right, point);
    }
    const sn_row_lanes *weights = s->tree->weights + (size_t)n->first_block * BLOCK_LANES;
    const sn_row_lanes *previous = s->distances2 + (size_t)n->first_block * BLOCK_LANES;
    _Alignas(64) sn_row_lanes distances2[BLOCK_LANES];
    sn_row_lanes sum = {0};
    block_distances2(s, n->first_block, distances2);
    for (int i = 0; i < BLOCK_LANES; ++i) {
        sum += weights[i] * sn_row_max(previous[i] - distances2[i], (sn_row_lanes){0});
    }
    return (double)sn_row_sum(sum);
}

static void add_to_leaf(const seeding *s, int node)
{
    const int block = s->tree->nodes[node].first_block;
    const sn_row_lanes *weights = s->tree->weights + (size_t)block * BLOCK_LANES;
    sn_row_lanes *min_distances2 = s->distances2 + (size_t)block * BLOCK_LANES;
    _Alignas(64) sn_row_lanes distances2[BLOCK_LANES];
    sn_row_lanes sum = {0}, max_distance2 = {0};
    block_distances2(s, block, distances2);
    for (int i = 0; i < BLOCK_LANES; ++i) {
        min_distances2[i] = sn_row_min(distances2[i], min_distances2[i]);
        max_distance2 = sn_row_max(max_distance2, min_distances2[i]);
        sum += weights[i] * min_distances2[i];
    }
    s->max_distance2[node] = sn_row_max_lane(max_distance2);
    s->potentials[node] = (double)sn_row_sum(sum);
}

static void add_centre(seeding *s, int node, const sn_row_lanes *point)
{
    const int right = s->tree->nodes[node].right;
    if (box_distance2(s, node, point) >= s->max_distance2[node]) {
        return;
    }
    if (!right) {
        add_to_leaf(s, node);
        return;
    }
    add_centre(s, node + 1, point);
    add_centre(s, right, point);
    s->potentials[node] = s->potentials[node + 1] + s->potentials[right];
    s->max_distance2[node] =
        s->max_distance2[node + 1] > s->max_distance2[right] ? s->max_distance2[node + 1] : s->max_distance2[right];
}

/* The leaf where the cumulative potential exceeds *threshold, which becomes the remainder within the leaf. */
static int descend(const seeding *s, double *threshold)
{
    int node = 0;
    while (s->tree->nodes[node].right) {
        const double left = s->potentials[node + 1];
        const bool is_left = *threshold < left;
        *threshold -= is_left ? 0 : left;
        node = is_left ? node + 1 : s->tree->nodes[node].right;
    }
    return node;
}

/* Draws a point with probability proportional to weight times squared distance. */
static void draw_point(seeding *s, sn_row_lanes *point)
{
    const sn_tree *tree = s->tree;
    double threshold = sn_random_unit(&s->random) * s->potentials[0];
    const int leaf = descend(s, &threshold);
    const size_t block = (size_t)tree->nodes[leaf].first_block, width = (size_t)tree->width;
    const float *weights = (const float *)(tree->weights + block * BLOCK_LANES);
    const float *distances2 = (const float *)(s->distances2 + block * BLOCK_LANES);
    size_t at = 0;
    for (; at < SN_BLOCK_SIZE - 1; ++at) {
        threshold -= (double)(weights[at] * distances2[at]);
        if (threshold < 0) {
            break;
        }
    }
    const size_t count = (size_t)tree->dimension_count;
    const float *points = tree->points + block * count * SN_BLOCK_SIZE;
    memcpy(point, tree->centers + (size_t)leaf * width, width * sizeof *point);
    for (size_t j = 0; j < count; ++j) {
        ((float *)point)[j] += points[j * SN_BLOCK_SIZE + at];
    }
}

/* Draws the first centre by weight alone. */
static void draw_first(seeding *s, sn_row_lanes *centre)
{
    const sn_tree *tree = s->tree;
    const size_t lanes = (size_t)tree->block_count * BLOCK_LANES;
    for (size_t i = 0; i < lanes; ++i) {
        s->distances2[i] = (sn_row_lanes){0} + 1;
    }
    for (int node = tree->node_count - 1; node >= 0; --node) {
        const sn_tree_node *n = &tree->nodes[node];
        s->potentials[node] = n->right ? s->potentials[node + 1] + s->potentials[n->right] : 0;
        for (size_t i = 0; i < BLOCK_LANES && !n->right; ++i) {
            s->potentials[node] += (double)sn_row_sum(tree->weights[(size_t)n->first_block * BLOCK_LANES + i]);
        }
        s->max_distance2[node] = FLT_MAX;
    }
    draw_point(s, centre);
    for (size_t i = 0; i < lanes; ++i) {
        s->distances2[i] = (sn_row_lanes){0} + FLT_MAX;
    }
    add_centre(s, 0, centre);
}

/* Chooses the best of several candidates; `candidate` is scratch of one row. */
static void choose_centre(seeding *s, sn_row_lanes *candidate, sn_row_lanes *best)
{
    draw_point(s, best);
    if (s->test_count > SN_KMEANS_TESTS * s->tree->block_count) {
        return;
    }
    double max_gain = gain_of(s, 0, best);
    for (int i = 1; i < CANDIDATE_COUNT; ++i) {
        draw_point(s, candidate);
        const double gain = gain_of(s, 0, candidate);
        if (gain > max_gain) {
            max_gain = gain;
            memcpy(best, candidate, (size_t)s->tree->width * sizeof *best);
        }
    }
}

sn_result sn_kmeans_seed(const sn_tree *tree, int centre_count, sn_row_lanes *centres)
{
    sn_arena scratch = {0};
    const size_t width = (size_t)tree->width;
    seeding s = {.tree = tree,
                 .kernels = sn_block_kernels_get(),
                 .distances2 = SN_NEW(&scratch, sn_row_lanes, (size_t)tree->block_count * BLOCK_LANES),
                 .max_distance2 = SN_NEW(&scratch, float, tree->node_count),
                 .potentials = SN_NEW(&scratch, double, tree->node_count),
                 .local = SN_NEW(&scratch, sn_row_lanes, width),
                 .random = RANDOM_SEED};
    sn_row_lanes *candidate = SN_NEW(&scratch, sn_row_lanes, width);
    const bool is_ok = s.distances2 && s.max_distance2 && s.potentials && s.local && candidate;
    if (is_ok) {
        draw_first(&s, centres);
    }
    for (int c = 1; c < centre_count && is_ok; ++c) {
        sn_row_lanes *centre = centres + (size_t)c * width;
        choose_centre(&s, candidate, centre);
        add_centre(&s, 0, centre);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
