/* SPDX-License-Identifier: MIT */
#include "tools/bench/xpbd.h"

#include <math.h>
#include <stdio.h>

#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "host/xpbd/solver.h"
#include "tools/bench/peak.h"
#include "tools/command/median.h"

#define STEP_COUNT 20
#define SUBSTEP_COUNT 15
#define TRIANGLE_FLOPS 147.0 /* flops per pair in recipe_triangle.inc */

sn_result sn_bench_xpbd_model(const sn_xpbd_desc *mesh, sn_xpbd_model **model)
{
    const size_t count = (size_t)mesh->element_count;
    sn_arena arena = {0};
    double *lambda = SN_NEW(&arena, double, count), *mu = SN_NEW(&arena, double, count);
    double *density = SN_NEW(&arena, double, count);
    sn_result result = lambda && mu && density ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        lambda[i] = 3e4;
        mu[i] = 1e4;
        density[i] = 1000;
    }
    if (result == SN_OK) {
        sn_xpbd_desc desc = *mesh;
        desc.lambda = lambda;
        desc.mu = mu;
        desc.density = density;
        result = sn_xpbd_model_create(&desc, model);
    }
    sn_arena_finish(&arena);
    return result;
}

void sn_bench_xpbd_excite(const sn_xpbd_desc *mesh, sn_xpbd_body *body, double *velocities)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * (size_t)v;
        for (int d = 0; d < 3; ++d) {
            const bool is_flat = mesh->element_corners == 3 && d == 2;
            velocities[3 * v + d] = is_flat ? 0 : sin(20 * x[(d + 1) % 3] + d);
        }
    }
    sn_xpbd_body_set_velocities(body, velocities);
}

/* Medians of only the sweeps, and of complete substeps. */
static void run(const sn_xpbd_desc *mesh, sn_xpbd_body *body, double flops, sn_bench_case *sweeps,
                sn_bench_case *substeps)
{
    double sweep_ms[STEP_COUNT * SUBSTEP_COUNT], substep_ms[STEP_COUNT * SUBSTEP_COUNT];
    for (int i = 0; i < STEP_COUNT * SUBSTEP_COUNT; ++i) {
        const double start = sn_now();
        sn_xpbd_substep_begin(body, NULL, i % SUBSTEP_COUNT);
        const double begun = sn_now();
        sn_xpbd_substep_sweep(body, i % SUBSTEP_COUNT);
        const double swept = sn_now();
        sn_xpbd_substep_end(body, NULL, i % SUBSTEP_COUNT);
        sweep_ms[i] = 1e3 * (swept - begun);
        substep_ms[i] = 1e3 * (sn_now() - start);
    }
    const sn_xpbd_state *state = &body->state;
    sweeps->median_ms = sn_median(sweep_ms, STEP_COUNT * SUBSTEP_COUNT);
    substeps->median_ms = sn_median(substep_ms, STEP_COUNT * SUBSTEP_COUNT);
    sweeps->hash = sn_hash(SN_HASH_SEED, state->displacements, 4 * body->real_size * (size_t)state->row_count);
    substeps->hash = sweeps->hash;
    sweeps->limit_ms = substeps->limit_ms = 1e3 * mesh->element_count * flops / sn_bench_peak_flops();
    sweeps->throughput = mesh->element_count / (1e-3 * sweeps->median_ms);
    substeps->throughput = mesh->element_count / (1e-3 * substeps->median_ms);
    sweeps->throughput_unit = substeps->throughput_unit = "pairs/s";
}

