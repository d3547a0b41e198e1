/* SPDX-License-Identifier: MIT */
/* Points are ordered from the root down; boxes are computed from the leaves up. */
#include "author/modes/clusters/cluster_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct builder {
    const float *points; /* (point_count x stride) */
    int stride;
    uint64_t *keys; /* (point_count) coordinate and point index, as integers in the same order */
    sn_tree *tree;
} builder;

static const float *row_of(const builder *b, int slot)
{
    return b->points + (size_t)b->tree->order[slot] * (size_t)b->stride;
}

static void find_box(const builder *b, int begin, int end, sn_row_lanes *low, sn_row_lanes *high)
{
    const size_t width = (size_t)b->tree->width;
    for (size_t w = 0; w < width; ++w) {
        low[w] = (sn_row_lanes){0} + FLT_MAX;
        high[w] = (sn_row_lanes){0} - FLT_MAX;
    }
    for (int i = begin; i < end; ++i) {
        const sn_row_lanes *row = (const sn_row_lanes *)row_of(b, i);
        for (size_t w = 0; w < width; ++w) {
            low[w] = sn_row_min(row[w], low[w]);
            high[w] = sn_row_max(row[w], high[w]);
        }
    }
}

static int longest_axis(const builder *b, int begin, int end)
{
    const float *low = (const float *)b->tree->centers,
                *high = (const float *)b->tree->halves; /* serve as scratch here */
    find_box(b, begin, end, b->tree->centers, b->tree->halves);
    int axis = 0;
    for (int j = 1; j < b->stride; ++j) {
        axis = high[j] - low[j] > high[axis] - low[axis] ? j : axis;
    }
    return axis;
}

static uint64_t sort_key(float coordinate, int32_t point)
{
    uint32_t bits;
    memcpy(&bits, &coordinate, sizeof bits);
    bits ^= bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31;
    return (uint64_t)bits << 32 | (uint32_t)point;
}

static uint64_t median_of_three(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c < high ? c : high;
}

/* Hoare's selection: afterwards no key before `mid` is larger than any key from it on. */
static void select_key(uint64_t *keys, int count, int mid)
{
    int begin = 0, end = count - 1;
    while (begin < end) {
        const uint64_t pivot = median_of_three(keys[begin], keys[begin + (end - begin) / 2], keys[end]);
        int i = begin, j = end;
        while (i <= j) {
            while (keys[i] < pivot) {
                ++i;
            }
            while (keys[j] > pivot) {
                --j;
            }
            if (i <= j) {
                const uint64_t swapped = keys[i];
                keys[i++] = keys[j];
                keys[j--] = swapped;
            }
        }
        if (mid > j && mid < i) {
            return;
        }
        begin = mid >= i ? i : begin;
        end = mid <= j ? j : end;
    }
}

static void split_points(const builder *b, int begin, int mid, int end)
{
    const int axis = longest_axis(b, begin, end);
    for (int i = begin; i < end; ++i) {
        b->keys[i] = sort_key(row_of(b, i)[axis], b->tree->order[i]);
    }
    select_key(b->keys + begin, end - begin, mid - begin);
    for (int i = begin; i < end; ++i) {
        b->tree->order[i] = (int32_t)(b->keys[i] & UINT32_MAX);
    }
}

/* One past the last point of the blocks before block_end. */
static int point_end(const sn_tree *tree, int block_end)
{
    return block_end < tree->block_count ? SN_BLOCK_SIZE * block_end : tree->point_count;
}

static void build_nodes(const builder *b, int first, int count, int depth)
{
    sn_tree *tree = b->tree;
    sn_tree_node *node = &tree->nodes[tree->node_count++];
    *node = (sn_tree_node){.first_block = first, .block_count = count};
    tree->depth = depth > tree->depth ? depth : tree->depth;
    if (count == 1) {
        return;
    }
    const int mid = first + (count + 1) / 2;
    split_points(b, SN_BLOCK_SIZE * first, SN_BLOCK_SIZE * mid, point_end(tree, first + count));
    build_nodes(b, first, mid - first, depth + 1);
    node->right = tree->node_count;
    build_nodes(b, mid, first + count - mid, depth + 1);
}

