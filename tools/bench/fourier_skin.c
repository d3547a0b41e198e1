/* SPDX-License-Identifier: MIT */
#include "tools/bench/fourier_skin.h"

#include <math.h>

#include "author/fourier/fourier_fit.h"

#define PI 3.14159265358979323846

/* A bent tube with the given number of vertices, closed by two triangle fans. */
static sn_result make_mesh(int vertex_count, sn_arena *arena, sn_tri_mesh *mesh)
{
    const int sides = (int)fmax(12, sqrt(vertex_count / 3.0)), rings = (vertex_count - 2) / sides;
    const int tips = vertex_count - rings * sides; /* the last vertex is the other end cap; unused vertices lie there */
    double *x = SN_NEW(arena, double, 3 * (size_t)vertex_count);
    int32_t *t = SN_NEW(arena, int32_t, 6 * (size_t)rings * (size_t)sides);
    if (!x || !t) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < rings * sides; ++v) {
        const double along = v / sides / (double)(rings - 1), angle = 2 * PI * (v % sides) / sides;
        const double radius = 0.15 + 0.05 * sin(7 * along);
        x[3 * v] = 2 * along;
        x[3 * v + 1] = radius * cos(angle) + 0.5 * along * along;
        x[3 * v + 2] = radius * sin(angle);
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

/* Computes targets from a mesh and a displacement. */
static sn_result fit(const sn_bench_skin *skin, double (*clock)(void), sn_arena *arena, double *modes,
                     sn_bench_skin_times *times)
{
    const size_t n = 3 * (size_t)skin->mesh.vertex_count;
    const sn_fourier_fit_desc desc = sn_default_fourier_fit_desc();
    sn_fourier_curves curves;
    sn_fourier_spread *spread = NULL;
    double *field = SN_NEW(arena, double, n), *series = NULL, error;
    for (size_t i = 0; i < n && field; ++i) {
        const double *x = skin->mesh.positions;
        field[i] = sin(3 * x[i] + (double)(i % 3)) * x[i - i % 3 + (i + 1) % 3];
    }
    const double start = clock();
    sn_result result = field ? sn_fourier_curves_build(&skin->mesh, &desc, arena, &curves) : SN_ERROR_MEMORY;
    times->curves = clock() - start;
    if (result == SN_OK) {
        series = SN_NEW(arena, double, 3 * (size_t)curves.curve_count * SN_FOURIER_TERMS(SN_BENCH_SKIN_HARMONICS));
        result = series ? sn_fourier_curves_fit(&curves, field, series, &error) : SN_ERROR_MEMORY;
    }
    times->series = clock() - start - times->curves;
    if (result == SN_OK) {
        result = sn_fourier_spread_create(&curves, &spread);
    }
    if (result == SN_OK) {
        result = sn_fourier_spread_modes(spread, series, field, modes);
    }
    times->whole = clock() - start;
    sn_fourier_spread_destroy(&spread);
    return result;
}

sn_result sn_bench_skin_build(int vertex_count, double (*clock)(void), sn_bench_skin *f, sn_bench_skin_times *times)
{
    static const double duration = 0.5;
    const size_t n = 3 * (size_t)vertex_count;
    double *modes = SN_NEW(&f->arena, double, n *SN_BENCH_SKIN_MODES);
    float *fields[SN_BENCH_SKIN_MODES];
    sn_result result = modes ? make_mesh(vertex_count, &f->arena, &f->mesh) : SN_ERROR_MEMORY;
    for (int i = 0; i < SN_BENCH_SKIN_FIT_COUNT && result == SN_OK; ++i) {
        sn_arena arena = {0};
        result = fit(f, clock, &arena, modes, &times[i]);
        sn_arena_finish(&arena);
    }
    for (size_t k = 0; k < SN_BENCH_SKIN_MODES && result == SN_OK; ++k) {
        fields[k] = SN_NEW(&f->arena, float, n);
        for (size_t i = 0; fields[k] && i < n; ++i) {
            fields[k][i] = (float)modes[k * n + i];
        }
        result = fields[k] ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = sn_fourier_targets_build(vertex_count, SN_BENCH_SKIN_MODES, (const float *const *)fields, &f->arena,
                                          &f->targets);
    }
    if (result == SN_OK) {
        f->displacements = SN_NEW(&f->arena, float, (size_t)f->targets.block_count *SN_FOURIER_BLOCK_FLOATS);
        const sn_fourier_sequence_desc desc = {.material = sn_default_fourier_material(),
                                               .harmonic_count = SN_BENCH_SKIN_HARMONICS,
                                               .segment_count = 1,
                                               .durations = &duration};
        result = f->displacements ? sn_fourier_sequence_build(&desc, &f->arena, &f->sequence) : SN_ERROR_MEMORY;
    }
    return result;
}

void sn_bench_skin_frame(const sn_bench_skin *f, int frame, sn_fourier_instructions instructions)
{
    double weights[SN_BENCH_SKIN_MODES];
    float narrow[SN_BENCH_SKIN_MODES];
    sn_fourier_sequence_weights(&f->sequence, frame % 1000 * 5e-4, weights);
    for (int k = 0; k < SN_BENCH_SKIN_MODES; ++k) {
        narrow[k] = (float)weights[k];
    }
    sn_fourier_targets_evaluate(&f->targets, narrow, instructions, NULL, f->displacements);
}
