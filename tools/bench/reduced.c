/* SPDX-License-Identifier: MIT */
#include "tools/bench/reduced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compute/reduced/reduced.h"
#include "host/base/hash.h"
#include "tools/bench/device.h"
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
    bool is_unaccelerated, has_floor;
} device_run;

typedef struct device_bench {
    const device_run *run;
    sn_model *const *models; /* body i uses model i % model_count */
    int model_count;
    sn_bench_device *on;
    sn_bench_table *table;
    sn_gpu_reduced *reduced;
    int body_count;
    double *pose, *coordinates;
    int *iterations; /* (body_count) reports of the last step */
    double seconds[SN_BENCH_DEVICE_RUNS];
    int run_count, step_count;
    uint64_t hash;               /* of the first body after the first step */
    double iteration_sum, flops; /* sum over all bodies and measured steps */
} device_bench;

static const sn_model *model_of(const device_bench *b, int body)
{
    return b->models[body % b->model_count];
}

/* The phase of the motion depends on the body's index. */
static void pose_bodies(device_bench *b, int frame)
{
    for (int body = 0; body < b->body_count; ++body) {
        sn_bench_pose(frame + body, model_of(b, body)->counts.bone_count, b->pose);
        sn_gpu_reduced_set_pose(b->reduced, body, b->pose);
    }
}

static sn_result add_body(device_bench *b, int body, const int *models)
{
    const sn_solver_desc desc = {
        .time_step = 0.01, .stiffness = 1, .iteration_limit = 30, .tolerance = b->run->tolerance};
    const sn_model *model = model_of(b, body);
    const sn_collider_desc plane = sn_default_collider_desc();
    sn_collider floor;
    int index = 0;
    sn_result result = sn_collider_init(&plane, &floor);
    floor.transform[7] = floor.transform_before[7] = -0.2 * model->diagonal;
    const sn_surroundings surroundings = {.collider_count = b->run->has_floor, .colliders = &floor};
    sn_bench_pose(body, model->counts.bone_count, b->pose);
    if (result == SN_OK) {
        result = sn_gpu_reduced_add_body(b->reduced, models[body % b->model_count], &desc, b->pose, &index);
    }
    if (result == SN_OK) {
        sn_gpu_reduced_set_surroundings(b->reduced, index, &surroundings);
    }
    return result;
}

static sn_result add_bodies(device_bench *b)
{
    int models[SN_BENCH_MODEL_COUNT];
    for (int i = 0; i < b->model_count; ++i) {
        SN_TRY(sn_gpu_reduced_add_model(b->reduced, b->models[i], &models[i]));
    }
    for (int i = 0; i < b->body_count; ++i) {
        SN_TRY(add_body(b, i, models));
    }
    return SN_OK;
}

static void record_step(void *user, VkCommandBuffer commands)
{
    sn_gpu_reduced_record_step(((device_bench *)user)->reduced, commands, 1);
}

static sn_result read_first(device_bench *b)
{
    sn_gpu_reduced_reading reading = {.coordinates = b->coordinates};
    SN_TRY(sn_gpu_reduced_read(b->reduced, 0, &reading));
    b->hash = sn_hash(SN_HASH_SEED, b->coordinates,
                      3 * (size_t)b->models[0]->counts.coordinate_count * sizeof *b->coordinates);
    return SN_OK;
}

/* The measured span has only the recording of the step. */
static sn_result step_once(void *user, double *seconds)
{
    device_bench *b = user;
    pose_bodies(b, ++b->step_count);
    const sn_result result = sn_bench_device_run(b->on, record_step, b, seconds);
    return result == SN_OK && b->step_count == 1 ? read_first(b) : result;
}

static sn_result measure_once(void *user, double *seconds)
{
    device_bench *b = user;
    SN_TRY(step_once(b, seconds));
    SN_TRY(sn_gpu_reduced_read_iterations(b->reduced, b->body_count, b->iterations));
    for (int i = 0; i < b->body_count; ++i) {
        b->iteration_sum += b->iterations[i];
        b->flops += b->iterations[i] * sn_bench_iteration_flops(model_of(b, i));
    }
    return SN_OK;
}

static sn_result run_steps(device_bench *b)
{
    b->step_count = 0;
    b->iteration_sum = b->flops = 0;
    SN_TRY(sn_bench_device_warm_up(step_once, b));
    return sn_bench_device_repeat(measure_once, b, b->seconds, &b->run_count);
}

