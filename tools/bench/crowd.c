/* SPDX-License-Identifier: MIT */
#include "tools/bench/crowd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "host/reduced/reduced.h"
#include "sinew/world.h"
#include "tools/bench/models.h"
#include "tools/bench/peak.h"
#include "tools/bench/reduced.h"
#include "tools/bench/skin.h"
#include "tools/command/median.h"

#define MODEL_COUNT SN_BENCH_MODEL_COUNT
#define BODY_COUNT 1000
#define SKIN_FINENESS 1.93 /* 10,000 surface vertices */
#define WARM_UP_COUNT 10
#define STEP_COUNT 30
#define PERIOD 600     /* frames of the motion */
#define SAMPLE_COUNT 4 /* bodies per model whose iterations are counted */

/* The level of detail of a row. */
typedef struct detail {
    int mode_count, cluster_level;
} detail;

typedef struct crowd {
    sn_model *const *models;
    sn_body_id bodies[BODY_COUNT];
    detail detail;
    double flops;      /* seconds of a world step */
    double iterations; /* flops of a body's step */
} crowd;

/* The phase of the motion depends on the body's index. */
static int phase_of(int body)
{
    return body * 77 % PERIOD;
}

static void pose_at(int frame, sn_mat3x4 *pose)
{
    double rows[12];
    sn_bench_pose(frame, 1, rows);
    for (int i = 0; i < 12; ++i) {
        pose->m[i / 4][i % 4] = (float)rows[i];
    }
}

/* The tolerance is 1e-4 of the height. */
static double tolerance_of(const sn_model *model)
{
    return 1e-4 * model->height / model->diagonal;
}

/* Flops and iterations of a body of one model, stepped on its own with the same steps. */
static sn_result count_work(const sn_model *model, const detail *d, double *iterations, double *flops)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    desc.tolerance = tolerance_of(model);
    desc.mode_count = d->mode_count;
    desc.cluster_level = d->cluster_level;
    sn_result result = sn_reduced_solver_create(model, &desc, &solver);
    double sum = 0, pose[12];
    for (int i = 0; i < SAMPLE_COUNT && result == SN_OK; ++i) {
        sn_reduced_body *body = NULL;
        sn_bench_pose(phase_of(37 * i), 1, pose);
        result = sn_reduced_body_create(solver, pose, &body);
        for (int frame = 1; frame <= WARM_UP_COUNT + STEP_COUNT && result == SN_OK; ++frame) {
            sn_bench_pose(phase_of(37 * i) + frame, 1, pose);
            const int count = sn_reduced_body_step(body, pose, NULL).iteration_count;
            sum += frame > WARM_UP_COUNT ? count : 0;
        }
        sn_reduced_body_destroy(&body);
    }
    if (result == SN_OK) {
        *iterations = sum / (SAMPLE_COUNT * STEP_COUNT);
        *flops = *iterations * sn_bench_flops(sn_model_level_cluster_count(model, d->cluster_level),
                                              sn_reduced_solver_coordinate_count(solver));
    }
    sn_reduced_solver_destroy(&solver);
    return result;
}

static sn_result plan(crowd *c, const detail *d)
{
    sn_result result = SN_OK;
    c->detail = *d;
    c->flops = c->iterations = 0;
    for (int i = 0; i < MODEL_COUNT && result == SN_OK; ++i) {
        double iterations = 0, flops = 0;
        result = count_work(c->models[i], d, &iterations, &flops);
        c->iterations += iterations / MODEL_COUNT;
        c->flops += flops * BODY_COUNT / MODEL_COUNT;
    }
    return result;
}

static sn_result fill_world(crowd *c, sn_world_id world)
{
    for (int i = 0; i < BODY_COUNT; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        sn_mat3x4 pose;
        desc.model = c->models[i % MODEL_COUNT]; /* unsorted */
        desc.tolerance = tolerance_of(desc.model);
        desc.mode_count = c->detail.mode_count;
        desc.cluster_level = c->detail.cluster_level;
        SN_TRY(sn_body_create(world, &desc, &c->bodies[i]));
        pose_at(phase_of(i), &pose);
        sn_body_set_rigid_pose(c->bodies[i], &pose);
        sn_body_reset(c->bodies[i]);
    }
    return SN_OK;
}

static uint64_t hash_outputs(const crowd *c)
{
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < BODY_COUNT; ++i) {
        const sn_body_matrices out = sn_body_output(c->bodies[i]);
        const size_t count = (size_t)(out.bone_count + out.mode_count) * 12;
        hash = sn_hash(hash, out.matrices, count / 16 * 16 * sizeof(float));
    }
    return hash;
}

