/* SPDX-License-Identifier: MIT */
/* What clusters are made by: how alike tets move. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_FEATURES_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_FEATURES_H

#include "author/modes/modes.h"

typedef struct sn_cluster_features {
    int count;     /* numbers a tet */
    size_t stride; /* of a row, a multiple of SN_ROW_LANES (cluster_tree.h) */
    float *values; /* (tet_count x stride), zero beyond count */
} sn_cluster_features;

/* The mean of a tet's vertices' w_j / E_j^2, modes at which every tet looks alike left out; relative to the largest
 * weight and the first kept eigenvalue, so that the scale of the model does not matter. */
sn_result sn_cluster_features_build(const sn_tet_mesh *mesh, const sn_modes *modes, sn_arena *arena,
                                    sn_cluster_features *features);

/* max |values| */
double sn_cluster_largest(const double *values, size_t count);

#endif
