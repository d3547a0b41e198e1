/* SPDX-License-Identifier: MIT */
/* Layered bodies on a leg of 24 thousand tets: tets a second of a sweep for every instruction set, and whole steps. */
#ifndef SN_TOOLS_BENCH_LAYERED_H
#define SN_TOOLS_BENCH_LAYERED_H

#include "sinew/types.h"
#include "tools/bench/table.h"

sn_result sn_bench_layered(sn_bench_table *table);

#endif
