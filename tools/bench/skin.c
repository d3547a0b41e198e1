/* SPDX-License-Identifier: MIT */
#include "tools/bench/skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/skin/skin.h"
#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "host/skin/skin.h"
#include "tools/bench/peak.h"
#include "tools/command/median.h"

#define RUN_COUNT 9
#define WARM_UP_COUNT 3
#define DRAW_COUNT 50 /* repetitions per run, for the resolution of the device's clock */

typedef struct skin_bench {
    const sn_model *model;
    double *bones, *modes;
    float *transforms; /* bone and mode matrices in the device's layout */
    float *morphs;     /* at rest */
    double *reference; /* positions, normals, tangents */
    float *captured;   /* the same */
    char label[64];
    sn_arena arena;
} skin_bench;

static sn_result prepare(skin_bench *b)
{
    const sn_model_counts *c = &b->model->counts;
    const size_t matrices = (size_t)c->bone_count + (size_t)c->mode_count, n = (size_t)c->surface_vertex_count;
    b->bones = SN_NEW(&b->arena, double, 12 * matrices);
    b->transforms = SN_NEW(&b->arena, float, 12 * matrices);
    b->morphs = SN_NEW(&b->arena, float, c->morph_count);
    b->reference = SN_NEW(&b->arena, double, 9 * n);
    b->captured = SN_NEW(&b->arena, float, 9 * n);
    if (!b->bones || !b->transforms || !b->morphs || !b->reference || !b->captured) {
        return SN_ERROR_MEMORY;
    }
    sn_model_default_morphs(b->model, b->morphs, c->morph_count);
    b->modes = b->bones + 12 * (size_t)c->bone_count;
    for (size_t i = 0; i < 12 * matrices; ++i) {
        const bool is_diagonal = i < 12 * (size_t)c->bone_count && i % 12 % 5 == 0;
        b->bones[i] = 0.05 * sin(7.1 * (double)i) + (is_diagonal ? 1 : 0);
        b->transforms[i] = (float)b->bones[i];
    }
    snprintf(b->label, sizeof b->label, "%d vertices, %d bones, %d modes", c->surface_vertex_count, c->bone_count,
             c->mode_count);
    return SN_OK;
}

/* Flops: three blended 3 x 4 matrices, one multiplication and one addition per entry. */
static double flop_count(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    return 72 * (c->influence_count + (double)c->surface_vertex_count * c->mode_count);
}

/* Minimum memory traffic of the bodies: the weights once, each body's matrices, and the written vertices. */
static sn_bench_work work_of(const sn_model *model, int body_count)
{
    const sn_model_counts *c = &model->counts;
    const double vertices = c->surface_vertex_count, bodies = body_count;
    const double vertex =
        (double)(sizeof(sn_gpu_vertex) + sizeof(int32_t)) + c->mode_count * (double)sizeof(sn_mode_weight);
    const double shared = c->influence_count * (double)sizeof(sn_influence) + vertices * vertex;
    const double own = 12 * (c->bone_count + c->mode_count) + 9 * vertices;
    return (sn_bench_work){.flops = bodies * flop_count(model), .bytes = shared + bodies * own * (double)sizeof(float)};
}

static void bench_reference(skin_bench *b, sn_bench_table *table)
{
    const sn_surface skin = sn_model_surface(b->model);
    const size_t n = 3 * (size_t)skin.vertex_count;
    double seconds[RUN_COUNT];
    for (int run = 0; run < RUN_COUNT; ++run) {
        const double start = sn_now();
        sn_skin_surface(&skin, b->bones, b->modes, b->morphs, b->reference, b->reference + n, b->reference + 2 * n);
        seconds[run] = sn_now() - start;
    }
    sn_bench_case *row = sn_bench_add(table, b->label, "position and frame, CPU, double reference");
    row->median_ms = 1e3 * sn_median(seconds, RUN_COUNT);
    row->throughput = skin.vertex_count / (1e-3 * row->median_ms);
    row->throughput_unit = "vertices/s";
    row->limit_ms = 1e3 * flop_count(b->model) / sn_bench_peak_flops();
    row->hash = sn_hash(SN_HASH_SEED, b->reference, 3 * n * sizeof(double));
}

/* Excludes the first run, in which the driver compiles. */
static sn_result time_captures(sn_gpu_capture *capture, const float *transforms, const float *morphs, int repeats,
                               double *seconds)
{
    sn_result result = SN_OK;
    for (int run = -WARM_UP_COUNT; run < RUN_COUNT && result == SN_OK; ++run) {
        double total = 0;
        result = sn_gpu_capture_run(capture, transforms, morphs, repeats, &total);
        seconds[run < 0 ? 0 : run] = total / repeats;
    }
    return result;
}

