/* SPDX-License-Identifier: MIT */
/* Smooths rig weights on a tet mesh until the rig alone does not stretch its edges far. */
#ifndef SN_AUTHOR_MESHER_SMOOTH_H
#define SN_AUTHOR_MESHER_SMOOTH_H

#include "author/mesher/node_graph.h"
#include "author/mesher/test_poses.h"

typedef struct sn_smoothing {
    const sn_tet_mesh *mesh;
    const sn_node_graph *graph;
    sn_skeleton skeleton; /* in the mesh's coordinates */
    double *weights;      /* (vertex_count x bone_count) replaced by the result */
    int worker_count;     /* threads, 0: one per processor; the result does not depend on it */
} sn_smoothing;

/* Row sums of 1 are preserved. */
sn_result sn_weights_smooth(const sn_smoothing *smoothing);

#endif
