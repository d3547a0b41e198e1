/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "compute/xpbd/xpbd.h"
#include "host/base/hash.h"
#include "tools/bench/device.h"
#include "tools/bench/xpbd.h"
#include "tools/command/median.h"

typedef struct device_bench {
    sn_bench_device on;
    sn_bench_table *table;
    sn_gpu_xpbd *xpbd;
    sn_xpbd_desc desc;
    sn_xpbd_model *model;
    sn_xpbd_body *start; /* of all bodies */
    double *velocities;
    int body_count;
    double seconds[SN_BENCH_DEVICE_RUNS];
    int run_count;
    uint64_t hash; /* positions of the first body after the first step */
} device_bench;

static sn_xpbd_settings bench_settings(void)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.damping = 1;
    return settings;
}

static sn_result add_bodies(device_bench *b)
{
    const sn_xpbd_settings settings = bench_settings();
    int model = 0, body = 0;
    SN_TRY(sn_gpu_xpbd_add_model(b->xpbd, b->model, &model));
    for (int i = 0; i < b->body_count; ++i) {
        SN_TRY(sn_gpu_xpbd_add_body(b->xpbd, model, &settings, &body));
        SN_TRY(sn_gpu_xpbd_upload(b->xpbd, body, b->start));
    }
    return SN_OK;
}

static void record_step(void *user, VkCommandBuffer commands)
{
    sn_gpu_xpbd_record_step(((device_bench *)user)->xpbd, commands);
}

static sn_result step_once(void *user, double *seconds)
{
    return sn_bench_device_run(&((device_bench *)user)->on, record_step, user, seconds);
}

static sn_result read_first(device_bench *b)
{
    const sn_result result = sn_gpu_xpbd_download(b->xpbd, 0, b->start, NULL);
    sn_xpbd_body_positions(b->start, b->velocities);
    b->hash = sn_hash(SN_HASH_SEED, b->velocities, 3 * (size_t)b->desc.vertex_count * sizeof *b->velocities);
    return result;
}

/* Excludes the first step: drivers compile at first use. */
static sn_result run_steps(device_bench *b)
{
    SN_TRY(step_once(b, &b->seconds[0]));
    SN_TRY(read_first(b));
    return sn_bench_device_repeat(step_once, b, b->seconds, &b->run_count);
}

static void add_row(device_bench *b)
{
    char label[64], what[112];
    const double median = sn_median(b->seconds, b->run_count);
    const double pairs = (double)b->body_count * b->desc.element_count * bench_settings().substep_count;
    const int dispatches = sn_gpu_xpbd_dispatch_count(b->xpbd);
    snprintf(label, sizeof label, "%d tets", b->desc.element_count);
    snprintf(what, sizeof what, "step of %d bodies, %d dispatches of %.0f us, %.32s", b->body_count, dispatches,
             1e6 * median / dispatches, b->on.device->properties.deviceName);
    sn_bench_case *row = sn_bench_add(b->table, label, what);
    sn_bench_device_fill(&b->on, median, &(sn_bench_work){.flops = pairs * SN_BENCH_TET_FLOPS}, row);
    row->throughput = pairs / median;
    row->throughput_unit = "pairs/s";
    row->hash = b->hash;
}

static sn_result bench_bodies(void *user, int body_count, double *median)
{
    device_bench *b = user;
    const sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    b->body_count = body_count;
    sn_xpbd_body_reset(b->start);
    sn_bench_xpbd_excite(&b->desc, b->start, b->velocities);
    sn_result result = sn_gpu_xpbd_create(b->on.device, &desc, &b->xpbd);
    if (result == SN_OK) {
        result = add_bodies(b);
    }
    if (result == SN_OK) {
        result = run_steps(b);
    }
    if (result == SN_OK) {
        add_row(b);
        *median = sn_median(b->seconds, b->run_count);
    }
    sn_gpu_xpbd_destroy(&b->xpbd);
    return result;
}

static sn_result bench_mesh(device_bench *b, const sn_tet_mesh *mesh, const int *counts, int count)
{
    const sn_xpbd_settings settings = bench_settings();
    sn_arena arena = {0};
    sn_result result = sn_bench_xpbd_desc(mesh, &arena, &b->desc);
    b->desc.is_coloured = true;
    b->velocities = SN_NEW(&arena, double, 3 * (size_t)mesh->vertex_count);
    if (result == SN_OK) {
        result = b->velocities ? sn_bench_xpbd_model(&b->desc, &b->model) : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = sn_xpbd_body_create(b->model, &settings, &b->start);
    }
    if (result == SN_OK) {
        result = sn_bench_device_counts(&b->on, counts, count, bench_bodies, b);
    }
    sn_xpbd_body_destroy(&b->start);
    sn_xpbd_model_destroy(&b->model);
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_bench_xpbd_on_device(const sn_tet_mesh *small, const sn_tet_mesh *large, sn_bench_table *table)
{
    static const int counts[] = {1, 100, 1000, 5000};
    device_bench b = {.table = table};
    sn_result result = sn_bench_device_open(&b.on);
    if (result == SN_OK) {
        result = bench_mesh(&b, small, counts, 4);
    }
    if (result == SN_OK && large) {
        result = bench_mesh(&b, large, counts, 1);
    }
    sn_bench_device_close(&b.on);
    return result;
}
