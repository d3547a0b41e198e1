/* SPDX-License-Identifier: MIT */
/* The fifth stage: clusters of tets that share a rotation, in levels; or the user's labels, unchanged. */
#include <string.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/stages/stages.h"

#define DEFAULT_CLUSTER_COUNT 100
#define MIN_COARSE_COUNT 4 /* of default levels */

static sn_result copy_labels(sn_cook_context *cook)
{
    const char *name = cook->desc->labels_name ? cook->desc->labels_name : "labels";
    if (cook->desc->label_count != (size_t)cook->mesh.tet_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d tets of %s", name, cook->desc->label_count,
                       cook->mesh.tet_count, cook->path);
    }
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        const int32_t label = cook->desc->labels[t];
        if (label < 0 || label >= cook->mesh.tet_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %d is %d, outside 0 .. %d", name, t, label,
                           cook->mesh.tet_count - 1);
        }
        cook->clusters[t] = label;
        cook->report.cluster_count = label >= cook->report.cluster_count ? label + 1 : cook->report.cluster_count;
    }
    return SN_OK;
}

/* Builds the coarser levels as unions of the fine clusters. finest: the requested number of fine clusters. */
static sn_result coarsen(sn_cook_context *cook, const sn_cluster_source *source, int finest)
{
    int counts[SN_COARSE_LEVEL_LIMIT] = {3 * finest / 10, finest / 10}, count = 0;
    for (int i = 0; i < SN_COARSE_LEVEL_LIMIT; ++i) {
        counts[i] = counts[i] > MIN_COARSE_COUNT ? counts[i] : MIN_COARSE_COUNT;
    }
    if (cook->desc->coarse_cluster_counts[0] > 0) {
        memcpy(counts, cook->desc->coarse_cluster_counts, sizeof counts);
    }
    while (count < SN_COARSE_LEVEL_LIMIT && counts[count] > 0) {
        ++count;
    }
    const sn_cluster_levels_input input = {.mesh = &cook->mesh,
                                           .volumes = source->volumes,
                                           .neighbours = source->neighbours,
                                           .modes = &source->modes,
                                           .rig_weights = cook->rig_weights,
                                           .bone_count = cook->bone_count,
                                           .labels = cook->clusters,
                                           .cluster_count = cook->report.cluster_count,
                                           .requested = counts,
                                           .requested_count = count};
    SN_TRY(sn_cluster_levels_build(&input, &cook->arena, &cook->levels));
    for (int i = 0; i < cook->levels.level_count; ++i) {
        cook->report.coarse_cluster_counts[i] = cook->levels.counts[i];
    }
    return SN_OK;
}

sn_result sn_cook_context_build_clusters(sn_cook_context *cook)
{
    const int user_count = cook->desc->cluster_count ? cook->desc->cluster_count : cook->sidecar.cluster_count;
    const int requested = user_count ? user_count : DEFAULT_CLUSTER_COUNT;
    cook->clusters = SN_NEW(&cook->arena, int32_t, cook->mesh.tet_count);
    if (!cook->clusters) {
        return SN_ERROR_MEMORY;
    }
    sn_cluster_source source = {cook->modes, cook->volumes, cook->neighbours};
    SN_TRY(cook->is_anchored ? sn_anchored_prepare_clusters(cook, &source) : SN_OK);
    SN_TRY(cook->desc->labels ? copy_labels(cook)
                              : sn_clusters_build(&cook->mesh, source.volumes, source.neighbours, &source.modes,
                                                  requested, cook->clusters, &cook->report.cluster_count));
    if (cook->is_anchored && !cook->desc->labels) {
        SN_TRY(sn_anchored_merge_core(cook));
    }
    return coarsen(cook, &source, cook->desc->labels ? cook->report.cluster_count : requested);
}
