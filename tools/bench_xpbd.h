/* SPDX-License-Identifier: MIT */
/* Position-based bodies: pairs of constraints a second, for every instruction set. */
#ifndef SN_TOOLS_BENCH_XPBD_H
#define SN_TOOLS_BENCH_XPBD_H

#include "host/mesh/tet_mesh.h"
#include "tools/bench_table.h"

sn_result sn_bench_xpbd(const sn_tet_mesh *mesh, sn_bench_table *table);

#endif
