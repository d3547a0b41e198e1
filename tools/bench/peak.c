/* SPDX-License-Identifier: MIT */
#include "tools/bench/peak.h"

#include <stdbool.h>

#include "host/platform/platform.h"

#define LANE_COUNT 8
#define CHAIN_COUNT 12
#define ROUND_COUNT 10000 /* short, so that some measurement is not interrupted */
#define WINDOW_COUNT 200

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#else
#define AVX2
#endif

typedef float lanes __attribute__((vector_size(4 * LANE_COUNT)));

static volatile float sink;

AVX2 static double measure(void)
{
    lanes chains[CHAIN_COUNT];
    const lanes factor = (lanes){0} + 0.999999f, term = (lanes){0} + 1e-6f;
    for (int i = 0; i < CHAIN_COUNT; ++i) {
        chains[i] = (lanes){0} + (float)i;
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
    return 2.0 * LANE_COUNT * CHAIN_COUNT * ROUND_COUNT / seconds;
}

double sn_bench_peak_flops(void)
{
    static double flops;
    static bool is_measured;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        return 0;
    }
#endif
    for (int window = 0; window < WINDOW_COUNT && !is_measured; ++window) {
        const double now = measure();
        flops = now > flops ? now : flops;
    }
    is_measured = true;
    return flops;
}
