/* SPDX-License-Identifier: MIT */
/* Distance along a mesh's edges from each vertex to the pinned ones, and the nearest pinned rows. */
#ifndef SN_AUTHOR_WEIGHTS_PIN_DISTANCES_H
#define SN_AUTHOR_WEIGHTS_PIN_DISTANCES_H

#include "author/weights/simplices.h"

/* Computes distances (vertex_count). Each unpinned row of weights (vertex_count x column_count) becomes the mean of the
 * rows that its shortest paths come from: cells around the handles, symmetric on symmetric meshes. Every component must
 * have a pinned vertex. */
sn_result sn_pin_distances(const sn_simplices *simplices, const sn_symmetric_rows *graph, const bool *is_pinned,
                           int column_count, double *distances, double *weights);

#endif
