/* SPDX-License-Identifier: MIT */
#ifndef SN_TOOLS_BENCH_SPACETIME_H
#define SN_TOOLS_BENCH_SPACETIME_H

#include "sinew/types.h"
#include "tools/bench/table.h"

/* STRETCH, TWIST, and finer versions of TWIST, by both solvers; threads as for sn_jobs_create. */
sn_result sn_bench_spacetime(int threads, sn_bench_table *table);

#endif
