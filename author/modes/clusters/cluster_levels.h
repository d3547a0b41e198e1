/* SPDX-License-Identifier: MIT */
/* Coarser levels of clusters, for distant or numerous bodies. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_LEVELS_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_LEVELS_H

#include "author/modes/modes.h"

typedef struct sn_cluster_levels {
    int level_count;   /* coarse levels; at most requested_count */
    int32_t *counts;   /* (level_count) descending */
    int32_t *clusters; /* (level_count x cluster_count) the level's cluster that contains each finest cluster */
} sn_cluster_levels;

typedef struct sn_cluster_levels_input {
    const sn_tet_mesh *mesh;
    const double *volumes;     /* (tet_count) */
    const int32_t *neighbours; /* (tet_count x 4) */
    const sn_modes *modes;
    const double *rig_weights; /* (vertex_count x bone_count) */
    int bone_count;
    const int32_t *labels; /* (tet_count) the finest clusters */
    int cluster_count;
    const int *requested; /* (requested_count) target numbers of clusters, descending */
    int requested_count;
} sn_cluster_levels_input;

/* Builds levels of about requested[0] > requested[1] ... clusters, each a union of face-connected clusters of the
 * previous level. Merges the neighbours that increase the volume-weighted variance of the clusters' features least
 * (Ward 1963). The features are those of sn_clusters_build and the rig's weights: a cluster across a joint would treat
 * the rig's own bend as strain. Pieces of the mesh that share no face are never merged. A level with as many clusters
 * as the previous one is omitted. */
sn_result sn_cluster_levels_build(const sn_cluster_levels_input *input, sn_arena *arena, sn_cluster_levels *levels);

#endif
