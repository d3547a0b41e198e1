/* SPDX-License-Identifier: MIT */
#include "tools/bench/fourier.h"

#include <math.h>
#include <stdio.h>

#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "tools/bench/fourier_skin.h"
#include "tools/command/median.h"

#define REPEATS 301
#define FRAMES 16 /* per repeat */

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#else
#define AVX2
#endif

typedef float lanes __attribute__((vector_size(32)));

static volatile float sink;

/* Minimum memory traffic of a frame: one read of every value in a row and one write of every displacement. */
AVX2 static void stream(const float *values, size_t value_count, float *displacements, size_t displacement_count)
{
    lanes accumulators[6] = {{0}};
    for (size_t i = 0; i + 48 <= value_count; i += 48) {
#pragma GCC unroll 6
        for (size_t k = 0; k < 6; ++k) {
            accumulators[k] += *(const lanes *)(const void *)(values + i + 8 * k);
        }
    }
    for (size_t i = 0; i + 8 <= displacement_count; i += 8) {
        *(lanes *)(void *)(displacements + i) = accumulators[i / 8 % 6];
    }
    sink = displacements[0];
}

/* Measures the median of a frame and the minimum of its limit, alternately. */
static void time_frames(const sn_bench_skin *f, sn_fourier_instructions instructions, double *frame, double *limit)
{
    static double frames[REPEATS];
    const size_t count = (size_t)f->targets.block_count * SN_FOURIER_BLOCK_FLOATS;
    *limit = INFINITY;
    for (int i = 0; i < REPEATS; ++i) {
        double start = sn_now();
        for (int k = 0; k < FRAMES; ++k) {
            sn_bench_skin_frame(f, FRAMES * i + k, instructions);
        }
        frames[i] = (sn_now() - start) / FRAMES;
        start = sn_now();
        for (int k = 0; k < FRAMES; ++k) {
            stream(f->targets.values, SN_BENCH_SKIN_MODES * count, f->displacements, count);
        }
        *limit = fmin(*limit, (sn_now() - start) / FRAMES);
    }
    *frame = sn_median(frames, REPEATS);
}

static sn_result add_cases(int vertex_count, const char *peer, sn_bench_table *table)
{
    sn_bench_skin f = {.displacements = NULL};
    sn_bench_skin_times times[SN_BENCH_SKIN_FIT_COUNT];
    double fit_seconds[SN_BENCH_SKIN_FIT_COUNT], frame, limit;
    char label[64];
    sn_result result = sn_bench_skin_build(vertex_count, sn_now, &f, times);
    snprintf(label, sizeof label, "%d vertices, %d harmonics", vertex_count, SN_BENCH_SKIN_HARMONICS);
    for (int is_avx2 = 1; is_avx2 >= 0 && result == SN_OK; --is_avx2) {
        time_frames(&f, is_avx2 ? SN_FOURIER_BEST : SN_FOURIER_BASELINE, &frame, &limit);
        sn_bench_skin_frame(&f, 500, is_avx2 ? SN_FOURIER_BEST : SN_FOURIER_BASELINE);
        sn_bench_case *row =
            sn_bench_add(table, label, is_avx2 ? "analytic skin, a frame" : "analytic skin, a frame, baseline");
        row->median_ms = 1e3 * frame;
        row->limit_ms = 1e3 * limit;
        row->throughput = vertex_count / frame;
        row->throughput_unit = "vertices/s";
        row->hash = sn_hash(SN_HASH_SEED, f.displacements, 3 * sizeof(float) * (size_t)vertex_count);
        row->peer = is_avx2 ? peer : NULL;
    }
    if (result == SN_OK) {
        sn_bench_case *row = sn_bench_add(table, label, "analytic skin, mesh to targets");
        for (int i = 0; i < SN_BENCH_SKIN_FIT_COUNT; ++i) {
            fit_seconds[i] = times[i].whole;
        }
        row->median_ms = 1e3 * sn_median(fit_seconds, SN_BENCH_SKIN_FIT_COUNT);
        row->throughput = vertex_count / (1e-3 * row->median_ms);
        row->throughput_unit = "vertices/s";
    }
    sn_arena_finish(&f.arena);
    return result;
}

sn_result sn_bench_fourier(sn_bench_table *table)
{
    static const struct {
        int vertex_count;
        const char *peer;
    } cases[] = {{3840, "paper (Arm): 531 frames/s; its solver and deformer .13 ms"},
                 {7207, "paper (Cat): 273 frames/s; .21 ms"},
                 {10128, "paper (Horse): 205 frames/s; .27 ms"},
                 {32185, "paper (Runner): 86 frames/s; .79 ms"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        SN_TRY(add_cases(cases[i].vertex_count, cases[i].peer, table));
    }
    return SN_OK;
}
