/* SPDX-License-Identifier: MIT */
/* Coarser levels of clusters, for bodies that are far away or many. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_LEVELS_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_LEVELS_H

#include "author/modes/modes.h"

typedef struct sn_cluster_levels {
    int level_count;   /* coarse ones: at most as many as were wanted */
    int32_t *counts;   /* (level_count) descending */
    int32_t *clusters; /* (level_count x cluster_count) of each cluster, which of the level's holds it */
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
    const int *wanted; /* (wanted_count) clusters, descending */
    int wanted_count;
} sn_cluster_levels_input;

/* Levels of about wanted[0] > wanted[1] ... clusters, each a union of those of the level before that hang together by
 * faces: neighbours join (Ward 1963) that raise the volume-weighted variance of the clusters' features least, which are
 * those of sn_clusters_build and the rig's weights: a cluster that spans a joint would take the rig's own bend for
 * strain. Pieces of the mesh that share no face never join. A level that would have as many clusters as the one before
 * is left out. */
sn_result sn_cluster_levels_build(const sn_cluster_levels_input *input, sn_arena *arena, sn_cluster_levels *levels);

#endif
