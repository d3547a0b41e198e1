/* SPDX-License-Identifier: MIT */
/* Constraint rows and modes of a large mesh with many bones. */
#ifndef SN_TOOLS_BENCH_RIGGED_MODES_H
#define SN_TOOLS_BENCH_RIGGED_MODES_H

#include "host/base/base.h"
#include "tools/bench/table.h"

sn_result sn_bench_rigged_modes(sn_bench_table *table);

#endif
