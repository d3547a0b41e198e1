/* SPDX-License-Identifier: MIT */
/* Spring bones: one avatar with 100 of them, compared with the reference algorithm, and 1000 avatars. */
#ifndef SN_TOOLS_BENCH_SPRINGS_H
#define SN_TOOLS_BENCH_SPRINGS_H

#include "sinew/types.h"
#include "tools/bench/table.h"

/* Rows for one thread and for `threads`, if that is more. The results must be identical to the bit. */
sn_result sn_bench_springs(int threads, sn_bench_table *table);

#endif
