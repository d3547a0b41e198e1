/* SPDX-License-Identifier: MIT */
/* Spring bones of an avatar with a hundred of them, ours beside VRM's algorithm as it is published, and of a thousand.
 */
#ifndef SN_TOOLS_BENCH_SPRINGS_H
#define SN_TOOLS_BENCH_SPRINGS_H

#include "sinew/types.h"
#include "tools/bench/table.h"

/* Rows for one thread and for `threads` (where that is more), whose bits must be the same. */
sn_result sn_bench_springs(int threads, sn_bench_table *table);

#endif
