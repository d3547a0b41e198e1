/* SPDX-License-Identifier: MIT */
#include "tools/bench/layered.h"

#include <math.h>
#include <stdio.h>

#include "host/base/hash.h"
#include "host/layered/solver.h"
#include "host/platform/platform.h"
#include "tools/bench/mesh.h"
#include "tools/bench/peak.h"
#include "tools/command/median.h"

#define ACROSS 12
#define ALONG 28
#define YOUNG 1e5
#define POISSON 0.4
#define DENSITY 1000.0
#define SWEEP_COUNT 200
#define STEP_COUNT 30

/* Two bones along y; the vertices around the axis are attached to them, except at the knee. */
static int32_t bone_of(const double *x, int across)
{
    const bool is_inner = sqrt(x[0] * x[0] + x[2] * x[2]) < 2.02 * SN_BENCH_LEG_RADIUS / across;
    return !is_inner || fabs(x[1]) < 0.9 * SN_BENCH_LEG_RADIUS ? -1 : x[1] > 0 ? 0 : 1;
}

sn_result sn_bench_layered_leg(int across, int along, sn_bench_layered_body *l)
{
    sn_tet_mesh mesh;
    sn_result result = sn_bench_leg(across, along, &l->arena, &mesh);
    const size_t tets = result == SN_OK ? (size_t)mesh.tet_count : 0;
    const size_t vertices = result == SN_OK ? (size_t)mesh.vertex_count : 0;
    double *masses = SN_NEW(&l->arena, double, vertices), *stiffness = SN_NEW(&l->arena, double, 7 * tets);
    int32_t *bones = SN_NEW(&l->arena, int32_t, vertices);
    l->frames = SN_NEW(&l->arena, double, 9 * tets);
    if (!masses || !stiffness || !bones || !l->frames) {
        return SN_ERROR_MEMORY;
    }
    const double mu = YOUNG / (2 * (1 + POISSON)), lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
    for (size_t i = 0; i < 7 * tets; ++i) {
        stiffness[i] = i % 7 < 3 ? 2 * mu : i % 7 < 6 ? mu : lambda;
    }
    for (size_t i = 0; i < 9 * tets; ++i) {
        l->frames[i] = i % 9 % 4 == 0;
    }
    for (size_t i = 0; i < 4 * tets; ++i) {
        masses[mesh.tets[i]] += DENSITY * sn_tet_volume(&mesh, (int)(i / 4)) / 4;
    }
    for (size_t v = 0; v < vertices; ++v) {
        bones[v] = bone_of(mesh.positions + 3 * v, across);
    }
    l->desc = (sn_layered_desc){.vertex_count = mesh.vertex_count,
                                .positions = mesh.positions,
                                .masses = masses,
                                .tet_count = mesh.tet_count,
                                .tets = mesh.tets,
                                .stiffness = stiffness,
                                .bone_count = 2,
                                .bones = bones};
    return result;
}

void sn_bench_layered_pose(double seconds, double *pose)
{
    const double angle = 0.6 * (1 - cos(2 * 3.14159265358979 * seconds)), c = cos(angle), s = sin(angle);
    const double upper[12] = {1, 0, 0, 0, 0, 1, 0, angle / 4, 0, 0, 1, 0};
    const double lower[12] = {1, 0, 0, 0, 0, c, -s, angle / 4, 0, s, c, 0};
    for (int i = 0; i < 12; ++i) {
        pose[i] = upper[i];
        pose[12 + i] = lower[i];
    }
}

static uint64_t hash_body(const sn_layered_body *body)
{
    const sn_xpbd_state *state = &body->flesh->state;
    return sn_hash(SN_HASH_SEED, state->displacements, 4 * body->flesh->real_size * (size_t)state->row_count);
}

static sn_result create_body(const sn_bench_layered_body *l, const sn_layered_settings *settings,
                             sn_layered_model **model, sn_layered_body **body)
{
    SN_TRY(sn_layered_model_create(&l->desc, model));
    return sn_layered_body_create(*model, settings, NULL, body);
}

