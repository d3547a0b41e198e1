/* SPDX-License-Identifier: MIT */
/* Features of tets for clustering: similar tets move alike. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_FEATURES_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_FEATURES_H

#include "author/modes/modes.h"

typedef struct sn_cluster_features {
    int count;     /* features per tet */
    size_t stride; /* of a row, a multiple of SN_ROW_LANES (cluster_tree.h) */
    float *values; /* (tet_count x stride), zero beyond count */
} sn_cluster_features;

/* Feature j of a tet is the mean of w_j / E_j^2 over its vertices, without modes that are equal at all tets, relative
 * to the largest weight and the first remaining eigenvalue, so that the scale of the model does not matter. */
sn_result sn_cluster_features_build(const sn_tet_mesh *mesh, const sn_modes *modes, sn_arena *arena,
                                    sn_cluster_features *features);

/* max |values| */
double sn_cluster_max_abs(const double *values, size_t count);

#endif
