/* SPDX-License-Identifier: MIT */
/* Position-based bodies: constraint pairs per second for every instruction set, and on a device. */
#ifndef SN_TOOLS_BENCH_XPBD_H
#define SN_TOOLS_BENCH_XPBD_H

#include "host/mesh/tet_mesh.h"
#include "host/xpbd/xpbd.h"
#include "tools/bench/table.h"

sn_result sn_bench_xpbd(const sn_tet_mesh *mesh, sn_bench_table *table);

/* Steps of 1, 100, 1000 and 5000 bodies, and of one large body unless null. Software Vulkan skips cases that would take
 * minutes. */
sn_result sn_bench_xpbd_on_device(const sn_tet_mesh *small, const sn_tet_mesh *large, sn_bench_table *table);

/* Shared by the CPU and the device benchmark. Flops per pair in recipe_tet.inc, divisions count as one. Arithmetic is
 * the limit: a tet needs only 60 bytes of memory traffic. */
#define SN_BENCH_TET_FLOPS 464.0
/* A mesh as a body with a diagonal of 1. */
sn_result sn_bench_xpbd_desc(const sn_tet_mesh *mesh, sn_arena *arena, sn_xpbd_desc *desc);
/* Soft flesh of one material. */
sn_result sn_bench_xpbd_model(const sn_xpbd_desc *desc, sn_xpbd_model **model);
/* Adds shear waves, so that no element is at rest. */
void sn_bench_xpbd_excite(const sn_xpbd_desc *desc, sn_xpbd_body *body, double *velocities);

#endif
