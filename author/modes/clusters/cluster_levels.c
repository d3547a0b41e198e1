/* SPDX-License-Identifier: MIT */
/* Ward's agglomeration across shared faces. Each round merges all pairs that are each other's cheapest neighbour, which
 * gives the same result as one merge at a time, in about as many rounds as the merge tree is deep. */
#include "author/modes/clusters/cluster_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/modes/clusters/cluster_features.h"

/* Weight of the rig's features, where the first mode's feature is of order 1. Without them, coarse levels would merge
 * flesh across joints. */
#define RIG_WEIGHT 0.3

/* Two clusters that share a face, a < b. */
typedef struct cluster_pair {
    int32_t a, b;
    double cost;
} cluster_pair;

typedef struct agglomeration {
    int cluster_count, feature_count;
    int remaining;        /* remaining clusters */
    double *features;     /* (cluster_count x feature_count) means */
    double *volumes;      /* (cluster_count) */
    int32_t *merged_into; /* (cluster_count) the cluster that it was merged into, or itself */
    cluster_pair *pairs;
    int pair_count;
    cluster_pair *best;   /* (cluster_count) the cheapest pair of each */
    cluster_pair *merges; /* (cluster_count) merges of a round */
} agglomeration;

static int32_t find_root(const agglomeration *g, int32_t cluster)
{
    while (g->merged_into[cluster] != cluster) {
        cluster = g->merged_into[cluster];
    }
    return cluster;
}

/* A tet's features: by modes, then by bones. */
static void tet_features(const sn_cluster_levels_input *in, const sn_cluster_features *modes, size_t tet, double *row)
{
    const size_t mode_count = (size_t)modes->count, bones = (size_t)in->bone_count;
    for (size_t i = 0; i < mode_count; ++i) {
        row[i] = (double)modes->values[tet * modes->stride + i];
    }
    for (size_t b = 0; b < bones; ++b) {
        row[mode_count + b] = 0;
        for (size_t corner = 0; corner < 4; ++corner) {
            const size_t v = (size_t)in->mesh->tets[4 * tet + corner];
            row[mode_count + b] +=
                sn_tet_corner_fraction(in->mesh, (int)corner) * RIG_WEIGHT * in->rig_weights[v * bones + b];
        }
    }
}

/* row: scratch, the features of a tet. */
static void sum_features(const sn_cluster_levels_input *in, const sn_cluster_features *modes, double *row,
                         agglomeration *g)
{
    const size_t width = (size_t)g->feature_count;
    for (size_t t = 0; t < (size_t)in->mesh->tet_count; ++t) {
        double *mean = g->features + (size_t)in->labels[t] * width;
        tet_features(in, modes, t, row);
        g->volumes[in->labels[t]] += in->volumes[t];
        for (size_t i = 0; i < width; ++i) {
            mean[i] += in->volumes[t] * row[i];
        }
    }
    for (size_t i = 0; i < width * (size_t)g->cluster_count; ++i) {
        const double volume = g->volumes[i / width];
        g->features[i] /= volume > 0 ? volume : 1;
    }
}

/* By cost, then by index, so that the order is the same on every machine. */
static int compare_pairs(const void *remaining, const void *right)
{
    const cluster_pair *a = remaining, *b = right;
    if (a->cost < b->cost || b->cost < a->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

/* Lists each pair of clusters that share a face once. */
static sn_result list_pairs(const sn_cluster_levels_input *in, sn_arena *arena, agglomeration *g)
{
    const int32_t *neighbours = in->neighbours, *labels = in->labels;
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 4 * in->mesh->tet_count; ++i) {
            const int32_t own = labels[i / 4], other = neighbours[i] >= 0 ? labels[neighbours[i]] : own;
            if (own < other && pass == 0) {
                ++count;
            } else if (own < other) {
                g->pairs[g->pair_count++] = (cluster_pair){own, other, 0};
            }
        }
        if (pass == 0 && !(g->pairs = SN_NEW(arena, cluster_pair, count))) {
            return SN_ERROR_MEMORY;
        }
    }
    qsort(g->pairs, (size_t)g->pair_count, sizeof *g->pairs, compare_pairs);
    int kept_count = 0;
    for (int i = 0; i < g->pair_count; ++i) {
        if (kept_count == 0 || compare_pairs(&g->pairs[kept_count - 1], &g->pairs[i]) != 0) {
            g->pairs[kept_count++] = g->pairs[i];
        }
    }
    g->pair_count = kept_count;
    return SN_OK;
}

