/* SPDX-License-Identifier: MIT */
#include "tools/bench/fourier.h"

#include <math.h>
#include <stdio.h>

#include "author/fourier_fit/fourier_fit.h"
#include "host/base/clock.h"
#include "host/base/hash.h"
#include "host/fourier/fourier.h"
#include "tools/command/median.h"

#define HARMONICS 9
#define MODES (HARMONICS + 1)
#define REPEATS 301
#define FRAMES 16 /* a repeat */
#define FIT_REPEATS 3
#define PI 3.14159265358979323846

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
#else
#define WIDE
#endif

typedef float lanes __attribute__((vector_size(32)));

static volatile float sink;

/* A read of every value in a row and a write of every displacement: what a frame cannot do without. */
WIDE static void stream(const float *values, size_t value_count, float *displacements, size_t displacement_count)
{
    lanes sums[6] = {{0}};
    for (size_t i = 0; i + 48 <= value_count; i += 48) {
#pragma GCC unroll 6
        for (size_t k = 0; k < 6; ++k) {
            sums[k] += *(const lanes *)(const void *)(values + i + 8 * k);
        }
    }
    for (size_t i = 0; i + 8 <= displacement_count; i += 8) {
        *(lanes *)(void *)(displacements + i) = sums[i / 8 % 6];
    }
    sink = displacements[0];
}

typedef struct fixture {
    sn_arena arena;
    sn_tri_mesh mesh;
    sn_fourier_targets targets;
    sn_fourier_sequence sequence;
    float *displacements;
} fixture;

/* A bent tube of so many vertices, closed by two more faces' fans. */
static sn_result make_mesh(int vertex_count, sn_arena *arena, sn_tri_mesh *mesh)
{
    const int sides = (int)fmax(12, sqrt(vertex_count / 3.0)), rings = (vertex_count - 2) / sides;
    const int tips = vertex_count - rings * sides; /* the last of them is the other end; what is between lies there */
    double *x = SN_NEW(arena, double, 3 * (size_t)vertex_count);
    int32_t *t = SN_NEW(arena, int32_t, 6 * (size_t)rings * (size_t)sides);
    if (!x || !t) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < rings * sides; ++v) {
        const double along = v / sides / (double)(rings - 1), turn = 2 * PI * (v % sides) / sides;
        const double radius = 0.15 + 0.05 * sin(7 * along);
        x[3 * v] = 2 * along;
        x[3 * v + 1] = radius * cos(turn) + 0.5 * along * along;
        x[3 * v + 2] = radius * sin(turn);
    }
    for (int i = 0; i < tips; ++i) {
        double *tip = x + 3 * (rings * sides + i);
        tip[0] = i == 0 ? -0.1 : 2.1;
        tip[1] = i == 0 ? 0 : 0.5;
    }
    int at = 0;
    for (int v = 0; v < (rings - 1) * sides; ++v) {
        const int next = v % sides == sides - 1 ? v + 1 - sides : v + 1;
        const int32_t corners[6] = {v, next, v + sides, next, next + sides, v + sides};
        for (int k = 0; k < 6; ++k) {
            t[at++] = corners[k];
        }
    }
    for (int k = 0; k < sides; ++k) {
        const int last = (rings - 1) * sides, next = (k + 1) % sides;
        const int32_t corners[6] = {rings * sides, next, k, vertex_count - 1, last + k, last + next};
        for (int c = 0; c < 6; ++c) {
            t[at++] = corners[c];
        }
    }
    *mesh = (sn_tri_mesh){vertex_count, at / 3, x, t};
    return SN_OK;
}

/* From a mesh and a displacement of it to targets. */
static sn_result fit(fixture *f, sn_arena *arena, double *modes)
{
    const size_t n = 3 * (size_t)f->mesh.vertex_count;
    sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    sn_fourier_curves curves;
    sn_fourier_spread *spread = NULL;
    double *field = SN_NEW(arena, double, n), *series = NULL, error;
    sn_result result = field ? sn_fourier_curves_build(&f->mesh, &desc, arena, &curves) : SN_ERROR_MEMORY;
    for (size_t i = 0; i < n && result == SN_OK; ++i) {
        field[i] = sin(3 * f->mesh.positions[i] + (double)(i % 3)) * f->mesh.positions[i - i % 3 + (i + 1) % 3];
    }
    if (result == SN_OK) {
        series = SN_NEW(arena, double, 3 * (size_t)curves.curve_count * SN_FOURIER_TERMS(HARMONICS));
        result = series ? sn_fourier_curves_fit(&curves, field, series, &error) : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = sn_fourier_spread_create(&curves, &spread);
    }
    if (result == SN_OK) {
        result = sn_fourier_spread_modes(spread, series, field, modes);
    }
    sn_fourier_spread_destroy(&spread);
    return result;
}

