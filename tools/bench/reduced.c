/* SPDX-License-Identifier: MIT */
#include "tools/bench/reduced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/reduced/reduced.h"
#include "host/base/hash.h"
#include "tools/bench/device.h"
#include "tools/bench/peak.h"
#include "tools/command/median.h"

void sn_bench_pose(int frame, int bone_count, double *pose)
{
    const double angle = 0.4 * sin(2 * 3.14159265358979 * frame / 40);
    const double c = cos(angle), s = sin(angle);
    const double handle[12] = {c, -s, 0, 0.15 * sin(2 * 3.14159265358979 * frame / 25),
                               s, c,  0, 0.07 * (1 - cos(2 * 3.14159265358979 * frame / 30)),
                               0, 0,  1, 0};
    for (int bone = 0; bone < bone_count; ++bone) {
        memcpy(pose + 12 * bone, handle, sizeof handle);
    }
}

double sn_bench_flops(int cluster_count, int coordinate_count)
{
    return cluster_count * (2 * 2 * 3 * 3 * (double)coordinate_count + 270);
}

double sn_bench_iteration_flops(const sn_model *model)
{
    return sn_bench_flops(model->counts.cluster_count, model->counts.coordinate_count);
}

typedef struct device_run {
    const char *what;
    double tolerance;
    bool is_plain, has_floor;
} device_run;

typedef struct device_bench {
    const device_run *run;
    const sn_model *model;
    sn_bench_device on;
    sn_gpu_reduced *reduced;
    int body_count;
    double *pose, *coordinates;
    double seconds[SN_BENCH_DEVICE_RUNS];
    int run_count, step_count;
    uint64_t hash; /* of the first body */
    double iterations;
} device_bench;

/* Bodies differ by where they are in the motion. */
static void pose_bodies(device_bench *b, int frame)
{
    for (int body = 0; body < b->body_count; ++body) {
        sn_bench_pose(frame + body, b->model->counts.bone_count, b->pose);
        sn_gpu_reduced_set_pose(b->reduced, body, b->pose);
    }
}

static sn_result add_bodies(device_bench *b)
{
    const sn_solver_desc desc = {
        .time_step = 0.01, .stiffness = 1, .iteration_limit = 30, .tolerance = b->run->tolerance};
    const sn_collider_desc plane = sn_default_collider_desc();
    sn_collider floor;
    const sn_surroundings surroundings = {.collider_count = b->run->has_floor, .colliders = &floor};
    int model = 0, body = 0;
    sn_result result = sn_collider_init(&plane, &floor);
    floor.transform[7] = floor.transform_before[7] = -0.2 * b->model->diagonal;
    if (result == SN_OK) {
        result = sn_gpu_reduced_add_model(b->reduced, b->model, &model);
    }
    for (int i = 0; i < b->body_count && result == SN_OK; ++i) {
        sn_bench_pose(i, b->model->counts.bone_count, b->pose);
        result = sn_gpu_reduced_add_body(b->reduced, model, &desc, b->pose, &body);
        if (result == SN_OK) {
            sn_gpu_reduced_set_surroundings(b->reduced, body, &surroundings);
        }
    }
    return result;
}

static void record_output(void *user, VkCommandBuffer commands)
{
    sn_gpu_reduced_record_output(((device_bench *)user)->reduced, commands, 1);
}

static void record_step(void *user, VkCommandBuffer commands)
{
    sn_gpu_reduced_record_step(((device_bench *)user)->reduced, commands, 1);
}

static sn_result read_first(device_bench *b)
{
    sn_gpu_reduced_reading reading = {.coordinates = b->coordinates};
    const sn_result result = sn_gpu_reduced_read(b->reduced, 0, &reading);
    if (result == SN_OK) {
        b->iterations = reading.iteration_count;
        b->hash = sn_hash(SN_HASH_SEED, b->coordinates,
                          3 * (size_t)b->model->counts.coordinate_count * sizeof *b->coordinates);
    }
    return result;
}

