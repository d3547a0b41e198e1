/* SPDX-License-Identifier: MIT */
/* A thousand bodies of five models in one world, through the public API, at several levels of detail; and many more on
 * a device. */
#ifndef SN_TOOLS_BENCH_CROWD_H
#define SN_TOOLS_BENCH_CROWD_H

#include "sinew/types.h"
#include "tools/bench/table.h"

/* Rows for one thread and for `threads` (where that is more), whose bits must be the same. */
sn_result sn_bench_crowd(int threads, sn_bench_table *table);

/* What the device does at best; steps of up to 20000 bodies of the five models; the surfaces of up to 2000 bodies of 10
 * thousand vertices, skinned. */
sn_result sn_bench_crowd_on_device(sn_bench_table *table);

#endif