/* Minimum memory traffic in floats: a body's Z, remainder, velocity, three forces and its rig's motion, read and
 * written; its pose and matrices; a model's S twice, once for all its bodies. */
static double byte_count(const device_bench *b)
{
    double floats = 0;
    for (int i = 0; i < b->body_count; ++i) {
        const sn_model_counts *c = &model_of(b, i)->counts;
        floats += 2 * (6 * 3 * c->coordinate_count + 12 * c->bone_count) + 28 * c->bone_count +
                  12 * (c->bone_count + c->mode_count);
    }
    for (int i = 0; i < b->model_count && i < b->body_count; ++i) {
        const sn_model_counts *c = &b->models[i]->counts;
        floats += 6 * (double)c->cluster_count * c->coordinate_count;
    }
    return floats * (double)sizeof(float);
}

static void add_row(device_bench *b, double median)
{
    const sn_bench_work work = {.flops = b->flops / b->run_count, .bytes = byte_count(b)};
    char label[64], what[112], types[24] = "";
    if (b->model_count > 1) {
        snprintf(types, sizeof types, " of %d models", b->model_count);
    }
    snprintf(label, sizeof label, "%d modes, %d clusters", b->models[0]->counts.mode_count,
             b->models[0]->counts.cluster_count);
    snprintf(what, sizeof what, "step of %d bodies%s, %s, %.32s", b->body_count, types, b->run->what,
             b->on->device->properties.deviceName);
    sn_bench_case *row = sn_bench_add(b->table, label, what);
    sn_bench_device_fill(b->on, median, &work, row);
    row->throughput = b->body_count / median;
    row->throughput_unit = "body-steps/s";
    row->iterations = b->iteration_sum / b->run_count / b->body_count;
    row->hash = b->hash;
}

static sn_result bench_bodies(void *user, int body_count, double *median)
{
    device_bench *b = user;
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    desc.is_unaccelerated = b->run->is_unaccelerated;
    b->body_count = body_count;
    b->iterations = sn_alloc((size_t)body_count, sizeof *b->iterations);
    sn_result result = b->iterations ? sn_gpu_reduced_create(b->on->device, &desc, &b->reduced) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = add_bodies(b);
    }
    if (result == SN_OK) {
        result = run_steps(b);
    }
    if (result == SN_OK) {
        *median = sn_median(b->seconds, b->run_count);
        add_row(b, *median);
    }
    sn_gpu_reduced_destroy(&b->reduced);
    sn_free(b->iterations, (size_t)body_count, sizeof *b->iterations);
    return result;
}

/* Of these counts, in ascending order, measures those whose contacts fit into device memory. */
static int count_on_floor(const device_bench *b, const int *counts, int count)
{
    const int most = sn_gpu_reduced_contact_body_limit(b->on->device);
    int fitting_count = 0;
    while (fitting_count < count && counts[fitting_count] <= most) {
        ++fitting_count;
    }
    return fitting_count;
}

static sn_result bench_runs(device_bench *b)
{
    static const int counts[] = {1, 100, 1000, 5000, 20000};
    static const device_run runs[] = {{"30 plain iterations", 0, true, false},
                                      {"to 1e-4 of the diagonal", 1e-4, false, false},
                                      {"on a floor, to 1e-4 of the diagonal", 1e-4, false, true}};
    if (!b->pose || !b->coordinates) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < 3; ++i) {
        b->run = &runs[i];
        SN_TRY(sn_bench_device_counts(b->on, counts, b->run->has_floor ? count_on_floor(b, counts, 5) : 5, bench_bodies,
                                      b));
    }
    return SN_OK;
}

sn_result sn_bench_reduced_on_device(sn_bench_device *on, sn_model *const *models, int model_count,
                                     sn_bench_table *table)
{
    sn_arena arena = {0};
    device_bench b = {.on = on, .models = models, .model_count = model_count, .table = table};
    int bones = 0;
    SN_ASSERT(model_count <= SN_BENCH_MODEL_COUNT);
    for (int i = 0; i < model_count; ++i) {
        bones = models[i]->counts.bone_count > bones ? models[i]->counts.bone_count : bones;
    }
    b.pose = SN_NEW(&arena, double, 12 * (size_t)bones);
    b.coordinates = SN_NEW(&arena, double, 3 * (size_t)models[0]->counts.coordinate_count);
    const sn_result result = bench_runs(&b);
    sn_arena_finish(&arena);
    return result;
}