static sn_result prepare(int vertex_count, fixture *f, double *fit_seconds)
{
    static const double duration = 0.5;
    const size_t n = 3 * (size_t)vertex_count;
    double *modes = SN_NEW(&f->arena, double, n *MODES);
    float *fields[MODES];
    sn_result result = modes ? make_mesh(vertex_count, &f->arena, &f->mesh) : SN_ERROR_MEMORY;
    for (int i = 0; i < FIT_REPEATS && result == SN_OK; ++i) {
        sn_arena arena = {0};
        const double start = sn_now();
        result = fit(f, &arena, modes);
        fit_seconds[i] = sn_now() - start;
        sn_arena_finish(&arena);
    }
    for (size_t k = 0; k < MODES && result == SN_OK; ++k) {
        fields[k] = SN_NEW(&f->arena, float, n);
        for (size_t i = 0; fields[k] && i < n; ++i) {
            fields[k][i] = (float)modes[k * n + i];
        }
        result = fields[k] ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = sn_fourier_targets_build(vertex_count, MODES, (const float *const *)fields, &f->arena, &f->targets);
    }
    if (result == SN_OK) {
        f->displacements = SN_NEW(&f->arena, float, (size_t)f->targets.block_count *SN_FOURIER_BLOCK_FLOATS);
        const sn_fourier_sequence_desc desc = {.material = sn_default_fourier_material(),
                                               .harmonic_count = HARMONICS,
                                               .segment_count = 1,
                                               .durations = &duration};
        result = f->displacements ? sn_fourier_sequence_build(&desc, &f->arena, &f->sequence) : SN_ERROR_MEMORY;
    }
    return result;
}

static void run_frame(const fixture *f, int frame, sn_fourier_instructions instructions)
{
    double weights[MODES];
    float narrow[MODES];
    sn_fourier_sequence_weights(&f->sequence, frame % 1000 * 5e-4, weights);
    for (int k = 0; k < MODES; ++k) {
        narrow[k] = (float)weights[k];
    }
    sn_fourier_targets_evaluate(&f->targets, narrow, instructions, NULL, f->displacements);
}

/* The median of a frame and the least of its limit, taken in turns. */
static void time_frames(const fixture *f, sn_fourier_instructions instructions, double *frame, double *limit)
{
    static double frames[REPEATS];
    const size_t count = (size_t)f->targets.block_count * SN_FOURIER_BLOCK_FLOATS;
    *limit = INFINITY;
    for (int i = 0; i < REPEATS; ++i) {
        double start = sn_now();
        for (int k = 0; k < FRAMES; ++k) {
            run_frame(f, FRAMES * i + k, instructions);
        }
        frames[i] = (sn_now() - start) / FRAMES;
        start = sn_now();
        for (int k = 0; k < FRAMES; ++k) {
            stream(f->targets.values, MODES * count, f->displacements, count);
        }
        *limit = fmin(*limit, (sn_now() - start) / FRAMES);
    }
    *frame = sn_median(frames, REPEATS);
}

static sn_result add_cases(int vertex_count, const char *peer, sn_bench_table *table)
{
    fixture f = {.displacements = NULL};
    double fit_seconds[FIT_REPEATS], frame, limit;
    char label[64];
    sn_result result = prepare(vertex_count, &f, fit_seconds);
    snprintf(label, sizeof label, "%d vertices, %d harmonics", vertex_count, HARMONICS);
    for (int wide = 1; wide >= 0 && result == SN_OK; --wide) {
        time_frames(&f, wide ? SN_FOURIER_BEST : SN_FOURIER_BASELINE, &frame, &limit);
        run_frame(&f, 500, wide ? SN_FOURIER_BEST : SN_FOURIER_BASELINE);
        sn_bench_case *row =
            sn_bench_add(table, label, wide ? "analytic skin, a frame" : "analytic skin, a frame, baseline");
        row->median_ms = 1e3 * frame;
        row->limit_ms = 1e3 * limit;
        row->throughput = vertex_count / frame;
        row->throughput_unit = "vertices/s";
        row->hash = sn_hash(SN_HASH_SEED, f.displacements, 3 * sizeof(float) * (size_t)vertex_count);
        row->peer = wide ? peer : NULL;
    }
    if (result == SN_OK) {
        sn_bench_case *row = sn_bench_add(table, label, "analytic skin, mesh to targets");
        row->median_ms = 1e3 * sn_median(fit_seconds, FIT_REPEATS);
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
    sn_result result = SN_OK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && result == SN_OK; ++i) {
        result = add_cases(cases[i].vertex_count, cases[i].peer, table);
    }
    return result;
}
