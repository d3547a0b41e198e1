/* SPDX-License-Identifier: MIT */
/* Merges bones into groups. The mass of a group is the norm of its summed weights; the overlap of two groups is the
 * inner product of theirs. So a finger merges with its neighbour in the hand, with or without a hierarchy of bones. */
#include "author/modes/constraint/bone_groups.h"

typedef struct group_table {
    size_t bone_count;
    double *overlaps; /* (bone_count x bone_count) symmetric overlaps; the diagonal is a group's mass */
    int32_t *merged;  /* (bone_count) the bone into whose group this one was merged, or itself */
} group_table;

static void add_vertex(const group_table *table, double mass, const double *weights, int32_t *active)
{
    size_t count = 0;
    for (size_t b = 0; b < table->bone_count; b++) {
        if (weights[b] != 0) {
            active[count++] = (int32_t)b;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double *row = table->overlaps + (size_t)active[i] * table->bone_count;
        for (size_t j = 0; j < count; j++) {
            row[active[j]] += mass * weights[active[i]] * weights[active[j]];
        }
    }
}

/* A group that was not merged into another one, and moves something. */
static bool is_group(const group_table *table, size_t bone)
{
    return table->merged[bone] == (int32_t)bone && table->overlaps[bone * table->bone_count + bone] > 0;
}

static size_t lightest(const group_table *table)
{
    size_t best = table->bone_count;
    for (size_t b = 0; b < table->bone_count; b++) {
        if (is_group(table, b) && (best == table->bone_count || table->overlaps[b * table->bone_count + b] <
                                                                    table->overlaps[best * table->bone_count + best])) {
            best = b;
        }
    }
    return best;
}

/* The group that overlaps most with `bone`; the lightest on ties, as when none overlaps. */
static size_t closest(const group_table *table, size_t bone)
{
    const size_t n = table->bone_count;
    const double *row = table->overlaps + bone * n;
    size_t best = n;
    for (size_t b = 0; b < n; b++) {
        if (b == bone || !is_group(table, b)) {
            continue;
        }
        const bool is_lighter = best < n && table->overlaps[b * n + b] < table->overlaps[best * n + best];
        if (best == n || row[b] > row[best] || (row[b] >= row[best] && is_lighter)) {
            best = b;
        }
    }
    return best;
}

static void merge(const group_table *table, size_t from, size_t into)
{
    const size_t n = table->bone_count;
    for (size_t b = 0; b < n; b++) {
        table->overlaps[into * n + b] += table->overlaps[from * n + b];
    }
    for (size_t b = 0; b < n; b++) {
        table->overlaps[b * n + into] += table->overlaps[b * n + from];
    }
    table->merged[from] = (int32_t)into;
}

static void number_groups(const group_table *table, int32_t *numbers, int32_t *groups, int *group_count)
{
    *group_count = 0;
    for (size_t b = 0; b < table->bone_count; b++) {
        numbers[b] = -1;
    }
    for (size_t b = 0; b < table->bone_count; b++) {
        size_t root = b;
        while (table->merged[root] != (int32_t)root) {
            root = (size_t)table->merged[root];
        }
        if (numbers[root] < 0 && is_group(table, root)) {
            numbers[root] = (*group_count)++;
        }
        groups[b] = numbers[root];
    }
}

sn_result sn_bone_groups_build(int vertex_count, int bone_count, const double *vertex_mass, const double *rig_weights,
                               int max_groups, int32_t *groups, int *group_count)
{
    sn_arena scratch = {0};
    const size_t n = (size_t)bone_count;
    const group_table table = {n, SN_NEW(&scratch, double, n *n), SN_NEW(&scratch, int32_t, n)};
    int32_t *list = SN_NEW(&scratch, int32_t, n);
    if (!table.overlaps || !table.merged || !list) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < (size_t)vertex_count; v++) {
        add_vertex(&table, vertex_mass[v], rig_weights + v * n, list);
    }
    int remaining = 0;
    for (size_t b = 0; b < n; b++) {
        table.merged[b] = (int32_t)b;
        remaining += is_group(&table, b);
    }
    for (; remaining > max_groups; remaining--) {
        const size_t from = lightest(&table);
        merge(&table, from, closest(&table, from));
    }
    number_groups(&table, list, groups, group_count);
    sn_arena_finish(&scratch);
    return SN_OK;
}
