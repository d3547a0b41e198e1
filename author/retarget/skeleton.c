/* SPDX-License-Identifier: MIT */
#include "author/retarget/skeleton.h"

/* Computes depths in linear time: each path is walked up to a joint of known depth, and again to store the result.
 * Negative: unknown. */
static int32_t find_depths(const sn_rig_skeleton *s, int32_t *depths)
{
    int32_t max_depth = 0;
    for (int32_t j = 0; j < s->joint_count; ++j) {
        depths[j] = -1;
    }
    for (int32_t j = 0; j < s->joint_count; ++j) {
        int32_t depth = -1;
        for (int32_t at = j; at >= 0 && depths[at] < 0; at = s->parents[at]) {
            ++depth;
            depth += s->parents[at] >= 0 && depths[s->parents[at]] >= 0 ? depths[s->parents[at]] + 1 : 0;
        }
        max_depth = depth > max_depth ? depth : max_depth;
        for (int32_t at = j; at >= 0 && depths[at] < 0; at = s->parents[at]) {
            depths[at] = depth--;
        }
    }
    return max_depth;
}

/* Counting sort by depth. */
static void sort_by_depth(const sn_rig_tree *t, int32_t max_depth, int32_t *starts)
{
    const int32_t n = t->skeleton->joint_count;
    for (int32_t j = 0; j < n; ++j) {
        ++starts[t->depths[j] + 1];
    }
    for (int32_t depth = 0; depth < max_depth; ++depth) {
        starts[depth + 1] += starts[depth];
    }
    for (int32_t j = 0; j < n; ++j) {
        t->order[starts[t->depths[j]]++] = j;
    }
}

/* Counts descendants and numbers the joints in preorder; next is the entry of a joint's next child. */
static void number_entries(const sn_rig_tree *t, int32_t *next)
{
    const sn_rig_skeleton *s = t->skeleton;
    int32_t root = 0;
    for (int32_t i = s->joint_count; i-- > 0;) {
        const int32_t joint = t->order[i], parent = s->parents[joint];
        if (parent >= 0) {
            ++t->child_counts[parent];
            t->below_counts[parent] += t->below_counts[joint] + 1;
        }
    }
    for (int32_t i = 0; i < s->joint_count; ++i) {
        const int32_t joint = t->order[i], parent = s->parents[joint];
        int32_t *at = parent >= 0 ? &next[parent] : &root;
        t->entries[joint] = *at;
        next[joint] = *at + 1;
        *at += t->below_counts[joint] + 1;
    }
}

sn_result sn_rig_tree_init(const sn_rig_skeleton *s, sn_arena *arena, sn_rig_tree *t)
{
    const size_t n = (size_t)s->joint_count;
    sn_arena scratch = {0};
    int32_t *lists = SN_NEW(arena, int32_t, 5 * n), *starts = SN_NEW(&scratch, int32_t, n + 1);
    int32_t *next = SN_NEW(&scratch, int32_t, n);
    const bool is_ok = lists && starts && next;
    if (is_ok) {
        *t = (sn_rig_tree){s, lists, lists + n, lists + 2 * n, lists + 3 * n, lists + 4 * n};
        sort_by_depth(t, find_depths(s, t->depths), starts);
        number_entries(t, next);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

int32_t sn_rig_common_ancestor(const sn_rig_tree *t, int32_t a, int32_t b)
{
    while (a >= 0 && b >= 0 && a != b) {
        if (t->depths[a] >= t->depths[b]) {
            a = t->skeleton->parents[a];
        } else {
            b = t->skeleton->parents[b];
        }
    }
    return a >= 0 && b >= 0 ? a : -1;
}