/* Increase of the volume-weighted variance by a merge. */
static double merge_cost(const agglomeration *g, int32_t a, int32_t b)
{
    const size_t width = (size_t)g->feature_count;
    const double *x = g->features + (size_t)a * width, *y = g->features + (size_t)b * width;
    const double sum = g->volumes[a] + g->volumes[b];
    double square = 0;
    for (size_t i = 0; i < width; ++i) {
        square += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sum > 0 ? g->volumes[a] * g->volumes[b] / sum * square : 0;
}

/* Updates the costs of the pairs of remaining clusters, and each cluster's cheapest pair. */
static void update_costs(agglomeration *g)
{
    int kept_count = 0;
    for (int c = 0; c < g->cluster_count; ++c) {
        g->best[c] = (cluster_pair){-1, -1, INFINITY};
    }
    for (int i = 0; i < g->pair_count; ++i) {
        const int32_t a = find_root(g, g->pairs[i].a), b = find_root(g, g->pairs[i].b);
        if (a == b) {
            continue;
        }
        const cluster_pair pair = {a < b ? a : b, a < b ? b : a, merge_cost(g, a, b)};
        g->pairs[kept_count++] = pair;
        for (int side = 0; side < 2; ++side) {
            cluster_pair *best = &g->best[side == 0 ? a : b];
            *best = best->a < 0 || compare_pairs(&pair, best) < 0 ? pair : *best;
        }
    }
    g->pair_count = kept_count;
}

static void merge_pair(agglomeration *g, int32_t a, int32_t b)
{
    const size_t width = (size_t)g->feature_count;
    const double sum = g->volumes[a] + g->volumes[b], fraction = sum > 0 ? g->volumes[b] / sum : 0;
    for (size_t i = 0; i < width; ++i) {
        double *mean = &g->features[(size_t)a * width + i];
        *mean += fraction * (g->features[(size_t)b * width + i] - *mean);
    }
    g->volumes[a] = sum;
    g->merged_into[b] = a;
    --g->remaining;
}

/* Merges until `requested` clusters remain, or no two share a face. */
static void agglomerate(agglomeration *g, int requested)
{
    while (g->remaining > requested) {
        int count = 0;
        update_costs(g);
        for (int32_t c = 0; c < g->cluster_count; ++c) {
            const cluster_pair *own = &g->best[c];
            if (own->a == c && compare_pairs(own, &g->best[own->b]) == 0) {
                g->merges[count++] = *own;
            }
        }
        if (count == 0) {
            return;
        }
        qsort(g->merges, (size_t)count, sizeof *g->merges, compare_pairs);
        for (int i = 0; i < count && g->remaining > requested; ++i) {
            merge_pair(g, g->merges[i].a, g->merges[i].b);
        }
    }
}

/* Numbers the remaining clusters from 0, by their first member. */
static void number_clusters(const agglomeration *g, int32_t *clusters)
{
    int32_t count = 0;
    for (int32_t c = 0; c < g->cluster_count; ++c) {
        /* a cluster merges into one of a lower index */
        clusters[c] = g->merged_into[c] == c ? count++ : clusters[g->merged_into[c]];
    }
}

static sn_result init(const sn_cluster_levels_input *in, sn_arena *scratch, agglomeration *g)
{
    const int count = in->cluster_count;
    sn_cluster_features modes;
    const sn_result result = sn_cluster_features_build(in->mesh, in->modes, scratch, &modes);
    if (result != SN_OK) {
        return result;
    }
    const int width = modes.count + in->bone_count;
    double *row = SN_NEW(scratch, double, width);
    *g = (agglomeration){.cluster_count = count,
                         .remaining = count,
                         .feature_count = width,
                         .features = SN_NEW(scratch, double, (size_t)count *(size_t)width),
                         .volumes = SN_NEW(scratch, double, count),
                         .merged_into = SN_NEW(scratch, int32_t, count),
                         .best = SN_NEW(scratch, cluster_pair, count),
                         .merges = SN_NEW(scratch, cluster_pair, count)};
    if (!row || !g->features || !g->volumes || !g->merged_into || !g->best || !g->merges) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t c = 0; c < count; ++c) {
        g->merged_into[c] = c;
    }
    sum_features(in, &modes, row, g);
    return list_pairs(in, scratch, g);
}

sn_result sn_cluster_levels_build(const sn_cluster_levels_input *in, sn_arena *arena, sn_cluster_levels *levels)
{
    const size_t count = (size_t)in->cluster_count;
    sn_arena scratch = {0};
    agglomeration g;
    *levels = (sn_cluster_levels){.counts = SN_NEW(arena, int32_t, in->requested_count),
                                  .clusters = SN_NEW(arena, int32_t, (size_t)in->requested_count * count)};
    sn_result result = levels->counts && levels->clusters ? init(in, &scratch, &g) : SN_ERROR_MEMORY;
    for (int i = 0; i < in->requested_count && result == SN_OK; ++i) {
        const int before = g.remaining;
        agglomerate(&g, in->requested[i]);
        if (g.remaining < before) {
            number_clusters(&g, levels->clusters + (size_t)levels->level_count * count);
            levels->counts[levels->level_count++] = g.remaining;
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
