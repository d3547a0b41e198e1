/* SPDX-License-Identifier: MIT */
/* The benches' built-in characters: a bent body with a trunk, of the size of the papers' elephant, and a leg. */
#ifndef SN_TOOLS_BENCH_MESH_H
#define SN_TOOLS_BENCH_MESH_H

#include "host/mesh/tet_mesh.h"

/* fineness 1: about 8 thousand vertices and 40 thousand tets; as many times that as its cube. Face-connected, 44 long,
 * 28 high and 20 wide. */
sn_result sn_bench_mesh(double fineness, sn_arena *arena, sn_tet_mesh *mesh);

/* A leg: a round bar of 6 across^2 along tets, along y, with its middle at the origin; metres. */
#define SN_BENCH_LEG_RADIUS 0.08
#define SN_BENCH_LEG_LENGTH 0.84
sn_result sn_bench_leg(int across, int along, sn_arena *arena, sn_tet_mesh *mesh);

/* The middle of the trunk, `along` from 0 at its root to 1 at its tip. */
void sn_bench_mesh_trunk(double along, double *point);

#endif
