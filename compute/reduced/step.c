/* SPDX-License-Identifier: MIT */
/* Recordings: writes the input of each body to this recording's part of the stream buffers and records the dispatches,
 * one or as many as the iterations need. */
#include <math.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/reduced/private.h"
#include "host/reduced/reduced.h"

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* State of one recording. */
typedef struct recording {
    bool is_step;
    bool external_pass, is_in_contact; /* whether there are external forces; colliders or grabs */
    bool is_timed;                     /* a body has a budget */
    uint32_t part;                     /* index of its part of the stream buffers */
    struct sn_reduced_record *records; /* in its part of the stream buffers */
    float *poses, *impulses, *colliders;
    uint32_t next_collider;              /* after those already written */
    uint32_t body_count, impulse_count;  /* impulses include grabs */
    uint32_t iterations, max_impulses;   /* maximum over the bodies, as the next line */
    uint32_t max_colliders, max_samples; /* samples of bodies with colliders */
    sn_gpu_reduced_constants constants;
} recording;

/* Loop iterations that contacts add to an iteration: the sweeps, and in each round the application of forces and the
 * sums. Loops over an invocation's own contacts and over a block are unrolled. */
static uint32_t count_contact_loops(uint32_t q4, uint32_t coordinates)
{
    const uint32_t total = SN_REDUCED_GROUP_SIZE / 4 + 1, limit = SN_REDUCED_CONTACT_LIMIT;
    const uint32_t round = coordinates * (limit + 2) + 2 * total + 8;
    return SN_REDUCED_SWEEP_LOOPS + SN_REDUCED_ROUND_LIMIT * round + limit + 4 * q4 + 3 * total + 64;
}

/* Upper bounds on the loop iterations of one invocation: per local-global iteration, and once per step. */
static void count_loops(const sn_gpu_reduced_model *m, bool is_unaccelerated, bool is_in_contact, uint32_t *each,
                        uint32_t *once)
{
    const uint32_t q4 = sn_reduced_vec4_count(m->coordinate_count), parts = sn_reduced_part_count(m->coordinate_count);
    const uint32_t coordinates = divide_up(4 * q4, SN_REDUCED_GROUP_SIZE);
    const uint32_t fours = divide_up(q4, SN_REDUCED_GROUP_SIZE);
    const uint32_t clusters = divide_up(m->cluster_count, SN_REDUCED_GROUP_SIZE);
    const uint32_t modes = divide_up(3 * m->mode_count, SN_REDUCED_GROUP_SIZE);
    const uint32_t total = SN_REDUCED_GROUP_SIZE / 4 + 1;
    const uint32_t limits = m->limit_stiffness > 0 ? 128 : 0; /* loops over the axes of a cluster */
    const uint32_t pass = clusters * (q4 + 64 + limits) + fours * (divide_up(m->cluster_count, parts) + 1);
    *each = pass + coordinates * (parts + 4) + total;
    *each += !is_unaccelerated ? (SN_REDUCED_COLUMN_LIMIT + 1) * (total + 4 * coordinates) + 400 : 0;
    *each += is_in_contact ? count_contact_loops(q4, coordinates) : 0;
    const uint32_t finest = 4 * sn_reduced_vec4_count(m->source_count);
    *once = coordinates * (4 * (m->bone_count + m->pair_count) + 16) + clusters * (4 * m->bone_count + 32 + limits) +
            modes * (4 * q4 + 1) + 4 * (m->bone_count + m->pair_count) + total + 64 +
            6 * divide_up(finest, SN_REDUCED_GROUP_SIZE) * (finest + 4) +
            divide_up(m->sample_count, SN_REDUCED_GROUP_SIZE) * (q4 + 1) + total;
    const uint32_t at_rest =
        pass + 64 * clusters + coordinates * (parts + 1); /* rest clusters rotated with the rig; rest forces */
    *once += m->retained.is_posed == 1 ? at_rest : 0;
}

/* Maximum loop iterations of an invocation in one dispatch, over all of its loops. */
static uint32_t loop_limit(const sn_gpu_reduced *r)
{
    const uint32_t limit = sn_gpu_pace_loops(&r->pace, (uint32_t)r->body_count);
    const uint32_t requested = (uint32_t)r->desc.dispatch_loops;
    return requested > 0 && requested < limit ? requested : limit;
}

/* Loop iterations that a step has at least: those of one iteration of the largest model. */
static uint32_t min_step_loops(const sn_gpu_reduced *r)
{
    uint32_t loops = 1;
    for (int i = 0; i < r->body_count; ++i) {
        uint32_t each = 0, once = 0;
        if (r->bodies[i].is_used) {
            count_loops(sn_gpu_reduced_model_of(r, &r->bodies[i]), r->desc.is_unaccelerated, false, &each, &once);
            loops = each + once > loops ? each + once : loops;
        }
    }
    return loops;
}

