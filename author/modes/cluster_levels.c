/* SPDX-License-Identifier: MIT */
/* Ward's agglomeration along the faces between clusters. In every round those pairs join of which each is the other's
 * cheapest neighbour: the order in which single joins would do it, in about as many rounds as a tree of them is deep.
 */
#include "author/modes/cluster_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/modes/cluster_features.h"

/* Two clusters that share a face, a < b. */
typedef struct cluster_pair {
    int32_t a, b;
    double cost;
} cluster_pair;

typedef struct agglomeration {
    int cluster_count, feature_count;
    int left;         /* clusters that stand */
    double *features; /* (cluster_count x feature_count) means */
    double *volumes;  /* (cluster_count) */
    int32_t *into;    /* (cluster_count) the one that it has joined, or itself */
    cluster_pair *pairs;
    int pair_count;
    cluster_pair *best;  /* (cluster_count) the cheapest pair of each */
    cluster_pair *joins; /* (cluster_count) of a round */
} agglomeration;

static int32_t find_root(const agglomeration *g, int32_t cluster)
{
    while (g->into[cluster] != cluster) {
        cluster = g->into[cluster];
    }
    return cluster;
}

static void sum_features(const sn_tet_mesh *mesh, const double *volumes, const int32_t *labels,
                         const sn_cluster_features *features, agglomeration *g)
{
    const size_t width = (size_t)g->feature_count;
    for (size_t t = 0; t < (size_t)mesh->tet_count; ++t) {
        double *mean = g->features + (size_t)labels[t] * width;
        g->volumes[labels[t]] += volumes[t];
        for (size_t i = 0; i < width; ++i) {
            mean[i] += volumes[t] * (double)features->values[t * features->stride + i];
        }
    }
    for (size_t i = 0; i < width * (size_t)g->cluster_count; ++i) {
        const double volume = g->volumes[i / width];
        g->features[i] /= volume > 0 ? volume : 1;
    }
}

/* By cost, then by number: one order on every machine. */
static int compare_pairs(const void *left, const void *right)
{
    const cluster_pair *a = left, *b = right;
    if (a->cost < b->cost || b->cost < a->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

/* One entry for each two clusters that share a face. */
static sn_result list_pairs(const sn_tet_mesh *mesh, const int32_t *neighbours, const int32_t *labels, sn_arena *arena,
                            agglomeration *g)
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 4 * mesh->tet_count; ++i) {
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
    int kept = 0;
    for (int i = 0; i < g->pair_count; ++i) {
        if (kept == 0 || compare_pairs(&g->pairs[kept - 1], &g->pairs[i]) != 0) {
            g->pairs[kept++] = g->pairs[i];
        }
    }
    g->pair_count = kept;
    return SN_OK;
}

/* By how much the variance about the means would grow. */
static double join_cost(const agglomeration *g, int32_t a, int32_t b)
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

/* Pairs between the clusters that stand now, and each one's cheapest. */
static void price_pairs(agglomeration *g)
{
    int kept = 0;
    for (int c = 0; c < g->cluster_count; ++c) {
        g->best[c] = (cluster_pair){-1, -1, INFINITY};
    }
    for (int i = 0; i < g->pair_count; ++i) {
        const int32_t a = find_root(g, g->pairs[i].a), b = find_root(g, g->pairs[i].b);
        if (a == b) {
            continue;
        }
        const cluster_pair pair = {a < b ? a : b, a < b ? b : a, join_cost(g, a, b)};
        g->pairs[kept++] = pair;
        for (int side = 0; side < 2; ++side) {
            cluster_pair *best = &g->best[side == 0 ? a : b];
            *best = best->a < 0 || compare_pairs(&pair, best) < 0 ? pair : *best;
        }
    }
    g->pair_count = kept;
}

static void join(agglomeration *g, int32_t a, int32_t b)
{
    const size_t width = (size_t)g->feature_count;
    const double sum = g->volumes[a] + g->volumes[b], share = sum > 0 ? g->volumes[b] / sum : 0;
    for (size_t i = 0; i < width; ++i) {
        double *mean = &g->features[(size_t)a * width + i];
        *mean += share * (g->features[(size_t)b * width + i] - *mean);
    }
    g->volumes[a] = sum;
    g->into[b] = a;
    --g->left;
}

/* Down to `wanted` clusters, or until no two share a face. */
static void agglomerate(agglomeration *g, int wanted)
{
    while (g->left > wanted) {
        int count = 0;
        price_pairs(g);
        for (int32_t c = 0; c < g->cluster_count; ++c) {
            const cluster_pair *own = &g->best[c];
            if (own->a == c && compare_pairs(own, &g->best[own->b]) == 0) {
                g->joins[count++] = *own;
            }
        }
        if (count == 0) {
            return;
        }
        qsort(g->joins, (size_t)count, sizeof *g->joins, compare_pairs);
        for (int i = 0; i < count && g->left > wanted; ++i) {
            join(g, g->joins[i].a, g->joins[i].b);
        }
    }
}

/* The clusters that stand get numbers from 0 on, by their first one. */
static void number_clusters(const agglomeration *g, int32_t *clusters)
{
    int32_t count = 0;
    for (int32_t c = 0; c < g->cluster_count; ++c) {
        /* a cluster joins one of a lower number */
        clusters[c] = g->into[c] == c ? count++ : clusters[g->into[c]];
    }
}

static sn_result start(const sn_tet_mesh *mesh, const double *volumes, const int32_t *neighbours, const sn_modes *modes,
                       const int32_t *labels, int cluster_count, sn_arena *scratch, agglomeration *g)
{
    sn_cluster_features features;
    sn_result result = sn_cluster_features_build(mesh, modes, scratch, &features);
    if (result != SN_OK) {
        return result;
    }
    *g = (agglomeration){.cluster_count = cluster_count,
                         .left = cluster_count,
                         .feature_count = features.count,
                         .features = SN_NEW(scratch, double, (size_t)cluster_count *(size_t)features.count),
                         .volumes = SN_NEW(scratch, double, cluster_count),
                         .into = SN_NEW(scratch, int32_t, cluster_count),
                         .best = SN_NEW(scratch, cluster_pair, cluster_count),
                         .joins = SN_NEW(scratch, cluster_pair, cluster_count)};
    if (!g->features || !g->volumes || !g->into || !g->best || !g->joins) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t c = 0; c < cluster_count; ++c) {
        g->into[c] = c;
    }
    sum_features(mesh, volumes, labels, &features, g);
    return list_pairs(mesh, neighbours, labels, scratch, g);
}

sn_result sn_cluster_levels_build(const sn_tet_mesh *mesh, const double *volumes, const int32_t *neighbours,
                                  const sn_modes *modes, const int32_t *labels, int cluster_count, const int *wanted,
                                  int wanted_count, sn_arena *arena, sn_cluster_levels *levels)
{
    sn_arena scratch = {0};
    agglomeration g;
    *levels = (sn_cluster_levels){.counts = SN_NEW(arena, int32_t, wanted_count),
                                  .clusters = SN_NEW(arena, int32_t, (size_t)wanted_count * (size_t)cluster_count)};
    sn_result result = levels->counts && levels->clusters ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = start(mesh, volumes, neighbours, modes, labels, cluster_count, &scratch, &g);
    }
    for (int i = 0; i < wanted_count && result == SN_OK; ++i) {
        const int before = g.left;
        agglomerate(&g, wanted[i]);
        if (g.left < before) {
            number_clusters(&g, levels->clusters + (size_t)levels->level_count * (size_t)cluster_count);
            levels->counts[levels->level_count++] = g.left;
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