/* Stores low and high corners in `centers` and `halves`. */
static void find_corners(const builder *b)
{
    sn_tree *tree = b->tree;
    const size_t width = (size_t)tree->width;
    for (int n = tree->node_count - 1; n >= 0; --n) {
        const sn_tree_node *node = &tree->nodes[n];
        sn_row_lanes *low = tree->centers + (size_t)n * width, *high = tree->halves + (size_t)n * width;
        if (!node->right) {
            find_box(b, SN_BLOCK_SIZE * node->first_block, point_end(tree, node->first_block + 1), low, high);
            continue;
        }
        const size_t right = (size_t)(node->right - n) * width;
        for (size_t w = 0; w < width; ++w) {
            low[w] = sn_row_min(low[width + w], low[right + w]);
            high[w] = sn_row_max(high[width + w], high[right + w]);
        }
    }
}

static void build_boxes(const builder *b)
{
    sn_tree *tree = b->tree;
    find_corners(b);
    for (int n = 0; n < tree->node_count; ++n) {
        double square = 0;
        for (size_t i = (size_t)n * (size_t)tree->width; i < (size_t)(n + 1) * (size_t)tree->width; ++i) {
            const sn_row_lanes low = tree->centers[i], high = tree->halves[i];
            tree->centers[i] = 0.5f * (low + high);
            tree->halves[i] = 0.5f * (high - low);
            square += (double)sn_row_sum(tree->halves[i] * tree->halves[i]);
        }
        tree->nodes[n].radius = (float)sqrt(square);
    }
}

static void fill_block(const builder *b, const float *weights, sn_tree_node *leaf, const float *mid)
{
    sn_tree *tree = b->tree;
    const size_t block = (size_t)leaf->first_block, columns = (size_t)tree->dimension_count;
    float *points = tree->points + block * columns * SN_BLOCK_SIZE;
    float max_distance2 = 0;
    for (int i = 0; i < SN_BLOCK_SIZE; ++i) {
        const int slot = SN_BLOCK_SIZE * leaf->first_block + i;
        const float *row = row_of(b, slot);
        float square = 0;
        for (size_t j = 0; j < columns; ++j) {
            const float x = row[j] - mid[j];
            points[j * SN_BLOCK_SIZE + (size_t)i] = x;
            square += x * x;
        }
        max_distance2 = square > max_distance2 ? square : max_distance2;
        ((float *)tree->weights)[slot] = slot < tree->point_count ? weights[tree->order[slot]] : 0;
    }
    leaf->radius = sqrtf(max_distance2);
}

static bool allocate_tree(sn_tree *tree, sn_arena *arena)
{
    const size_t blocks = (size_t)tree->block_count, nodes = 2 * blocks - 1, width = (size_t)tree->width;
    tree->order = SN_NEW(arena, int32_t, SN_BLOCK_SIZE * blocks);
    tree->points = SN_NEW(arena, float, blocks *(size_t)tree->dimension_count *SN_BLOCK_SIZE);
    tree->weights = SN_NEW(arena, sn_row_lanes, blocks * SN_BLOCK_SIZE / SN_ROW_LANES);
    tree->nodes = SN_NEW(arena, sn_tree_node, nodes);
    tree->centers = SN_NEW(arena, sn_row_lanes, nodes * width);
    tree->halves = SN_NEW(arena, sn_row_lanes, nodes * width);
    return tree->order && tree->points && tree->weights && tree->nodes && tree->centers && tree->halves;
}

sn_result sn_tree_build(const float *points, const float *weights, int point_count, int dimension_count,
                        sn_arena *arena, sn_tree *tree)
{
    *tree = (sn_tree){.point_count = point_count,
                      .dimension_count = dimension_count,
                      .block_count = (point_count + SN_BLOCK_SIZE - 1) / SN_BLOCK_SIZE,
                      .width = (dimension_count + SN_ROW_LANES - 1) / SN_ROW_LANES};
    const builder b = {.points = points,
                       .stride = SN_ROW_LANES * tree->width,
                       .keys = SN_NEW(arena, uint64_t, point_count),
                       .tree = tree};
    if (!allocate_tree(tree, arena) || !b.keys) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < point_count; ++i) {
        tree->order[i] = i;
    }
    build_nodes(&b, 0, tree->block_count, 1);
    for (int i = point_count; i < SN_BLOCK_SIZE * tree->block_count; ++i) {
        tree->order[i] = tree->order[point_count - 1];
    }
    build_boxes(&b);
    for (int n = 0; n < tree->node_count; ++n) {
        if (!tree->nodes[n].right) {
            fill_block(&b, weights, &tree->nodes[n], (const float *)(tree->centers + (size_t)n * (size_t)tree->width));
        }
    }
    return SN_OK;
}