static sn_result run(crowd *c, int threads, sn_bench_case *row)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world = {0, 0};
    double ms[STEP_COUNT];
    desc.worker_count = threads;
    sn_result result = sn_world_create(&desc, &world);
    if (result == SN_OK) {
        result = fill_world(c, world);
    }
    for (int frame = 1; frame <= WARM_UP_COUNT + STEP_COUNT && result == SN_OK; ++frame) {
        for (int i = 0; i < BODY_COUNT; ++i) {
            sn_mat3x4 pose;
            pose_at(phase_of(i) + frame, &pose);
            sn_body_set_rigid_pose(c->bodies[i], &pose);
        }
        const double start = sn_now();
        sn_world_step(world, desc.time_step);
        if (frame > WARM_UP_COUNT) {
            ms[frame - WARM_UP_COUNT - 1] = 1e3 * (sn_now() - start);
        }
    }
    if (result == SN_OK) {
        row->median_ms = sn_median(ms, STEP_COUNT);
        row->throughput = BODY_COUNT / (1e-3 * row->median_ms);
        row->throughput_unit = "bodies/s";
        row->frame_fraction = row->median_ms / (1e3 * desc.time_step);
        row->iterations = c->iterations;
        row->limit_ms = 1e3 * c->flops / (sn_bench_peak_flops() * threads);
        row->hash = hash_outputs(c);
    }
    sn_world_destroy(world);
    return result;
}

/* Measures one level of detail on one thread and on several. */
static sn_result bench_detail(crowd *c, const detail *d, int threads, sn_bench_table *table)
{
    const int counts[2] = {1, threads};
    uint64_t hash = 0;
    sn_result result = plan(c, d);
    for (int i = 0; i < (threads > 1 ? 2 : 1) && result == SN_OK; ++i) {
        char label[64], what[64];
        snprintf(label, sizeof label, "%d modes, %d clusters", d->mode_count,
                 sn_model_level_cluster_count(c->models[0], d->cluster_level));
        snprintf(what, sizeof what, "world step of %d bodies, %d thread%s", BODY_COUNT, counts[i],
                 counts[i] > 1 ? "s" : "");
        sn_bench_case *row = sn_bench_add(table, label, what);
        result = run(c, counts[i], row);
        if (result == SN_OK && i > 0 && row->hash != hash) {
            result = sn_fail(SN_ERROR_NUMERIC, "bench crowd: %d threads give other bits than one", counts[i]);
        }
        hash = row->hash;
    }
    return result;
}

sn_result sn_bench_crowd(int threads, sn_bench_table *table)
{
    static const detail details[] = {{16, 0}, {16, 1}, {16, 2}, {8, 1}, {4, 2}};
    static crowd c;
    sn_bench_models models = {.models = {NULL}};
    sn_result result = sn_bench_models_cook(&models);
    c = (crowd){.models = models.models};
    for (size_t i = 0; i < sizeof details / sizeof details[0] && result == SN_OK; ++i) {
        result = bench_detail(&c, &details[i], threads, table);
    }
    sn_bench_models_finish(&models);
    return result;
}

static void add_peaks(const sn_bench_device *on, sn_bench_table *table)
{
    const char *name = on->device->properties.deviceName;
    sn_bench_case *flops = sn_bench_add(table, name, "peak of fused multiplications and additions");
    sn_bench_case *bandwidth = sn_bench_add(table, name, "peak of a copy, read and write");
    flops->throughput = on->peak.flops;
    flops->throughput_unit = "flops";
    bandwidth->throughput = on->peak.bandwidth;
    bandwidth->throughput_unit = "bytes/s";
}

static sn_result bench_models_on_device(sn_bench_device *on, sn_bench_table *table)
{
    sn_bench_models models = {.models = {NULL}};
    sn_result result = sn_bench_models_cook(&models);
    if (result == SN_OK) {
        result = sn_bench_reduced_on_device(on, models.models, MODEL_COUNT, table);
    }
    sn_bench_models_finish(&models);
    return result;
}

static sn_result bench_skin_on_device(sn_bench_device *on, sn_bench_table *table)
{
    static const double proportions[3] = {1, 1, 1};
    sn_cook_context cooking = {0};
    sn_model *model = NULL;
    sn_result result = sn_bench_model_cook(SKIN_FINENESS, proportions, &cooking, &model);
    if (result == SN_OK) {
        result = sn_bench_skin_crowd(on, model, table);
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
    return result;
}

sn_result sn_bench_crowd_on_device(sn_bench_table *table)
{
    sn_bench_device on;
    sn_result result = sn_bench_device_open(&on);
    if (result == SN_OK) {
        add_peaks(&on, table);
        result = bench_models_on_device(&on, table);
    }
    if (result == SN_OK) {
        result = bench_skin_on_device(&on, table);
    }
    sn_bench_device_close(&on);
    return result;
}
