/* SPDX-License-Identifier: MIT */
/* Recordings: what the host says of each body goes into this recording's part of the stream buffers, and one dispatch,
 * or as many as the iterations need, takes it from there. */
#include <string.h>

#include "compute/core/commands.h"
#include "compute/reduced/solver.h"

/* Software Vulkan ends a loop, silently, once an invocation has gone through 65535 loop iterations of all its loops
 * together. */
#define LOOP_LIMIT 60000

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Loop iterations of one invocation, rounded up: in one local-global iteration, and outside of them. */
static void count_loops(const sn_gpu_reduced_model *m, uint32_t *each, uint32_t *once)
{
    const uint32_t q4 = sn_reduced_fours(m->coordinate_count), parts = sn_reduced_parts(m->coordinate_count);
    const uint32_t coordinates = divide_up(4 * q4, SN_REDUCED_GROUP_SIZE);
    const uint32_t fours = divide_up(q4, SN_REDUCED_GROUP_SIZE);
    const uint32_t clusters = divide_up(m->cluster_count, SN_REDUCED_GROUP_SIZE);
    const uint32_t modes = divide_up(3 * m->mode_count, SN_REDUCED_GROUP_SIZE);
    const uint32_t sum = SN_REDUCED_GROUP_SIZE / 4 + 1;
    *each = clusters * (q4 + 64) + fours * (divide_up(m->cluster_count, parts) + 1) + coordinates * (parts + 4) + sum;
    *once = coordinates * (4 * m->bone_count + 16) + clusters * (4 * m->bone_count + 32) + modes * (4 * q4 + 1) +
            4 * m->bone_count + sum + 64;
}

static uint32_t dispatch_iterations(const sn_gpu_reduced *r)
{
    uint32_t fewest = r->desc.dispatch_iterations > 0 ? (uint32_t)r->desc.dispatch_iterations : UINT32_MAX;
    for (int i = 0; i < r->model_count; ++i) {
        uint32_t each = 0, once = 0;
        count_loops(&r->models[i], &each, &once);
        const uint32_t fits = once + each < LOOP_LIMIT ? (LOOP_LIMIT - once) / each : 1;
        fewest = fits < fewest ? fits : fewest;
    }
    return fewest;
}

/* The rows that shaders/shared/reduced.h lists. */
static void write_pose(const sn_gpu_reduced_body *body, uint32_t bone_count, float *rows)
{
    for (size_t b = 0; b < bone_count; ++b, rows += 4 * SN_REDUCED_POSE_ROWS) {
        const double *pose = body->pose + 12 * b, *before = body->pose_before + 12 * b;
        for (int i = 0; i < 12; ++i) {
            rows[i] = (float)pose[i];
            rows[4 * SN_REDUCED_POSE_STEP + i] = (float)(pose[i] - before[i]);
        }
        for (int d = 0; d < 3; ++d) {
            rows[4 * SN_REDUCED_POSE_CENTRE + d] = (float)(pose[4 * d + 3] - body->pose[4 * d + 3]);
        }
        rows[4 * SN_REDUCED_POSE_CENTRE + 3] = 0;
    }
}

/* A refusal waits for the next step. */
static void finish_flags(sn_gpu_reduced_body *body, bool is_step)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    body->record.flags &= is_step ? 0 : SN_REDUCED_REFUSED;
    memcpy(body->turn, identity, sizeof identity);
}

static void write_body(sn_gpu_reduced *r, sn_gpu_reduced_body *body, bool is_step, struct sn_reduced_record *record,
                       float *poses)
{
    const uint32_t bones = sn_gpu_reduced_model_of(r, body)->bone_count;
    for (int i = 0; i < 9; ++i) {
        body->record.turn[i] = (float)body->turn[i];
    }
    *record = body->record;
    write_pose(body, bones, poses + 4 * (size_t)body->record.pose);
    finish_flags(body, is_step);
    if (is_step) {
        memcpy(body->pose_before, body->pose, 12 * (size_t)bones * sizeof(double));
    }
}

/* Into this recording's part; returns how many bodies there are, and the most iterations that one may take. */
static uint32_t write_bodies(sn_gpu_reduced *r, bool is_step, sn_gpu_reduced_constants *constants, uint32_t *iterations)
{
    const uint32_t part = (uint32_t)(r->recording_count++ % (uint64_t)r->desc.recording_limit);
    constants->first_record = part * r->record_room;
    constants->first_pose = part * r->pose_room;
    struct sn_reduced_record *records = r->buffers[SN_REDUCED_RECORDS].mapped;
    float *poses = (float *)r->buffers[SN_REDUCED_POSES].mapped + 4 * (size_t)constants->first_pose;
    uint32_t count = 0;
    *iterations = 0;
    for (int i = 0; i < r->body_count; ++i) {
        sn_gpu_reduced_body *body = &r->bodies[i];
        if (body->is_used) {
            const uint32_t limit = body->record.iteration_limit;
            *iterations = limit > *iterations ? limit : *iterations;
            write_body(r, body, is_step, records + constants->first_record + count++, poses);
        }
    }
    return count;
}

static void dispatch(const sn_gpu_reduced *r, VkCommandBuffer commands, const sn_gpu_reduced_constants *constants,
                     uint32_t body_count)
{
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdPushConstants(commands, r->layout, VK_SHADER_STAGE_ALL, 0, sizeof *constants, constants);
    vkCmdDispatch(commands, body_count, 1, 1);
}

static void record(sn_gpu_reduced *r, VkCommandBuffer commands, bool is_step, double fraction)
{
    sn_gpu_reduced_constants constants = {.fraction = (float)fraction};
    uint32_t iterations = 0;
    const uint32_t count = r->body_count > 0 ? write_bodies(r, is_step, &constants, &iterations) : 0;
    if (count == 0) {
        return;
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->layout, 0, 1, &r->set.handle, 0, NULL);
    if (!is_step) {
        dispatch(r, commands, &constants, count);
    }
    const uint32_t most = dispatch_iterations(r);
    while (is_step && constants.last_iteration < iterations) {
        const uint32_t left = iterations - constants.last_iteration;
        constants.first_iteration = constants.last_iteration;
        constants.last_iteration += left < most ? left : most;
        dispatch(r, commands, &constants, count);
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_READ);
}

void sn_gpu_reduced_record_step(sn_gpu_reduced *r, VkCommandBuffer commands, double fraction)
{
    record(r, commands, true, fraction);
}

void sn_gpu_reduced_record_output(sn_gpu_reduced *r, VkCommandBuffer commands, double fraction)
{
    record(r, commands, false, fraction);
}