/* Measures only the sweeps, on a bent leg. */
static sn_result bench_sweep(sn_bench_layered_body *l, const char *name, sn_xpbd_instructions instructions,
                             bool is_double, bool is_framed, sn_bench_table *table)
{
    sn_layered_settings settings = sn_default_layered_settings();
    sn_layered_model *model = NULL;
    sn_layered_body *body = NULL;
    double ms[SWEEP_COUNT], pose[24];
    settings.instructions = instructions;
    settings.is_double = is_double;
    l->desc.mode = SN_LAYERED_UNORDERED;
    l->desc.frames = is_framed ? l->frames : NULL;
    const sn_result result = create_body(l, &settings, &model, &body);
    if (result == SN_OK) {
        sn_bench_layered_pose(0.3, pose);
        sn_layered_body_step(body, pose, NULL);
        for (int i = 0; i < SWEEP_COUNT; ++i) {
            const double start = sn_now();
            sn_xpbd_sweep_elements(body->flesh, 0, model->flesh->elements.batch_count, true);
            ms[i] = 1e3 * (sn_now() - start);
        }
        sn_bench_case *c = sn_bench_add(table, "leg of 24 thousand tets", name);
        c->median_ms = sn_median(ms, SWEEP_COUNT);
        c->throughput = model->tet_count / (1e-3 * c->median_ms);
        c->throughput_unit = "tets/s";
        c->limit_ms = 1e3 * model->tet_count * SN_BENCH_LAYERED_FLOPS / sn_bench_peak_flops();
        c->hash = hash_body(body);
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    return result;
}

static sn_result bench_step(sn_bench_layered_body *l, const char *name, sn_layered_mode mode, int substeps, int sweeps,
                            sn_bench_table *table)
{
    sn_layered_settings settings = sn_default_layered_settings();
    sn_layered_model *model = NULL;
    sn_layered_body *body = NULL;
    double ms[STEP_COUNT];
    settings.substep_count = substeps;
    settings.sweep_count = sweeps;
    settings.gravity[1] = -9.81;
    l->desc.mode = mode;
    l->desc.frames = NULL;
    const sn_result result = create_body(l, &settings, &model, &body);
    for (int i = 0; i < STEP_COUNT && result == SN_OK; ++i) {
        double pose[24];
        sn_bench_layered_pose((i + 1) / 60.0, pose);
        const double start = sn_now();
        sn_layered_body_step(body, pose, NULL);
        ms[i] = 1e3 * (sn_now() - start);
    }
    if (result == SN_OK) {
        sn_bench_case *c = sn_bench_add(table, "leg of 24 thousand tets", name);
        const int swept = body->substep_count * sweeps;
        c->median_ms = sn_median(ms, STEP_COUNT);
        c->throughput = (double)model->tet_count * swept / (1e-3 * c->median_ms);
        c->throughput_unit = "tets/s";
        c->limit_ms = 1e3 * model->tet_count * swept * SN_BENCH_LAYERED_FLOPS / sn_bench_peak_flops();
        c->iterations = swept;
        c->frame_fraction = c->median_ms / (1e3 / 60);
        c->hash = hash_body(body);
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    return result;
}

sn_result sn_bench_layered(sn_bench_table *table)
{
    static const struct {
        const char *name;
        sn_xpbd_instructions instructions;
        bool is_double, is_framed;
    } sweeps[] = {{"sweep, double, one lane", SN_XPBD_SCALAR, true, false},
                  {"sweep, float, one lane", SN_XPBD_SCALAR, false, false},
                  {"sweep, float, baseline", SN_XPBD_BASELINE, false, false},
                  {"sweep, float, AVX2", SN_XPBD_AVX2, false, false},
                  {"sweep, float, AVX2, with axes", SN_XPBD_AVX2, false, true},
                  {"sweep, float, AVX-512", SN_XPBD_AVX512, false, false},
                  {"sweep, float, AVX-512, with axes", SN_XPBD_AVX512, false, true}};
    static const struct {
        const char *name;
        sn_layered_mode mode;
        int substeps, sweeps;
    } steps[] = {{"step, 10 sweeps along a curve", SN_LAYERED_UNORDERED, 1, 10},
                 {"step, 10 sweeps in layers, 6 consolidating", SN_LAYERED_LAYERS, 1, 10},
                 {"step, 15 substeps along a curve", SN_LAYERED_UNORDERED, 15, 1}};
    sn_bench_layered_body l = {0};
    sn_result result = sn_bench_layered_leg(ACROSS, ALONG, &l);
    for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0] && result == SN_OK; ++i) {
        result =
            bench_sweep(&l, sweeps[i].name, sweeps[i].instructions, sweeps[i].is_double, sweeps[i].is_framed, table);
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && result == SN_OK; ++i) {
        result = bench_step(&l, steps[i].name, steps[i].mode, steps[i].substeps, steps[i].sweeps, table);
    }
    sn_arena_finish(&l.arena);
    return result;
}
