/* SPDX-License-Identifier: MIT */
/* Position-based bodies: pairs of constraints a second, for every instruction set, and on a device. */
#ifndef SN_TOOLS_BENCH_XPBD_H
#define SN_TOOLS_BENCH_XPBD_H

#include "host/mesh/tet_mesh.h"
#include "host/xpbd/xpbd.h"
#include "tools/bench/table.h"

sn_result sn_bench_xpbd(const sn_tet_mesh *mesh, sn_bench_table *table);

/* Steps of 1, 100, 1000 and 5000 bodies, and of one large body, unless null;
 * software Vulkan skips what would take it minutes. */
sn_result sn_bench_xpbd_on_device(const sn_tet_mesh *small, const sn_tet_mesh *large, sn_bench_table *table);

/* What both have in common. Of a pair in recipe_tet.inc, divisions as one each. A tet's 60 bytes stream at 7 GB/s when
 * 110 million a second are solved, a tenth of what a core gets from its last cache: arithmetic is the limit. */
#define SN_BENCH_TET_FLOPS 464.0
/* A mesh as a body of unit diagonal. */
sn_result sn_bench_xpbd_desc(const sn_tet_mesh *mesh, sn_arena *arena, sn_xpbd_desc *desc);
/* Soft flesh of one material. */
sn_result sn_bench_xpbd_model(const sn_xpbd_desc *desc, sn_xpbd_model **model);
/* Waves of shear, so that no element is at rest. */
void sn_bench_xpbd_shake(const sn_xpbd_desc *desc, sn_xpbd_body *body, double *velocities);

#endif
