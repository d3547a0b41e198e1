/* SPDX-License-Identifier: MIT */
/* How far along a mesh's edges each vertex is from the pinned ones, and whose it is. */
#ifndef SN_AUTHOR_WEIGHTS_PIN_REACH_H
#define SN_AUTHOR_WEIGHTS_PIN_REACH_H

#include "author/weights/simplices.h"

/* distances (vertex_count). A row of weights (vertex_count x column_count) that is not pinned becomes the mean of the
 * rows from which shortest paths come to it: cells around the handles, symmetric where the mesh is. Every component has
 * a pinned vertex. */
sn_result sn_pin_reach(const sn_simplices *simplices, const sn_symmetric_rows *graph, const bool *is_pinned,
                       int column_count, double *distances, double *weights);

#endif