static sn_result bench(const sn_xpbd_desc *mesh, const char *label, double flops, sn_bench_table *table)
{
    static const struct {
        const char *sweep, *substep;
        sn_xpbd_instructions instructions;
        bool is_double;
    } runs[] = {{"sweep, double, one lane", "substep, double, one lane", SN_XPBD_SCALAR, true},
                {"sweep, float, one lane", "substep, float, one lane", SN_XPBD_SCALAR, false},
                {"sweep, float, baseline", "substep, float, baseline", SN_XPBD_BASELINE, false},
                {"sweep, float, AVX2", "substep, float, AVX2", SN_XPBD_AVX2, false},
                {"sweep, float, AVX-512", "substep, float, AVX-512", SN_XPBD_AVX512, false}};
    const size_t numbers = 3 * (size_t)mesh->vertex_count;
    double *velocities = sn_alloc(numbers, sizeof *velocities);
    sn_xpbd_model *model = NULL;
    sn_result result = velocities ? sn_bench_xpbd_model(mesh, &model) : SN_ERROR_MEMORY;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0] && result == SN_OK; ++i) {
        sn_xpbd_body *body = NULL;
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.substep_count = SUBSTEP_COUNT;
        settings.instructions = runs[i].instructions;
        settings.is_double = runs[i].is_double;
        settings.damping = 1;
        result = sn_xpbd_body_create(model, &settings, &body);
        if (result == SN_OK) {
            sn_bench_case *sweeps = sn_bench_add(table, label, runs[i].sweep);
            sn_bench_case *substeps = sn_bench_add(table, label, runs[i].substep);
            sn_bench_xpbd_excite(mesh, body, velocities);
            run(mesh, body, flops, sweeps, substeps);
        }
        sn_xpbd_body_destroy(&body);
    }
    sn_xpbd_model_destroy(&model);
    sn_free(velocities, numbers, sizeof *velocities);
    return result;
}

/* A square of n x n cells of two triangles each. */
static sn_result bench_sheet(int n, sn_bench_table *table)
{
    sn_arena arena = {0};
    double *positions = SN_NEW(&arena, double, 3 * (n + 1) * (n + 1));
    int32_t *triangles = SN_NEW(&arena, int32_t, 6 * n * n);
    if (!positions || !triangles) {
        sn_arena_finish(&arena);
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < (n + 1) * (n + 1); ++v) {
        positions[3 * v] = v % (n + 1) / (double)n;
        positions[3 * v + 1] = v / (n + 1) / (double)n;
    }
    for (int square = 0; square < n * n; ++square) {
        const int32_t a = square / n * (n + 1) + square % n, c = a + n + 1, corners[6] = {a, a + 1, c + 1, a, c + 1, c};
        for (int k = 0; k < 6; ++k) {
            triangles[6 * square + k] = corners[k];
        }
    }
    const sn_xpbd_desc mesh = {.vertex_count = (n + 1) * (n + 1),
                               .positions = positions,
                               .element_count = 2 * n * n,
                               .element_corners = 3,
                               .elements = triangles};
    char label[64];
    snprintf(label, sizeof label, "%d triangles", mesh.element_count);
    const sn_result result = bench(&mesh, label, TRIANGLE_FLOPS, table);
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_bench_xpbd_desc(const sn_tet_mesh *mesh, sn_arena *arena, sn_xpbd_desc *desc)
{
    double *positions = SN_NEW(arena, double, 3 * (size_t)mesh->vertex_count), low[3], high[3];
    if (!positions) {
        return SN_ERROR_MEMORY;
    }
    const double diagonal = sn_tet_mesh_box(mesh, low, high);
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        positions[i] = (mesh->positions[i] - low[i % 3]) / diagonal;
    }
    *desc = (sn_xpbd_desc){.vertex_count = mesh->vertex_count,
                           .positions = positions,
                           .element_count = mesh->tet_count,
                           .element_corners = 4,
                           .elements = mesh->tets};
    return SN_OK;
}

sn_result sn_bench_xpbd(const sn_tet_mesh *mesh, sn_bench_table *table)
{
    sn_arena arena = {0};
    sn_xpbd_desc desc;
    char label[64];
    sn_result result = sn_bench_xpbd_desc(mesh, &arena, &desc);
    snprintf(label, sizeof label, "%d tets", mesh->tet_count);
    if (result == SN_OK) {
        result = bench(&desc, label, SN_BENCH_TET_FLOPS, table);
    }
    sn_arena_finish(&arena);
    return result == SN_OK ? bench_sheet(44, table) : result;
}