sn_result sn_gpu_reduced_check_loops(const sn_gpu_reduced *r, const sn_gpu_reduced_model *m)
{
    uint32_t each = 0, once = 0;
    count_loops(m, r->desc.is_unaccelerated, true, &each, &once);
    if (sn_gpu_device_is_software(r->device) && once + each > SN_GPU_SOFTWARE_LOOPS) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "reduced solver: %u bones and %u clusters need %u loop iterations; the limit is %u",
                       m->bone_count, m->cluster_count, once + each, SN_GPU_SOFTWARE_LOOPS);
    }
    return SN_OK;
}

static uint32_t dispatch_iterations(const sn_gpu_reduced *r, bool is_in_contact)
{
    uint32_t min_count = r->desc.dispatch_iterations > 0 ? (uint32_t)r->desc.dispatch_iterations : UINT32_MAX;
    for (int i = 0; i < r->model_count; ++i) {
        uint32_t each = 0, once = 0;
        count_loops(&r->models[i], r->desc.is_unaccelerated, is_in_contact, &each, &once);
        const uint32_t fits = once + each < loop_limit(r) ? (loop_limit(r) - once) / each : 1;
        min_count = fits < min_count ? fits : min_count;
    }
    return min_count;
}

/* Impulses per dispatch of the external force kernel. */
static uint32_t dispatch_impulses(const sn_gpu_reduced *r)
{
    uint32_t min_count = UINT32_MAX;
    for (int i = 0; i < r->model_count; ++i) {
        const sn_gpu_reduced_model *m = &r->models[i];
        const uint32_t q4 = sn_reduced_vec4_count(m->coordinate_count), pairs = (m->bone_count + 1) / 2;
        const uint32_t samples = divide_up(m->sample_count, SN_REDUCED_GROUP_SIZE);
        const uint32_t coordinates = divide_up(4 * q4, SN_REDUCED_GROUP_SIZE);
        const uint32_t at_point =
            samples * (q4 + 8 * pairs + 8 + m->max_delta_count) + coordinates + SN_REDUCED_GROUP_SIZE + 2;
        const uint32_t of_bone =
            samples * ((coordinates + 1) * (SN_REDUCED_GROUP_SIZE + 1) + pairs + 2) + 2 * coordinates;
        const uint32_t each = at_point > of_bone ? at_point : of_bone;
        const uint32_t fits = each < loop_limit(r) ? loop_limit(r) / each : 1;
        min_count = fits < min_count ? fits : min_count;
    }
    return min_count;
}

/* Samples per dispatch of the external force kernel, if all colliders are near: a multiple of the group size. */
static uint32_t dispatch_samples(const sn_gpu_reduced *r, uint32_t collider_count)
{
    const uint32_t tiles = divide_up(collider_count, SN_REDUCED_GROUP_SIZE), candidates = 1 + SN_REDUCED_EXTREMES;
    uint32_t min_count = UINT32_MAX;
    for (int i = 0; i < r->model_count; ++i) {
        const sn_gpu_reduced_model *m = &r->models[i];
        const uint32_t q4 = sn_reduced_vec4_count(m->coordinate_count), pairs = (m->bone_count + 1) / 2;
        const uint32_t position_loops = q4 + 3 * pairs + 2 + m->max_delta_count,
                       lists = 2 * tiles * (SN_REDUCED_GROUP_SIZE + 2);
        const uint32_t own = m->clearance_count > 0 ? 2 * 9 * m->clearance_count + SN_REDUCED_GROUP_SIZE + 2 : 0;
        const uint32_t each = own + lists + 2 * collider_count * (candidates + 1) + 16 * candidates * position_loops;
        const uint32_t coordinates = divide_up(4 * q4, SN_REDUCED_GROUP_SIZE);
        const uint32_t wind = divide_up(m->sample_count, SN_REDUCED_GROUP_SIZE) *
                              (2 * (position_loops + 3 * pairs) + coordinates * (SN_REDUCED_GROUP_SIZE + 2));
        const uint32_t once =
            SN_REDUCED_CONTACT_LIMIT * (2 * q4 + 4 + position_loops) + m->sample_count / 16 * (q4 + 1) + wind + 2000;
        const uint32_t fits = once + each < loop_limit(r) ? (loop_limit(r) - once) / each : 1;
        min_count = fits < min_count ? fits : min_count;
    }
    return SN_REDUCED_GROUP_SIZE * (min_count < UINT32_MAX / SN_REDUCED_GROUP_SIZE ? min_count : 1);
}