static void fill_row(const sn_bench_device *on, const skin_bench *b, int body_count, double *seconds,
                     sn_bench_case *row)
{
    const sn_bench_work work = work_of(b->model, body_count);
    const size_t n = 9 * (size_t)b->model->counts.surface_vertex_count;
    sn_bench_device_fill(on, sn_median(seconds, RUN_COUNT), &work, row);
    row->throughput = (double)body_count * b->model->counts.surface_vertex_count / (1e-3 * row->median_ms);
    row->throughput_unit = "vertices/s";
    row->hash = sn_hash(SN_HASH_SEED, b->captured, n * sizeof(float));
}

/* The given number of bodies of the model in the same pose, each with its own matrices. */
static sn_result bench_captures(sn_bench_device *on, const skin_bench *b, int body_count, int repeats,
                                sn_gpu_capture_stage stage, sn_bench_table *table)
{
    char what[112];
    const size_t n = 3 * (size_t)b->model->counts.surface_vertex_count, bodies = (size_t)body_count;
    const size_t matrices = (size_t)b->model->counts.bone_count + (size_t)b->model->counts.mode_count;
    const size_t morph_count = (size_t)b->model->counts.morph_count;
    const sn_gpu_captured captured = {b->captured, b->captured + n, b->captured + 2 * n};
    double seconds[RUN_COUNT];
    sn_arena arena = {0};
    sn_gpu_capture *capture = NULL;
    float *transforms = SN_NEW(&arena, float, 12 * matrices * bodies);
    float *morphs = SN_NEW(&arena, float, morph_count *bodies);
    for (size_t i = 0; i < bodies && transforms && morphs; ++i) {
        memcpy(transforms + 12 * matrices * i, b->transforms, 12 * matrices * sizeof *transforms);
        memcpy(morphs + morph_count * i, b->morphs, morph_count * sizeof *morphs);
    }
    snprintf(what, sizeof what, "skin %d %s, %s, %.40s", body_count, body_count == 1 ? "body" : "bodies",
             stage == SN_GPU_CAPTURE_VERTEX ? "vertex shader" : "compute shader", on->device->properties.deviceName);
    sn_result result = transforms && morphs ? sn_gpu_capture_create(on->device, b->model, body_count, stage, &capture)
                                            : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = time_captures(capture, transforms, morphs, repeats, seconds);
    }
    if (result == SN_OK) {
        result = sn_gpu_capture_read(capture, body_count - 1, &captured);
    }
    if (result == SN_OK) {
        fill_row(on, b, body_count, seconds, sn_bench_add(table, b->label, what));
    }
    sn_gpu_capture_destroy(&capture);
    sn_arena_finish(&arena);
    return result;
}

/* Measures the vertex shader, as in rendering, and a compute shader. */
static sn_result bench_stages(sn_bench_device *on, const skin_bench *b, int body_count, int repeats,
                              sn_bench_table *table)
{
    SN_TRY(bench_captures(on, b, body_count, repeats, SN_GPU_CAPTURE_VERTEX, table));
    return bench_captures(on, b, body_count, repeats, SN_GPU_CAPTURE_COMPUTE, table);
}

static sn_result bench_device(const skin_bench *b, sn_bench_table *table)
{
    sn_bench_device on;
    sn_result result = sn_bench_device_open(&on);
    if (result == SN_OK) {
        result = bench_stages(&on, b, 1, DRAW_COUNT, table);
    }
    sn_bench_device_close(&on);
    return result;
}

sn_result sn_bench_skin_crowd(sn_bench_device *on, const sn_model *model, sn_bench_table *table)
{
    static const int counts[] = {20, 200, 2000};
    const size_t most = on->device->properties.limits.maxStorageBufferRange;
    const size_t body_bytes = 9 * sizeof(float) * (size_t)model->counts.surface_vertex_count;
    skin_bench b = {.model = model};
    sn_result result = prepare(&b);
    for (int i = 0; i < 3 && result == SN_OK && (size_t)counts[i] * body_bytes <= most; ++i) {
        result = bench_stages(on, &b, counts[i], 1, table);
    }
    sn_arena_finish(&b.arena);
    return result;
}

sn_result sn_bench_skin(const sn_model *model, const char *backend, sn_bench_table *table)
{
    skin_bench b = {.model = model};
    sn_result result = prepare(&b);
    if (result == SN_OK && (!backend || strcmp(backend, "cpu") == 0)) {
        bench_reference(&b, table);
    }
    if (result == SN_OK && (!backend || strcmp(backend, "gpu") == 0)) {
        result = bench_device(&b, table);
    }
    sn_arena_finish(&b.arena);
    return result;
}
