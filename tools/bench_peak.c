/* SPDX-License-Identifier: MIT */
#include "tools/bench_peak.h"

#include "host/base/clock.h"
#include "host/reduced/cluster_pass.h"

#define CHAIN_COUNT 12
#define ROUND_COUNT 2000000

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
#else
#define WIDE
#endif

static volatile float sink;

WIDE static double measure(void)
{
    sn_f32x8 chains[CHAIN_COUNT];
    const sn_f32x8 factor = (sn_f32x8){0} + 0.999999f, term = (sn_f32x8){0} + 1e-6f;
    for (int i = 0; i < CHAIN_COUNT; ++i) {
        chains[i] = (sn_f32x8){0} + (float)i;
    }
    const double start = sn_now();
    for (int round = 0; round < ROUND_COUNT; ++round) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAIN_COUNT; ++i) {
            chains[i] = chains[i] * factor + term;
        }
    }
    const double seconds = sn_now() - start;
    for (int i = 0; i < CHAIN_COUNT; ++i) {
        sink = sink + chains[i][0];
    }
    return 2.0 * SN_LANES * CHAIN_COUNT * ROUND_COUNT / seconds;
}

double sn_bench_peak_flops(void)
{
    static double flops;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        return 0;
    }
#endif
    if (flops == 0) {
        flops = measure();
    }
    return flops;
}
