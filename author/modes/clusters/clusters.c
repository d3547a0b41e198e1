/* SPDX-License-Identifier: MIT */
/* k-means of the tets' features in float (cluster_kmeans.h), then a split into face-connected pieces (paper, section 6;
 * the authors' Python does not split). The split leaves many tiny pieces, each as expensive in every step as a whole
 * cluster, so these are merged into a neighbour. */
#include "author/modes/clusters/clusters.h"

#include <string.h>

#include "author/modes/clusters/cluster_features.h"
#include "author/modes/clusters/cluster_kmeans.h"

#define LLOYD_ITERATIONS 24
#define MIN_PIECE_FRACTION                                                                                             \
    0.05 /* fraction of the mean cluster volume below which a piece is merged; doubled while more than MAX_PIECE_RATIO \
            times the requested number remain */
#define MAX_PIECE_RATIO 2.5

static sn_result build_tree(const sn_tet_mesh *mesh, const double *volumes, const sn_modes *modes, sn_arena *arena,
                            sn_tree *tree)
{
    const size_t tets = (size_t)mesh->tet_count;
    sn_cluster_features features;
    float *weights = SN_NEW(arena, float, tets);
    const sn_result result = weights ? sn_cluster_features_build(mesh, modes, arena, &features) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    const double max_volume = sn_cluster_max_abs(volumes, tets);
    for (size_t t = 0; t < tets; ++t) {
        weights[t] = (float)(volumes[t] / (max_volume > 0 ? max_volume : 1));
    }
    return sn_tree_build(features.values, weights, mesh->tet_count, features.count, arena, tree);
}

static sn_result run_kmeans(const sn_tet_mesh *mesh, const double *volumes, const sn_modes *modes, int target_count,
                            sn_arena *scratch, int32_t *labels)
{
    if (target_count >= mesh->tet_count) {
        for (int t = 0; t < mesh->tet_count; ++t) {
            labels[t] = t;
        }
        return SN_OK;
    }
    sn_tree tree;
    sn_result result = build_tree(mesh, volumes, modes, scratch, &tree);
    if (result != SN_OK) {
        return result;
    }
    sn_row_lanes *centres = SN_NEW(scratch, sn_row_lanes, (size_t)target_count * (size_t)tree.width);
    result = centres ? sn_kmeans_seed(&tree, target_count, centres) : SN_ERROR_MEMORY;
    return result == SN_OK ? sn_kmeans_iterate(&tree, target_count, LLOYD_ITERATIONS, centres, labels) : result;
}

