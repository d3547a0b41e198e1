/* SPDX-License-Identifier: MIT */
/* The built-in meshes of the benchmarks: a bent body with a trunk, of the size of the papers' elephant, and a leg. */
#ifndef SN_TOOLS_BENCH_MESH_H
#define SN_TOOLS_BENCH_MESH_H

#include "host/mesh/tet_mesh.h"

/* fineness 1 gives about 8,000 vertices and 40,000 tets; the counts grow with its cube. Face-connected, 44 long, 28
 * high and 20 wide. */
sn_result sn_bench_mesh(double fineness, sn_arena *arena, sn_tet_mesh *mesh);

/* A leg: a round bar of 6 across^2 along tets along y, centered at the origin, in metres. */
#define SN_BENCH_LEG_RADIUS 0.08
#define SN_BENCH_LEG_LENGTH 0.84
sn_result sn_bench_leg(int across, int along, sn_arena *arena, sn_tet_mesh *mesh);

/* The center line of the trunk; `along` is 0 at its root and 1 at its tip. */
void sn_bench_mesh_trunk(double along, double *point);

#endif