static void write_gravity(const sn_gpu_reduced_body *body, const double *pose, float *row)
{
    double acceleration[3] = {0};
    if (!body->has_gravity_at_rest) {
        sn_reduced_relative_gravity(body->gravity, pose, acceleration);
    }
    for (int d = 0; d < 3; ++d) {
        row[d] = (float)acceleration[d];
    }
    row[3] = 0;
}

/* The layout is in shaders/shared/reduced.h. */
static void write_pose(const sn_gpu_reduced_body *body, uint32_t bone_count, float *rows)
{
    for (size_t b = 0; b < bone_count; ++b, rows += 4 * SN_REDUCED_POSE_ROWS) {
        const double *pose = body->pose + 12 * b, *before = body->previous_pose + 12 * b;
        for (int i = 0; i < 12; ++i) {
            rows[i] = (float)pose[i];
            rows[4 * SN_REDUCED_POSE_STEP + i] = (float)(pose[i] - before[i]);
        }
        for (int d = 0; d < 3; ++d) {
            rows[4 * SN_REDUCED_POSE_CENTER + d] = (float)(pose[4 * d + 3] - body->pose[4 * d + 3]);
        }
        rows[4 * SN_REDUCED_POSE_CENTER + 3] = 0;
        write_gravity(body, pose, rows + 4 * SN_REDUCED_POSE_GRAVITY);
    }
}

/* Rows of the change of the morph pairs since the last step, three columns per pair; then the weights. */
static void write_morphs(const sn_gpu_reduced_model *m, const sn_gpu_reduced_body *body, float *rows)
{
    for (size_t i = 0; i < m->pair_count; ++i, rows += 4 * SN_REDUCED_PAIR_ROWS) {
        const double *now = body->morphs + 9 * i, *before = body->previous_morphs + 9 * i;
        for (size_t d = 0; d < 3; ++d) {
            for (size_t k = 0; k < 3; ++k) {
                rows[4 * d + k] = (float)(now[3 * k + d] - before[3 * k + d]);
            }
            rows[4 * d + 3] = 0;
        }
    }
    const size_t morphs = m->delta_count > 0 ? (size_t)m->retained.counts.morph_count : 0;
    for (size_t i = 0; i < morphs; ++i) {
        rows[2 * i] = body->weights[i];
        rows[2 * i + 1] = body->previous_weights[i];
    }
}

/* Approximate movement of the rig in the step, without the translation of its first bone, in model units, as in
 * host/reduced/iterate.c. */
static float rig_movement(const sn_gpu_reduced_body *body, uint32_t bone_count, double diagonal)
{
    double maximum = 0;
    for (size_t b = 0; b < bone_count; ++b) {
        double square = 0;
        for (size_t i = 12 * b; i < 12 * (b + 1); ++i) {
            const double movement = body->pose[i] - body->previous_pose[i];
            const double first_bone_movement = body->pose[i % 12] - body->previous_pose[i % 12];
            const double component = i % 4 < 3 ? movement * diagonal : movement - first_bone_movement;
            square += component * component;
        }
        maximum = fmax(maximum, square);
    }
    return (float)sqrt(maximum);
}

/* A rejection stays set until the next step. */
static void finish_flags(sn_gpu_reduced_body *body, bool is_step)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    body->record.flags &= is_step ? 0 : SN_REDUCED_REJECTED;
    body->has_invalid_morphs &= !is_step;
    memcpy(body->rotation, identity, sizeof identity);
}

