/* SPDX-License-Identifier: MIT */
/* The measured arithmetic peak that benchmarks compare with. */
#ifndef SN_TOOLS_BENCH_PEAK_H
#define SN_TOOLS_BENCH_PEAK_H

/* Flops per second of one core on independent 8-lane float multiplications and additions, measured once per run. Fused
 * operations are excluded, since the solvers avoid them for reproducible results. */
double sn_bench_peak_flops(void);

#endif
