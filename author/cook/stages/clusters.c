/* SPDX-License-Identifier: MIT */
/* The fifth stage: clusters of tets that share a rotation, in levels; or the user's labels, unchanged. */
#include <string.h>

#include "author/cook/stages/stages.h"

#define DEFAULT_CLUSTER_COUNT 100
#define LEAST_COARSE_COUNT 4 /* of default levels */

static sn_result take_labels(sn_cooking *k)
{
    const char *name = k->desc->labels_name ? k->desc->labels_name : "labels";
    if (k->desc->label_count != (size_t)k->mesh.tet_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d tets of %s", name, k->desc->label_count,
                       k->mesh.tet_count, k->path);
    }
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        const int32_t label = k->desc->labels[t];
        if (label < 0 || label >= k->mesh.tet_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %d is %d, outside 0 .. %d", name, t, label,
                           k->mesh.tet_count - 1);
        }
        k->clusters[t] = label;
        k->report.cluster_count = label >= k->report.cluster_count ? label + 1 : k->report.cluster_count;
    }
    return SN_OK;
}

/* Builds the coarser levels as unions of the fine clusters. finest: the requested number of fine clusters. */
static sn_result coarsen(sn_cooking *k, int finest)
{
    int counts[SN_COARSE_LEVEL_LIMIT] = {3 * finest / 10, finest / 10}, count = 0;
    for (int i = 0; i < SN_COARSE_LEVEL_LIMIT; ++i) {
        counts[i] = counts[i] > LEAST_COARSE_COUNT ? counts[i] : LEAST_COARSE_COUNT;
    }
    if (k->desc->coarse_cluster_counts[0] > 0) {
        memcpy(counts, k->desc->coarse_cluster_counts, sizeof counts);
    }
    while (count < SN_COARSE_LEVEL_LIMIT && counts[count] > 0) {
        ++count;
    }
    const sn_cluster_levels_input input = {.mesh = &k->mesh,
                                           .volumes = k->volumes,
                                           .neighbours = k->neighbours,
                                           .modes = &k->modes,
                                           .rig_weights = k->rig_weights,
                                           .bone_count = k->bone_count,
                                           .labels = k->clusters,
                                           .cluster_count = k->report.cluster_count,
                                           .wanted = counts,
                                           .wanted_count = count};
    const sn_result result = sn_cluster_levels_build(&input, &k->arena, &k->levels);
    for (int i = 0; i < k->levels.level_count && result == SN_OK; ++i) {
        k->report.coarse_cluster_counts[i] = k->levels.counts[i];
    }
    return result;
}

sn_result sn_cooking_cluster(sn_cooking *k)
{
    const int said = k->desc->cluster_count ? k->desc->cluster_count : k->sidecar.cluster_count;
    const int wanted = said ? said : DEFAULT_CLUSTER_COUNT;
    k->clusters = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    if (!k->clusters) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = k->desc->labels ? take_labels(k)
                                             : sn_clusters_build(&k->mesh, k->volumes, k->neighbours, &k->modes, wanted,
                                                                 k->clusters, &k->report.cluster_count);
    return result == SN_OK ? coarsen(k, k->desc->labels ? k->report.cluster_count : wanted) : result;
}
