/* SPDX-License-Identifier: MIT */
/* The arithmetic limit that benches compare with. */
#ifndef SN_TOOLS_BENCH_PEAK_H
#define SN_TOOLS_BENCH_PEAK_H

/* Flops a second of one core on independent eight-lane float multiplications and additions (no fused operations: the
 * solvers do without them, for their bits), measured once a run. */
double sn_bench_peak_flops(void);

#endif
