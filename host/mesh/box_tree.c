/* SPDX-License-Identifier: MIT */
#include "host/mesh/box_tree.h"

#include <math.h>
#include <stdlib.h>

#define LEAF_ITEMS 4
/* Median splits halve the items: 2^31 of them are 31 levels deep. */
#define STACK_LIMIT 64

typedef struct sorted_item {
    double key;
    int32_t item;
} sorted_item;

static int by_key(const void *left, const void *right)
{
    const sorted_item *a = left, *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->item > b->item) - (a->item < b->item);
}

static void bound(const double *boxes, const int32_t *items, int count, sn_box_node *node)
{
    for (int d = 0; d < 3; ++d) {
        node->low[d] = INFINITY;
        node->high[d] = -INFINITY;
        for (int i = 0; i < count; ++i) {
            node->low[d] = fmin(node->low[d], boxes[6 * (size_t)items[i] + (size_t)d]);
            node->high[d] = fmax(node->high[d], boxes[6 * (size_t)items[i] + 3 + (size_t)d]);
        }
    }
}

/* Sorts a node's items by their centres along its longest axis; the halves become its children. */
static void sort_items(const double *boxes, const sn_box_node *node, int32_t *items, int count, sorted_item *scratch)
{
    int axis = 0;
    for (int d = 1; d < 3; ++d) {
        axis = node->high[d] - node->low[d] > node->high[axis] - node->low[axis] ? d : axis;
    }
    for (int i = 0; i < count; ++i) {
        const double *box = boxes + 6 * (size_t)items[i];
        scratch[i] = (sorted_item){box[axis] + box[3 + axis], items[i]};
    }
    qsort(scratch, (size_t)count, sizeof *scratch, by_key);
    for (int i = 0; i < count; ++i) {
        items[i] = scratch[i].item;
    }
}

sn_result sn_box_tree_build(const double *boxes, int item_count, sn_arena *arena, sn_box_tree *tree)
{
    sn_arena scratch_arena = {0};
    sorted_item *scratch = SN_NEW(&scratch_arena, sorted_item, item_count);
    *tree = (sn_box_tree){.nodes = SN_NEW(arena, sn_box_node, 2 * (size_t)item_count),
                          .order = SN_NEW(arena, int32_t, item_count),
                          .node_count = 1,
                          .item_count = item_count};
    if (!scratch || !tree->nodes || !tree->order) {
        sn_arena_finish(&scratch_arena);
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < item_count; ++i) {
        tree->order[i] = i;
    }
    tree->nodes[0] = (sn_box_node){.first = 0, .count = item_count};
    for (int at = 0; at < tree->node_count; ++at) { /* the loop reaches the appended children */
        sn_box_node *node = &tree->nodes[at];
        const int32_t first = node->first, count = node->count;
        bound(boxes, tree->order + first, count, node);
        if (count > LEAF_ITEMS) {
            sort_items(boxes, node, tree->order + first, count, scratch);
            tree->nodes[tree->node_count] = (sn_box_node){.first = first, .count = count / 2};
            tree->nodes[tree->node_count + 1] = (sn_box_node){.first = first + count / 2, .count = count - count / 2};
            node->first = tree->node_count;
            node->count = 0;
            tree->node_count += 2;
        }
    }
    sn_arena_finish(&scratch_arena);
    return SN_OK;
}

static double box_distance2(const sn_box_node *node, const double *point)
{
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double outside = fmax(fmax(node->low[d] - point[d], point[d] - node->high[d]), 0);
        sum += outside * outside;
    }
    return sum;
}

int sn_box_tree_nearest(const sn_box_tree *tree, const double *point, double max_distance2,
                        sn_item_distance_function *distance2, void *user)
{
    int32_t stack[STACK_LIMIT];
    int depth = 0, best = -1;
    double min_distance2 = max_distance2;
    stack[depth++] = 0;
    while (depth > 0) {
        const sn_box_node *node = &tree->nodes[stack[--depth]];
        if (box_distance2(node, point) > min_distance2) {
            continue;
        }
        for (int i = 0; i < node->count; ++i) {
            const int item = tree->order[node->first + i];
            const double distance = distance2(item, point, user);
            if (distance < min_distance2 || (distance == min_distance2 && (best < 0 || item < best))) {
                min_distance2 = distance;
                best = item;
            }
        }
        if (node->count == 0) { /* the nearer child is pushed last and visited first */
            const bool is_left_nearer =
                box_distance2(&tree->nodes[node->first], point) <= box_distance2(&tree->nodes[node->first + 1], point);
            stack[depth++] = node->first + is_left_nearer;
            stack[depth++] = node->first + !is_left_nearer;
        }
    }
    return best;
}
