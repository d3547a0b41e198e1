/* SPDX-License-Identifier: MIT */
/* Clusters of tets that share one rotation. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTERS_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTERS_H

#include "author/modes/modes.h"

/* Computes labels (tet_count): volume-weighted k-means, with a fixed seed, of the tets' features (cluster_features.h).
 * Every cluster is then split into face-connected components, and pieces below 5% of the mean cluster volume are merged
 * into the neighbour with which they share the most faces. Clusters are face-connected and numbered by first tet;
 * *cluster_count receives their number. neighbours is (tet_count x 4). The same modes give the same labels on every
 * processor. The time grows with tet_count, and with target_count up to a bound (cluster_kmeans.h). */
sn_result sn_clusters_build(const sn_tet_mesh *mesh, const double *volumes, const int32_t *neighbours,
                            const sn_modes *modes, int target_count, int32_t *labels, int *cluster_count);

/* Splits clusters into face-connected components, in place. */
sn_result sn_clusters_split(int tet_count, const int32_t *neighbours, int32_t *labels, int *cluster_count);

#endif
