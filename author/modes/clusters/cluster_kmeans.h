/* SPDX-License-Identifier: MIT */
/* Weighted k-means of points in a tree. */
#ifndef SN_AUTHOR_MODES_CLUSTERS_CLUSTER_KMEANS_H
#define SN_AUTHOR_MODES_CLUSTERS_CLUSTER_KMEANS_H

#include "author/modes/clusters/cluster_tree.h"

/* Tests of a centre against a box or a block, for each block of the tree, after which seeding tries one candidate a
 * centre only, and iterating stops. A hundred centres take a few hundred, or three thousand where modes are local; as
 * many centres as points would take a hundred times as many. */
#define SN_KMEANS_TESTS INT64_C(20000)

/* centres (centre_count x width): points of the tree, by greedy k-means++. */
sn_result sn_kmeans_seed(const sn_tree *tree, int centre_count, sn_row_lanes *centres);

/* Lloyd's iterations from `centres`, until nothing moves or iteration_count of them are done. labels (point_count). */
sn_result sn_kmeans_iterate(const sn_tree *tree, int centre_count, int iteration_count, sn_row_lanes *centres,
                            int32_t *labels);

#endif