static sn_result step_once(void *user, double *seconds)
{
    device_bench *b = user;
    pose_bodies(b, ++b->step_count);
    const sn_result result = sn_bench_device_run(&b->on, record_step, b, seconds);
    return result == SN_OK && b->step_count == 1 ? read_first(b) : result;
}

static sn_result run_steps(device_bench *b)
{
    /* the first dispatch compiles: it draws, and steps nothing */
    const sn_result result = sn_bench_device_run(&b->on, record_output, b, NULL);
    b->step_count = 0;
    return result == SN_OK ? sn_bench_device_repeat(step_once, b, b->seconds, &b->run_count) : result;
}

/* On a real GPU no limit is known: the matrices come from its caches. */
static double limit_of(const device_bench *b)
{
    const double flops = b->iterations * b->body_count * sn_bench_iteration_flops(b->model);
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    return sn_gpu_device_is_software(b->on.device) ? flops / (sn_bench_peak_flops() * cores) : 0;
}

static void add_row(device_bench *b, sn_bench_table *table)
{
    char label[64], what[96];
    snprintf(label, sizeof label, "%d modes, %d clusters", b->model->counts.mode_count, b->model->counts.cluster_count);
    snprintf(what, sizeof what, "step of %d bodies, %s, %.40s", b->body_count, b->run->what,
             b->on.device->properties.deviceName);
    sn_bench_case *row = sn_bench_add(table, label, what);
    const double median = sn_median(b->seconds, b->run_count);
    row->median_ms = 1e3 * median;
    row->throughput = b->body_count / median;
    row->throughput_unit = "body-steps/s";
    row->iterations = b->iterations;
    row->limit_ms = 1e3 * limit_of(b);
    row->hash = b->hash;
}

static sn_result bench_bodies(device_bench *b, int body_count, sn_bench_table *table)
{
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    desc.is_plain = b->run->is_plain;
    b->body_count = body_count;
    sn_result result = sn_gpu_reduced_create(b->on.device, &desc, &b->reduced);
    if (result == SN_OK) {
        result = add_bodies(b);
    }
    if (result == SN_OK) {
        result = run_steps(b);
    }
    if (result == SN_OK) {
        add_row(b, table);
    }
    sn_gpu_reduced_destroy(&b->reduced);
    return result;
}

static sn_result bench_all(device_bench *b, sn_bench_table *table)
{
    static const int body_counts[] = {1, 100, 1000, 5000};
    static const device_run runs[] = {{"30 plain iterations", 0, true, false},
                                      {"to 1e-4 of the diagonal", 1e-4, false, false},
                                      {"on a floor, to 1e-4 of the diagonal", 1e-4, false, true}};
    const size_t run_count = sizeof runs / sizeof runs[0];
    const int most_on_floor = 1000; /* their contacts take 74 KB each, and software Vulkan binds 128 MB */
    sn_result result = b->pose && b->coordinates ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_bench_device_open(&b->on);
    }
    for (size_t i = 0; i < run_count * (sizeof body_counts / sizeof body_counts[0]) && result == SN_OK; ++i) {
        b->run = &runs[i % run_count];
        if (!b->run->has_floor || body_counts[i / run_count] <= most_on_floor) {
            result = bench_bodies(b, body_counts[i / run_count], table);
        }
    }
    return result;
}

sn_result sn_bench_reduced_on_device(const sn_model *model, sn_bench_table *table)
{
    sn_arena arena = {0};
    device_bench b = {.model = model};
    b.pose = SN_NEW(&arena, double, 12 * (size_t)model->counts.bone_count);
    b.coordinates = SN_NEW(&arena, double, 3 * (size_t)model->counts.coordinate_count);
    const sn_result result = bench_all(&b, table);
    sn_bench_device_close(&b.on);
    sn_arena_finish(&arena);
    return result;
}
