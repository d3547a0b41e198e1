/* SPDX-License-Identifier: MIT */
/* Distances over a lattice from those that are known. */
#ifndef SN_AUTHOR_MESHER_SWEEP_H
#define SN_AUTHOR_MESHER_SWEEP_H

#include "host/base/base.h"

/* Nodes (counts[2] x counts[1] x counts[0]), x fastest. Lowers distances (>= 0; INFINITY where nothing is known), in
 * units of the spacing, until |grad| = 1, but for nodes that are fixed. A sign of 0 becomes that of the neighbour that
 * a node's distance came from. */
void sn_distances_sweep(const int *counts, const bool *is_fixed, double *distances, int8_t *signs);

#endif
