/* SPDX-License-Identifier: MIT */
/* Weighted k-means of points in a k-d tree. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_KMEANS_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_KMEANS_H

#include "author/modes/clusters/cluster_tree.h"

/* Cost limit: tests of a centre against a box or a block, per block of the tree. Beyond it, seeding tries only one
 * candidate per centre, and the iterations stop. 100 centres usually need a few hundred tests, or a few thousand where
 * modes are local. */
#define SN_KMEANS_TESTS INT64_C(20000)

/* centres (centre_count x width): points of the tree, chosen by greedy k-means++. */
sn_result sn_kmeans_seed(const sn_tree *tree, int centre_count, sn_row_lanes *centres);

/* Lloyd's iterations from `centres`, until nothing changes or iteration_count is reached. labels (point_count). */
sn_result sn_kmeans_iterate(const sn_tree *tree, int centre_count, int iteration_count, sn_row_lanes *centres,
                            int32_t *labels);

#endif