/* Writes the body's impulses, grabs and colliders. */
static void write_external_forces(sn_gpu_reduced *r, sn_gpu_reduced_body *body, struct sn_reduced_record *record,
                                  recording *recorded)
{
    const sn_gpu_reduced_colliders *list = body->list >= 0 ? &r->lists[body->list] : NULL;
    record->flags |=
        (body->impulse_count > 0 ? SN_REDUCED_HAS_IMPULSES : 0) | (body->has_wind ? SN_REDUCED_HAS_WIND : 0);
    record->collider = list ? list->first : 0;
    record->collider_count = list ? (uint32_t)list->count : 0;
    record->own_collider_count = 0;
    recorded->next_collider =
        sn_gpu_reduced_write_own_colliders(r, body, recorded->next_collider, recorded->colliders, record);
    record->impulse = SN_REDUCED_IMPULSE_ROWS * recorded->impulse_count;
    record->impulse_count = sn_gpu_reduced_write_impulses(r, body, recorded->impulses + 4 * (size_t)record->impulse);
    recorded->impulse_count += record->impulse_count;
    record->grab = SN_REDUCED_GRAB_ROWS * recorded->impulse_count;
    record->grab_count = sn_gpu_reduced_write_grabs(r, body, recorded->impulses + 4 * (size_t)record->grab);
    recorded->impulse_count += record->grab_count;
    recorded->max_impulses =
        record->impulse_count > recorded->max_impulses ? record->impulse_count : recorded->max_impulses;
    recorded->max_colliders =
        record->collider_count > recorded->max_colliders ? record->collider_count : recorded->max_colliders;
    const bool has_colliders = record->collider_count > 0;
    if (has_colliders && record->sample_count > recorded->max_samples) {
        recorded->max_samples = record->sample_count;
    }
    const bool is_in_contact = has_colliders || record->grab_count > 0;
    recorded->is_in_contact |= is_in_contact;
    recorded->external_pass |= record->flags & (SN_REDUCED_HAS_IMPULSES | SN_REDUCED_HAS_WIND) || is_in_contact;
    sn_gpu_reduced_drop_impulses(r, body);
}

/* The state still has the level of the last recording. */
static void write_level(const sn_gpu_reduced *r, sn_gpu_reduced_body *body, struct sn_reduced_record *record)
{
    const sn_gpu_reduced_model *m = sn_gpu_reduced_model_of(r, body), *before = &r->models[body->previous_model];
    record->flags |= m->used_modes != before->used_modes ? SN_REDUCED_LEVEL_CHANGED : 0;
    record->previous_coordinate_count = before->coordinate_count;
    record->previous_basis = sn_gpu_reduced_basis_of(before);
    body->previous_model = body->model;
}

/* With a volumetric term or contacts, iterations continue beyond the limit until a step lowers the energy. */
static uint32_t max_iteration_count(const struct sn_reduced_record *record)
{
    const bool has_volume = record->volume > 0 || (record->flags & SN_REDUCED_NEO_HOOKEAN) != 0;
    const bool is_guarded = has_volume || record->collider_count + record->grab_count > 0;
    const uint32_t limit = record->iteration_limit;
    return is_guarded && limit < SN_REDUCED_REJECTION_LIMIT ? SN_REDUCED_REJECTION_LIMIT : limit;
}

static void write_body(sn_gpu_reduced *r, sn_gpu_reduced_body *body, recording *recorded)
{
    const sn_gpu_reduced_model *m = sn_gpu_reduced_model_of(r, body);
    const uint32_t bones = m->bone_count, limit = sn_gpu_reduced_affordable_iterations(r, body);
    for (int i = 0; i < 9; ++i) {
        body->record.rotation[i] = (float)body->rotation[i];
    }
    struct sn_reduced_record record = body->record; /* written to mapped memory once, since reads of it may be slow */
    write_level(r, body, &record);
    record.flags |= limit < record.iteration_limit ? SN_REDUCED_BUDGET_LIMITED : 0;
    record.iteration_limit = limit;
    record.flags |= body->has_invalid_morphs ? SN_REDUCED_REJECTED : 0;
    record.flags |= body->is_neo_hookean ? SN_REDUCED_NEO_HOOKEAN : 0;
    record.flags |= m->retained.is_posed == 1 ? SN_REDUCED_POSED : 0;
    record.flags |= sn_model_is_flat(&m->retained) ? SN_REDUCED_FLAT : 0;
    record.flags |= m->has_decay ? SN_REDUCED_HAS_DECAY : 0;
    record.rig_displacement = rig_movement(body, bones, m->diagonal);
    write_pose(body, bones, recorded->poses + 4 * (size_t)record.pose);
    write_morphs(m, body, recorded->poses + 4 * (size_t)(record.pose + SN_REDUCED_POSE_ROWS * bones));
    if (recorded->is_step) {
        write_external_forces(r, body, &record, recorded);
    }
    recorded->records[recorded->body_count++] = record;
    finish_flags(body, recorded->is_step);
    if (recorded->is_step) {
        memcpy(body->previous_pose, body->pose, 12 * (size_t)bones * sizeof(double));
        sn_gpu_reduced_advance_morphs(r, body);
    }
    const uint32_t maximum = max_iteration_count(&record);
    recorded->iterations = maximum > recorded->iterations ? maximum : recorded->iterations;
    recorded->is_timed |= recorded->is_step && body->budget > 0;
}

/* This recording's part of a stream buffer with rows of four floats. */
static float *part_of(const sn_gpu_reduced *r, int binding, uint32_t first)
{
    return (float *)r->buffers[binding].mapped + 4 * (size_t)first;
}

