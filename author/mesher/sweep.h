/* SPDX-License-Identifier: MIT */
/* Extends distances from fixed nodes over a lattice (fast sweeping). */
#ifndef SN_AUTHOR_MESHER_SWEEP_H
#define SN_AUTHOR_MESHER_SWEEP_H

#include "host/base/base.h"

/* Nodes are (counts[2] x counts[1] x counts[0]), x fastest. Distances are >= 0, in units of the spacing; INFINITY where
 * unknown. Lowers the distances of nodes that are not fixed until |grad| = 1. A sign of 0 is replaced by the sign of
 * the neighbour that supplied the node's distance. */
void sn_distances_sweep(const int *counts, const bool *is_fixed, double *distances, int8_t *signs);

#endif
