/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "compute/layered/layered.h"
#include "host/base/hash.h"
#include "host/layered/solver.h"
#include "tools/bench/device.h"
#include "tools/bench/layered.h"
#include "tools/command/median.h"

typedef struct device_bench {
    sn_bench_device on;
    sn_bench_table *table;
    const char *what;
    sn_layered_model *model;
    sn_layered_body *read;
    sn_layered_settings settings;
    sn_gpu_layered *layered;
    int body_count, frame;
    bool is_single_precision;
    double seconds[SN_BENCH_DEVICE_RUNS];
    int run_count;
    uint64_t hash; /* positions of the first body after the first step */
} device_bench;

static sn_result add_bodies(device_bench *b)
{
    int model = 0, body = 0;
    SN_TRY(sn_gpu_layered_add_model(b->layered, b->model, &model));
    for (int i = 0; i < b->body_count; ++i) {
        SN_TRY(sn_gpu_layered_add_body(b->layered, model, &b->settings, NULL, &body));
    }
    return SN_OK;
}

static void record(void *user, VkCommandBuffer commands)
{
    sn_gpu_layered_record_step(((device_bench *)user)->layered, commands);
}

/* Gives every body a different phase of the motion. */
static sn_result step_once(void *user, double *seconds)
{
    device_bench *b = user;
    for (int i = 0; i < b->body_count; ++i) {
        double pose[24];
        sn_bench_layered_pose((b->frame + 7 * i) / 60.0, pose);
        sn_gpu_layered_set_pose(b->layered, i, pose);
    }
    ++b->frame;
    return sn_bench_device_run(&b->on, record, b, seconds);
}

/* Excludes the first step: drivers compile at first use. */
static sn_result run_steps(device_bench *b)
{
    b->frame = 0;
    SN_TRY(step_once(b, &b->seconds[0]));
    SN_TRY(sn_gpu_layered_download(b->layered, 0, b->read, NULL));
    const sn_xpbd_state *state = &b->read->flesh->state;
    b->hash = sn_hash(SN_HASH_SEED, state->displacements, 4 * sizeof(float) * (size_t)state->row_count);
    return sn_bench_device_repeat(step_once, b, b->seconds, &b->run_count);
}

static void add_row(device_bench *b)
{
    char label[64], what[112];
    const int swept = b->settings.substep_count * b->settings.sweep_count;
    const double median = sn_median(b->seconds, b->run_count),
                 tets = (double)b->model->tet_count * b->body_count * swept;
    const sn_bench_work work = {.flops = tets * SN_BENCH_LAYERED_FLOPS};
    snprintf(label, sizeof label, "a frame of %d, %s", b->body_count, b->is_single_precision ? "single" : "double");
    snprintf(what, sizeof what, "%d %s, %d substeps, %.48s", b->body_count, b->what, swept,
             b->on.device->properties.deviceName);
    sn_bench_case *row = sn_bench_add(b->table, label, what);
    sn_bench_device_fill(&b->on, median, &work, row);
    row->throughput = tets / median;
    row->throughput_unit = "tets/s";
    row->hash = b->hash;
}

static sn_result bench_precision(void *user, bool is_single_precision, double *median)
{
    device_bench *b = user;
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.is_single_precision = b->is_single_precision = is_single_precision;
    sn_result result = sn_gpu_layered_create(b->on.device, &desc, &b->layered);
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
    sn_gpu_layered_destroy(&b->layered);
    return result;
}

static sn_result bench_bodies(void *user, int body_count, double *median)
{
    device_bench *b = user;
    b->body_count = body_count;
    return sn_bench_device_precisions(&b->on, bench_precision, b, median);
}

static sn_result bench_legs(device_bench *b, int across, int along, const int *counts, int count)
{
    sn_bench_layered_body leg = {0};
    sn_result result = sn_bench_layered_leg(across, along, &leg);
    leg.desc.is_coloured = true;
    if (result == SN_OK) {
        result = sn_layered_model_create(&leg.desc, &b->model);
    }
    if (result == SN_OK) {
        result = sn_layered_body_create(b->model, &b->settings, NULL, &b->read);
    }
    if (result == SN_OK) {
        result = sn_bench_device_counts(&b->on, counts, count, bench_bodies, b);
    }
    sn_layered_body_destroy(&b->read);
    sn_layered_model_destroy(&b->model);
    sn_arena_finish(&leg.arena);
    return result;
}

sn_result sn_bench_layered_on_device(sn_bench_table *table)
{
    static const int large[] = {1, 16}, small[] = {100, 1000, 5000};
    device_bench b = {.table = table, .settings = sn_default_layered_settings()};
    b.settings.substep_count = 15;
    b.settings.gravity[1] = -9.81;
    sn_result result = sn_bench_device_open(&b.on);
    if (result == SN_OK) {
        b.what = "legs of 24 thousand tets";
        result = bench_legs(&b, 12, 28, large, 2);
    }
    if (result == SN_OK) {
        b.what = "legs of 768 tets";
        result = bench_legs(&b, 4, 8, small, 3);
    }
    sn_bench_device_close(&b.on);
    return result;
}
