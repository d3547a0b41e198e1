/* SPDX-License-Identifier: MIT */
/* Bounded biharmonic weights of bones over tets. */
#ifndef SN_TOOLS_BENCH_WEIGHTS_H
#define SN_TOOLS_BENCH_WEIGHTS_H

#include "host/base/base.h"
#include "tools/bench/table.h"

sn_result sn_bench_weights(sn_bench_table *table);

#endif
