/* SPDX-License-Identifier: MIT */
/* The benches' built-in character: a bent body with a trunk, of the size of the papers' elephant. */
#ifndef SN_TOOLS_BENCH_MESH_H
#define SN_TOOLS_BENCH_MESH_H

#include "host/mesh/tet_mesh.h"

/* About 8 thousand vertices and 40 thousand tets, face-connected. */
sn_result sn_bench_mesh(sn_arena *arena, sn_tet_mesh *mesh);

#endif