static recording write_bodies(sn_gpu_reduced *r, bool is_step, double fraction)
{
    const uint32_t part = (uint32_t)(r->recording_count++ % (uint64_t)r->desc.recording_limit);
    recording recorded = {.is_step = is_step,
                          .part = part,
                          .constants = {.first_record = part * r->record_capacity,
                                        .first_pose = part * r->pose_capacity,
                                        .first_impulse = part * r->impulse_capacity * SN_REDUCED_IMPULSE_ROWS,
                                        .first_collider = part * r->collider_capacity * SN_REDUCED_COLLIDER_ROWS,
                                        .fraction = (float)fraction}};
    if (r->body_count == 0) {
        return recorded;
    }
    sn_gpu_reduced_read_time(r, part);
    recorded.records =
        (struct sn_reduced_record *)r->buffers[SN_REDUCED_RECORDS].mapped + recorded.constants.first_record;
    recorded.poses = part_of(r, SN_REDUCED_POSES, recorded.constants.first_pose);
    recorded.impulses = part_of(r, SN_REDUCED_IMPULSES, recorded.constants.first_impulse);
    if (is_step) {
        recorded.colliders = part_of(r, SN_REDUCED_COLLIDERS, recorded.constants.first_collider);
        recorded.next_collider = sn_gpu_reduced_write_colliders(r, recorded.colliders);
    }
    for (int i = 0; i < r->body_count; ++i) {
        if (r->bodies[i].is_used) {
            write_body(r, &r->bodies[i], &recorded);
        }
    }
    return recorded;
}

static void dispatch(const sn_gpu_reduced *r, VkCommandBuffer commands, VkPipeline pipeline, const recording *recorded)
{
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(commands, r->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof recorded->constants,
                       &recorded->constants);
    vkCmdDispatch(commands, recorded->body_count, 1, 1);
}

/* Records the external forces: dispatches for groups of impulses, then for wind and contacts of groups of samples. */
static void record_external_forces(const sn_gpu_reduced *r, VkCommandBuffer commands, recording *recorded)
{
    sn_gpu_reduced_constants *constants = &recorded->constants;
    const uint32_t maximum = dispatch_impulses(r);
    constants->external_pass = SN_REDUCED_EXTERNAL_FIRST;
    while (constants->last_iteration < recorded->max_impulses) {
        constants->first_iteration = constants->last_iteration;
        constants->last_iteration += maximum;
        dispatch(r, commands, r->external_pipeline, recorded);
        constants->external_pass = SN_REDUCED_EXTERNAL_LATER;
    }
    constants->first_iteration = constants->last_iteration = 0;
    const uint32_t samples = dispatch_samples(r, recorded->max_colliders);
    do {
        constants->first_sample = constants->last_sample;
        constants->last_sample =
            recorded->max_samples - constants->first_sample > samples ? constants->first_sample + samples : UINT32_MAX;
        dispatch(r, commands, r->external_pipeline, recorded);
        constants->external_pass = SN_REDUCED_EXTERNAL_LATER;
    } while (constants->last_sample < recorded->max_samples);
}

static void record(sn_gpu_reduced *r, VkCommandBuffer commands, bool is_step, double fraction)
{
    recording recorded = write_bodies(r, is_step, fraction);
    sn_gpu_reduced_constants *constants = &recorded.constants;
    if (recorded.body_count == 0) {
        return;
    }
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->layout, 0, 1, &r->set.handle, 0, NULL);
    if (recorded.is_timed) {
        sn_gpu_reduced_record_time_begin(r, commands, recorded.part);
    }
    if (is_step) {
        sn_gpu_pace_begin(&r->pace, commands, recorded.part);
    } else {
        dispatch(r, commands, r->step_pipeline, &recorded);
    }
    if (recorded.external_pass) {
        record_external_forces(r, commands, &recorded);
    }
    const uint32_t maximum = dispatch_iterations(r, recorded.is_in_contact);
    while (is_step && constants->last_iteration < recorded.iterations) {
        const uint32_t remaining = recorded.iterations - constants->last_iteration;
        constants->first_iteration = constants->last_iteration;
        constants->last_iteration += remaining < maximum ? remaining : maximum;
        dispatch(r, commands, r->step_pipeline, &recorded);
    }
    if (is_step) {
        sn_gpu_pace_end(&r->pace, commands, recorded.part, min_step_loops(r), recorded.body_count);
    }
    if (recorded.is_timed) {
        sn_gpu_reduced_record_time_end(r, commands, recorded.part);
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