sn_result sn_clusters_split(int tet_count, const int32_t *neighbours, int32_t *labels, int *cluster_count)
{
    sn_arena scratch = {0};
    int32_t *component = SN_NEW(&scratch, int32_t, tet_count);
    int32_t *stack = SN_NEW(&scratch, int32_t, tet_count);
    const bool is_ok = component && stack;
    int count = 0;
    for (int t = 0; t < tet_count && is_ok; ++t) {
        component[t] = -1;
    }
    for (int seed = 0; seed < tet_count && is_ok; ++seed) {
        if (component[seed] >= 0) {
            continue;
        }
        int depth = 0;
        stack[depth++] = seed;
        component[seed] = count;
        while (depth > 0) {
            const int32_t t = stack[--depth];
            for (int face = 0; face < 4; ++face) {
                const int32_t next = neighbours[4 * (size_t)t + (size_t)face];
                if (next >= 0 && component[next] < 0 && labels[next] == labels[t]) {
                    component[next] = count;
                    stack[depth++] = next;
                }
            }
        }
        ++count;
    }
    if (is_ok) {
        memcpy(labels, component, (size_t)tet_count * sizeof *labels);
        *cluster_count = count;
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

typedef struct piece_merge {
    int tet_count, piece_count;
    const int32_t *neighbours;
    int32_t *labels;
    int32_t *starts, *members; /* tets sorted by piece: members[starts[p]] on */
    int32_t *shared_faces;     /* (piece_count) faces shared with the current piece */
} piece_merge;

static void sort_members(piece_merge *c)
{
    for (int t = 0; t < c->tet_count; ++t) {
        ++c->starts[c->labels[t] + 1];
    }
    for (int p = 0; p < c->piece_count; ++p) {
        c->starts[p + 1] += c->starts[p];
    }
    for (int t = c->tet_count - 1; t >= 0; --t) {
        /* `shared_faces` counts the placed tets of the piece, from the back */
        const int32_t piece = c->labels[t];
        c->members[c->starts[piece + 1] - 1 - c->shared_faces[piece]++] = t;
    }
    memset(c->shared_faces, 0, (size_t)c->piece_count * sizeof *c->shared_faces);
}

/* The cluster that shares the most faces with a piece, or -1 if isolated. */
static int32_t best_neighbour(piece_merge *c, int piece)
{
    int32_t best = -1;
    for (int pass = 0; pass < 2; ++pass) { /* count, then clear */
        for (int32_t i = c->starts[piece]; i < c->starts[piece + 1]; ++i) {
            for (int face = 0; face < 4; ++face) {
                const int32_t next = c->neighbours[4 * (size_t)c->members[i] + (size_t)face];
                const int32_t label = next >= 0 ? c->labels[next] : -1;
                if (label < 0 || label == c->labels[c->members[i]]) {
                    continue;
                }
                c->shared_faces[label] = pass == 0 ? c->shared_faces[label] + 1 : 0;
                if (pass == 0 && (best < 0 || c->shared_faces[label] > c->shared_faces[best])) {
                    best = label;
                }
            }
        }
    }
    return best;
}

/* Merges pieces with a volume below `min_volume` into the neighbour with the most shared faces. */
static sn_result merge_small_pieces(const double *volumes, piece_merge *c, double min_volume, sn_arena *scratch)
{
    double *piece_volumes = SN_NEW(scratch, double, c->piece_count);
    c->starts = SN_NEW(scratch, int32_t, c->piece_count + 1);
    c->members = SN_NEW(scratch, int32_t, c->tet_count);
    c->shared_faces = SN_NEW(scratch, int32_t, c->piece_count);
    if (!piece_volumes || !c->starts || !c->members || !c->shared_faces) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < c->tet_count; ++t) {
        piece_volumes[c->labels[t]] += volumes[t];
    }
    sort_members(c);
    for (int piece = 0; piece < c->piece_count; ++piece) {
        /* use the current volume, since other pieces may have been merged into this one */
        if (piece_volumes[piece] >= min_volume) {
            continue;
        }
        const int32_t target = best_neighbour(c, piece);
        if (target < 0) {
            continue;
        }
        for (int32_t i = c->starts[piece]; i < c->starts[piece + 1]; ++i) {
            c->labels[c->members[i]] = target;
        }
        piece_volumes[target] += piece_volumes[piece];
    }
    return SN_OK;
}

sn_result sn_clusters_build(const sn_tet_mesh *mesh, const double *volumes, const int32_t *neighbours,
                            const sn_modes *modes, int target_count, int32_t *labels, int *cluster_count)
{
    sn_arena scratch = {0};
    sn_result result = run_kmeans(mesh, volumes, modes, target_count, &scratch, labels);
    if (result == SN_OK) {
        result = sn_clusters_split(mesh->tet_count, neighbours, labels, cluster_count);
    }
    double total = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        total += volumes[t];
    }
    /* local modes, as of rigs with many bones, give hundreds of pieces of any size */
    for (double fraction = MIN_PIECE_FRACTION; result == SN_OK; fraction *= 2) {
        piece_merge c = {
            .tet_count = mesh->tet_count, .piece_count = *cluster_count, .neighbours = neighbours, .labels = labels};
        result = merge_small_pieces(volumes, &c, fraction * total / target_count, &scratch);
        if (result == SN_OK) {
            /* renumber; a merged piece can become disconnected again when the piece that linked it was merged elsewhere
             */
            result = sn_clusters_split(mesh->tet_count, neighbours, labels, cluster_count);
        }
        if (*cluster_count <= MAX_PIECE_RATIO * target_count || fraction > 0.5) {
            break;
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
