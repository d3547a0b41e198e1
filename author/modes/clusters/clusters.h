/* SPDX-License-Identifier: MIT */
/* Clusters of tets that share one rotation. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTERS_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTERS_H

#include "author/modes/modes.h"

/* labels (tet_count): k-means of the tets' features (mean of their vertices' w_j / E_j^2, null modes left out), volume-
 * weighted, seeded; then every cluster split into its face-connected components, and crumbs (below a twentieth of the
 * mean cluster's volume) given to the neighbour they share most faces with. Every cluster is face-connected. Numbered
 * by first tet; returns through *cluster_count. neighbours is (tet_count x 4). The same modes give the same labels on
 * every processor. The time grows with tet_count, and with wanted_count up to a bound (cluster_kmeans.h). */
sn_result sn_clusters_build(const sn_tet_mesh *mesh, const double *volumes, const int32_t *neighbours,
                            const sn_modes *modes, int wanted_count, int32_t *labels, int *cluster_count);

/* The splitting alone, in place. */
sn_result sn_clusters_split(int tet_count, const int32_t *neighbours, int32_t *labels, int *cluster_count);

#endif
