/* SPDX-License-Identifier: MIT */
/* Analytic skin at the sizes of the paper's Table 1: a frame of ten modes, and the fitting from meshes to targets. */
#ifndef SN_TOOLS_BENCH_FOURIER_H
#define SN_TOOLS_BENCH_FOURIER_H

#include "host/base/base.h"
#include "tools/bench/table.h"

sn_result sn_bench_fourier(sn_bench_table *table);

#endif
