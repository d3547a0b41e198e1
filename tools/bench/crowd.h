/* SPDX-License-Identifier: MIT */
/* 1000 bodies of five models in one world, through the public API, at several levels of detail; larger crowds on a
 * device. */
#ifndef SN_TOOLS_BENCH_CROWD_H
#define SN_TOOLS_BENCH_CROWD_H

#include "sinew/types.h"
#include "tools/bench/table.h"

/* Rows for one thread and for `threads`, if that is more. The results must be identical to the bit. */
sn_result sn_bench_crowd(int threads, sn_bench_table *table);

/* Steps of up to 20,000 bodies of the five models with the device's peak as the limit, and skinning of up to 2000
 * bodies of 10,000 vertices. */
sn_result sn_bench_crowd_on_device(sn_bench_table *table);

#endif
