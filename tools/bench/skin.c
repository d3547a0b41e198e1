/* SPDX-License-Identifier: MIT */
#include "tools/bench/skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/core/commands.h"
#include "compute/skin/skin.h"
#include "host/base/clock.h"
#include "host/base/hash.h"
#include "host/skin/skin.h"
#include "tools/bench/peak.h"
#include "tools/command/median.h"

#define RUN_COUNT 9
#define DRAW_COUNT 50 /* a run, so that the device's clock resolves it */
#define COPY_BYTES ((size_t)64 << 20)

typedef struct skin_bench {
    const sn_model *model;
    double *bones, *modes;
    float *transforms; /* both, as the device takes them */
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
    sn_model_rest_morphs(b->model, b->morphs, c->morph_count);
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

/* Three blended 3 x 4 matrices, a multiplication and an addition an entry. */
static double flop_count(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    return 72 * (c->influence_count + (double)c->surface_vertex_count * c->mode_count);
}

static double byte_count(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    const double vertex = sizeof(sn_gpu_vertex) + sizeof(int32_t) + 9 * sizeof(float);
    return (double)c->influence_count * sizeof(sn_influence) +
           c->surface_vertex_count * (vertex + c->mode_count * (double)sizeof(sn_mode_weight));
}

static void fill_row(const skin_bench *b, double *seconds, double limit_seconds, sn_bench_case *row)
{
    row->median_ms = 1e3 * sn_median(seconds, RUN_COUNT);
    row->throughput = b->model->counts.surface_vertex_count / (1e-3 * row->median_ms);
    row->throughput_unit = "vertices/s";
    row->limit_ms = 1e3 * limit_seconds;
}

static void bench_reference(skin_bench *b, sn_bench_table *table)
{
    const sn_skin_mesh skin = sn_model_skin(b->model);
    const size_t n = 3 * (size_t)skin.vertex_count;
    double seconds[RUN_COUNT];
    for (int run = 0; run < RUN_COUNT; ++run) {
        const double start = sn_now();
        sn_skin_surface(&skin, b->bones, b->modes, b->morphs, b->reference, b->reference + n, b->reference + 2 * n);
        seconds[run] = sn_now() - start;
    }
    sn_bench_case *row = sn_bench_add(table, b->label, "position and frame, CPU, double reference");
    fill_row(b, seconds, flop_count(b->model) / sn_bench_peak_flops(), row);
    row->hash = sn_hash(SN_HASH_SEED, b->reference, 3 * n * sizeof(double));
}

/* Bytes a second that the device copies, read and write counted, measured on buffers too big for its caches. */
static sn_result measure_bandwidth(sn_gpu_device *device, double *bandwidth)
{
    sn_gpu_buffer from = {0}, to = {0};
    double best = 0;
    sn_result result = sn_gpu_buffer_create(device, "copy from", COPY_BYTES, 0, SN_GPU_MEMORY_DEVICE, &from);
    if (result == SN_OK) {
        result = sn_gpu_buffer_create(device, "copy to", COPY_BYTES, 0, SN_GPU_MEMORY_DEVICE, &to);
    }
    for (int run = 0; run < 3 && result == SN_OK; ++run) {
        VkCommandBuffer commands = VK_NULL_HANDLE;
        uint64_t value = 0;
        result = sn_gpu_begin(device, &commands);
        for (int i = 0; i < 10 && result == SN_OK; ++i) {
            vkCmdCopyBuffer(commands, from.handle, to.handle, 1, &(VkBufferCopy){.size = COPY_BYTES});
            sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_WRITE);
        }
        const double start = sn_now();
        if (result == SN_OK) {
            result = sn_gpu_submit(device, commands, &value);
        }
        if (result == SN_OK) {
            result = sn_gpu_wait(device, value);
        }
        best = fmax(best, 20 * (double)COPY_BYTES / (sn_now() - start));
    }
    sn_gpu_buffer_destroy(device, &from);
    sn_gpu_buffer_destroy(device, &to);
    *bandwidth = best;
    return result;
}

static sn_result limit_of(sn_gpu_device *device, const sn_model *model, double *seconds)
{
    if (sn_gpu_device_is_software(device)) {
        *seconds = flop_count(model) / (sn_bench_peak_flops() * (double)sysconf(_SC_NPROCESSORS_ONLN));
        return SN_OK;
    }
    double bandwidth = 0;
    const sn_result result = measure_bandwidth(device, &bandwidth);
    *seconds = result == SN_OK ? byte_count(model) / bandwidth : 0;
    return result;
}

static sn_result bench_captures(skin_bench *b, sn_gpu_device *device, sn_bench_table *table)
{
    const size_t n = 3 * (size_t)b->model->counts.surface_vertex_count;
    double seconds[RUN_COUNT], limit = 0;
    char what[256];
    sn_gpu_capture *capture = NULL;
    sn_result result = sn_gpu_capture_create(device, b->model, &capture);
    for (int run = -1; run < RUN_COUNT && result == SN_OK; ++run) { /* the first one compiles */
        double whole = 0;
        const sn_gpu_captured captured = {b->captured, b->captured + n, b->captured + 2 * n};
        result = sn_gpu_capture_run(capture, b->transforms, b->morphs, DRAW_COUNT, &captured, &whole);
        seconds[run < 0 ? 0 : run] = whole / DRAW_COUNT;
    }
    sn_gpu_capture_destroy(&capture);
    if (result == SN_OK) {
        result = limit_of(device, b->model, &limit);
    }
    if (result == SN_OK) {
        snprintf(what, sizeof what, "position and frame, vertex shader, %.40s", device->properties.deviceName);
        sn_bench_case *row = sn_bench_add(table, b->label, what);
        fill_row(b, seconds, limit, row);
        row->hash = sn_hash(SN_HASH_SEED, b->captured, 3 * n * sizeof(float));
    }
    return result;
}

static sn_result bench_device(skin_bench *b, sn_bench_table *table)
{
    sn_gpu_device *device = NULL;
    sn_result result = sn_gpu_device_create(&(sn_gpu_device_desc){0}, &device);
    if (result == SN_OK) {
        result = bench_captures(b, device, table);
    }
    sn_gpu_device_destroy(&device);
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
