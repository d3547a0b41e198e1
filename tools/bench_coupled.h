/* SPDX-License-Identifier: MIT */
/* The coupling of rig and flesh at the sizes of the paper's Table 1, and a crowd. */
#ifndef SN_TOOLS_BENCH_COUPLED_H
#define SN_TOOLS_BENCH_COUPLED_H

#include "host/base/base.h"
#include "tools/bench_table.h"

sn_result sn_bench_coupled(int threads, sn_bench_table *table);

#endif
