/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "compute/coupled/coupled.h"
#include "host/base/hash.h"
#include "sinew/world.h"
#include "tools/bench/coupled.h"
#include "tools/bench/device.h"
#include "tools/command/median.h"

#define HANDLE_LIMIT 8

typedef struct device_bench {
    sn_bench_device on;
    sn_bench_table *table;
    sn_bench_fixture made;
    sn_gpu_coupled *coupled;
    int body_count, frame;
    bool is_single_precision;
    double seconds[SN_BENCH_DEVICE_RUNS];
    int run_count;
    uint64_t hash; /* transforms of the first body's handles after the first step */
} device_bench;

static sn_result add_bodies(device_bench *b)
{
    const sn_coupled_settings settings = sn_bench_coupled_settings();
    int rig = 0, body = 0;
    SN_TRY(sn_gpu_coupled_add_rig(b->coupled, b->made.rig, &rig));
    for (int i = 0; i < b->body_count; ++i) {
        SN_TRY(sn_gpu_coupled_add_body(b->coupled, rig, &settings, &body));
        SN_TRY(sn_gpu_coupled_set_locks(b->coupled, body, 0, SN_LOCK_ALL));
    }
    return SN_OK;
}

static void record(void *user, VkCommandBuffer commands)
{
    const device_bench *b = user;
    sn_gpu_coupled_record_step(b->coupled, commands);
    sn_gpu_coupled_record_matrices(b->coupled, commands, 1);
}

/* Gives every body a different phase of the swing. */
static sn_result step_once(void *user, double *seconds)
{
    device_bench *b = user;
    double target[12];
    for (int i = 0; i < b->body_count; ++i) {
        sn_bench_coupled_target(&b->made, b->frame + 7 * i, target);
        sn_gpu_coupled_set_target(b->coupled, i, 0, target);
    }
    ++b->frame;
    return sn_bench_device_run(&b->on, record, b, seconds);
}

static sn_result read_first(device_bench *b)
{
    double transforms[12 * HANDLE_LIMIT];
    const int count = sn_coupled_rig_handle_count(b->made.rig);
    SN_ASSERT(count <= HANDLE_LIMIT);
    SN_TRY(sn_gpu_coupled_transforms(b->coupled, 0, transforms, NULL));
    b->hash = sn_hash(SN_HASH_SEED, transforms, 12 * (size_t)count * sizeof *transforms);
    return SN_OK;
}

/* Excludes the first step: drivers compile at first use. */
static sn_result run_steps(device_bench *b)
{
    b->frame = 0;
    SN_TRY(step_once(b, &b->seconds[0]));
    SN_TRY(read_first(b));
    return sn_bench_device_repeat(step_once, b, b->seconds, &b->run_count);
}

static void add_row(device_bench *b)
{
    char label[64], what[112];
    const double median = sn_median(b->seconds, b->run_count);
    const sn_bench_work work = {.flops = b->is_single_precision ? b->body_count * sn_bench_coupled_flops(&b->made) : 0};
    snprintf(label, sizeof label, "a frame of %d, %s", b->body_count, b->is_single_precision ? "single" : "double");
    snprintf(what, sizeof what, "%d fish and their matrices, %.64s", b->body_count,
             b->on.device->properties.deviceName);
    sn_bench_case *row = sn_bench_add(b->table, label, what);
    sn_bench_device_fill(&b->on, median, &work, row);
    row->throughput = b->body_count / median / 60;
    row->throughput_unit = "bodies at 60 Hz";
    row->hash = b->hash;
}

static sn_result bench_precision(void *user, bool is_single_precision, double *median)
{
    device_bench *b = user;
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.is_single_precision = b->is_single_precision = is_single_precision;
    sn_result result = sn_gpu_coupled_create(b->on.device, &desc, &b->coupled);
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
    sn_gpu_coupled_destroy(&b->coupled);
    return result;
}

static sn_result bench_bodies(void *user, int body_count, double *median)
{
    device_bench *b = user;
    b->body_count = body_count;
    return sn_bench_device_precisions(&b->on, bench_precision, b, median);
}

sn_result sn_bench_coupled_on_device(sn_bench_table *table)
{
    static const int counts[] = {100, 1000, 5000};
    device_bench b = {.table = table};
    sn_result result = sn_bench_device_open(&b.on);
    if (result == SN_OK) {
        result = sn_bench_fish_create(&b.made);
    }
    if (result == SN_OK) {
        result = sn_bench_device_counts(&b.on, counts, 3, bench_bodies, &b);
    }
    sn_bench_fixture_finish(&b.made);
    sn_bench_device_close(&b.on);
    return result;
}
