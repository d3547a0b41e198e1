/* SPDX-License-Identifier: MIT */
#include "tools/simulation/device_body.h"

#include <string.h>

#include "compute/core/commands.h"
#include "host/math/affine.h"
#include "host/platform/platform.h"
#include "tools/simulation/loop_jump.h"

static void find_morph_rows(const sn_device_body *d, const sn_rig_pose *pose, double *rows)
{
    sn_model_morph_fields(d->model, pose->morphs, d->fields);
    sn_morph_pair_rows(d->model->morph_pairs, d->model->counts.morph_pair_count, pose->bones, d->fields, rows);
}

static sn_result allocate(sn_device_body *d, const sn_rig_pose *pose, sn_arena *arena)
{
    const size_t bones = 12 * (size_t)d->model->counts.bone_count;
    const size_t pairs = 9 * (size_t)d->model->counts.morph_pair_count;
    const size_t coordinates = 3 * (size_t)d->model->counts.coordinate_count;
    d->pose = SN_NEW(arena, double, bones);
    d->pose_before = SN_NEW(arena, double, bones);
    d->morphs = SN_NEW(arena, double, pairs);
    d->morphs_before = SN_NEW(arena, double, pairs);
    d->fields = SN_NEW(arena, double, d->model->counts.morph_field_count);
    d->coordinates = SN_NEW(arena, double, coordinates);
    d->velocity = SN_NEW(arena, double, coordinates);
    if (!d->pose || !d->pose_before || !d->morphs || !d->morphs_before || !d->fields || !d->coordinates ||
        !d->velocity) {
        return SN_ERROR_MEMORY;
    }
    memcpy(d->pose, pose->bones, bones * sizeof(double));
    find_morph_rows(d, pose, d->morphs);
    return SN_OK;
}

static sn_result add_body(sn_device_body *d, const sn_simulation_parameters *parameters, const sn_rig_pose *pose)
{
    sn_solver_desc desc = {.time_step = parameters->time_step,
                           .stiffness = parameters->stiffness,
                           .damping = parameters->damping,
                           .tolerance = parameters->tolerance,
                           .iteration_limit = parameters->iterations,
                           .budget_seconds = 1e-6 * parameters->budget,
                           .is_neo_hookean = parameters->is_neo_hookean,
                           .is_without_bone_colliders = parameters->is_without_bone_colliders,
                           .has_gravity_at_rest = parameters->has_gravity_at_rest};
    int index = 0;
    memcpy(desc.gravity, parameters->gravity, sizeof desc.gravity);
    SN_TRY(sn_gpu_reduced_add_model(d->reduced, d->model, &index));
    SN_TRY(sn_gpu_reduced_add_level(d->reduced, index, d->model, parameters->modes_used, parameters->cluster_level,
                                    &index));
    SN_TRY(sn_gpu_reduced_add_body(d->reduced, index, &desc, pose->bones, &d->body));
    sn_gpu_reduced_set_morphs(d->reduced, d->body, pose->morphs);
    sn_gpu_reduced_reset(d->reduced, d->body, pose->bones);
    sn_gpu_reduced_set_amount(d->reduced, d->body, parameters->amount);
    return SN_OK;
}

sn_result sn_device_body_open(sn_device_body *d, sn_gpu_device *device, const sn_model *model,
                              const sn_simulation_parameters *parameters, const sn_rig_pose *pose, sn_arena *arena)
{
    sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
    desc.recording_limit = SN_DEVICE_STEP_LIMIT;
    d->device = device;
    d->model = model;
    d->time_step = parameters->time_step;
    SN_TRY(sn_reduced_view_build(model, parameters->modes_used, parameters->cluster_level, arena, &d->view));
    SN_TRY(allocate(d, pose, arena));
    SN_TRY(sn_gpu_timer_create(device, "step timer", SN_DEVICE_STEP_LIMIT, &d->timer));
    SN_TRY(sn_gpu_reduced_create(device, &desc, &d->reduced));
    return add_body(d, parameters, pose);
}

void sn_device_body_close(sn_device_body *d)
{
    sn_gpu_reduced_destroy(&d->reduced);
    if (d->device) {
        sn_gpu_timer_destroy(d->device, &d->timer);
    }
}

/* Transforms a vector in place. */
static void rotate_vector(const double *m, double *vector)
{
    const double x = vector[0], y = vector[1], z = vector[2];
    for (int d = 0; d < 3; ++d) {
        vector[d] = m[4 * d] * x + m[4 * d + 1] * y + m[4 * d + 2] * z;
    }
}

void sn_device_body_apply_loop_jump(sn_device_body *d, const sn_loop *loop, const sn_rig_pose *pose)
{
    const int bones = d->model->counts.bone_count;
    if (loop->type != SN_LOOP_TELEPORT) {
        sn_gpu_reduced_set_morphs(d->reduced, d->body, pose->morphs);
        sn_gpu_reduced_reset(d->reduced, d->body, pose->bones);
        memcpy(d->pose, pose->bones, 12 * (size_t)bones * sizeof(double));
        find_morph_rows(d, pose, d->morphs);
        return;
    }
    double jump[12];
    sn_loop_jump_transform(loop, jump);
    sn_gpu_reduced_teleport(d->reduced, d->body, jump);
    for (int row = 0; row < 3 * d->model->counts.morph_pair_count; ++row) {
        rotate_vector(jump, d->morphs + 3 * (size_t)row);
    }
    for (int bone = 0; bone < bones; ++bone) {
        double before[12];
        memcpy(before, d->pose + 12 * (size_t)bone, sizeof before);
        sn_affine_multiply(jump, before, d->pose + 12 * (size_t)bone);
    }
}

static sn_result submit(sn_device_body *d, uint64_t *value)
{
    const uint32_t span = d->step_count % SN_DEVICE_STEP_LIMIT;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const sn_result result = sn_gpu_begin(d->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_timer_begin(&d->timer, commands, span);
    sn_gpu_reduced_record_step(d->reduced, commands, 1);
    sn_gpu_timer_end(&d->timer, commands, span);
    ++d->step_count;
    return sn_gpu_submit(d->device, commands, value);
}

static sn_result add_grids(sn_device_body *d, const sn_surroundings *surroundings)
{
    for (int i = 0; i < surroundings->collider_count; ++i) {
        if (surroundings->colliders[i].shape == SN_COLLIDER_GRID) {
            SN_TRY(sn_gpu_reduced_add_grid(d->reduced, surroundings->colliders[i].grid));
        }
    }
    return SN_OK;
}

/* Uploads the target pose of the next step, and the wind and colliders. */
static sn_result set_next(sn_device_body *d, const sn_rig_pose *pose, const sn_surroundings *surroundings)
{
    const sn_result result = d->step_count == 0 ? add_grids(d, surroundings) : SN_OK;
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_reduced_set_morphs(d->reduced, d->body, pose->morphs);
    sn_gpu_reduced_set_pose(d->reduced, d->body, pose->bones);
    sn_gpu_reduced_set_surroundings(d->reduced, d->body, surroundings);
    return SN_OK;
}

sn_result sn_device_body_submit(sn_device_body *d, const sn_rig_pose *pose, const sn_surroundings *surroundings)
{
    SN_TRY(set_next(d, pose, surroundings));
    return submit(d, NULL);
}

sn_result sn_device_body_milliseconds(sn_device_body *d, uint32_t step, double *milliseconds)
{
    double seconds = 0;
    const sn_result result = sn_gpu_timer_read(d->device, &d->timer, step % SN_DEVICE_STEP_LIMIT, &seconds);
    *milliseconds = 1e3 * seconds;
    return result;
}

static sn_result run_step(sn_device_body *d)
{
    uint64_t value = 0;
    SN_TRY(submit(d, &value));
    return sn_gpu_wait(d->device, value);
}

sn_result sn_device_body_step(sn_device_body *d, const sn_rig_pose *pose, const sn_surroundings *surroundings,
                              sn_reduced_report *report)
{
    const size_t pose_bytes = 12 * (size_t)d->model->counts.bone_count * sizeof(double);
    const size_t morph_bytes = 9 * (size_t)d->model->counts.morph_pair_count * sizeof(double);
    sn_gpu_reduced_reading reading = {.coordinates = d->coordinates, .velocity = d->velocity};
    const double start = sn_now();
    sn_result result = set_next(d, pose, surroundings);
    if (result == SN_OK) {
        result = run_step(d);
    }
    d->milliseconds = 1e3 * (sn_now() - start);
    if (result == SN_OK) {
        result = sn_gpu_reduced_read(d->reduced, d->body, &reading);
    }
    if (result == SN_OK) {
        *report = (sn_reduced_report){.iteration_count = reading.iteration_count,
                                      .change = reading.change,
                                      .is_converged = reading.is_converged,
                                      .is_over_budget = reading.is_over_budget,
                                      .is_recovered = reading.recovery_count > d->recovery_count};
        d->recovery_count = reading.recovery_count;
        memcpy(d->pose_before, report->is_recovered ? pose->bones : d->pose, pose_bytes);
        memcpy(d->pose, pose->bones, pose_bytes);
        memcpy(d->morphs_before, d->morphs, morph_bytes);
        find_morph_rows(d, pose, d->morphs);
        memcpy(d->morphs_before, report->is_recovered ? d->morphs : d->morphs_before, morph_bytes);
    }
    return result;
}

/* Row 4 b + k of the rig, a column of a bone's transform, as the change between the last two poses. */
static void rig_motion(const sn_device_body *d, int row, double *motion)
{
    for (int axis = 0; axis < 3; ++axis) {
        const int at = row / 4 * 12 + 4 * axis + row % 4;
        motion[axis] = d->pose[at] - d->pose_before[at];
    }
}

/* sum (3) += scale values (3) */
static void add_scaled(double scale, const double *values, double *sum)
{
    for (int axis = 0; axis < 3; ++axis) {
        sum[axis] += scale * values[axis];
    }
}

static void morph_motion(const sn_device_body *d, int row, double *motion)
{
    for (int axis = 0; axis < 3; ++axis) {
        motion[axis] = d->morphs[3 * row + axis] - d->morphs_before[3 * row + axis];
    }
}

/* m^T E^T M (2 V dZ + 2 Jc dP + E m), where m is the motion of the morph targets' rows. */
static double sum_morphs(const sn_device_body *d)
{
    const sn_model *m = &d->view.model;
    const int coordinates = m->counts.coordinate_count, columns = 4 * m->counts.bone_count;
    const int morphs = 3 * m->counts.morph_pair_count;
    double sum = 0;
    for (int i = 0; i < morphs; ++i) {
        const double *row = m->morph_mass + (size_t)i * (size_t)(columns + morphs);
        double motion[3], other[3], force[3] = {0, 0, 0};
        for (int k = 0; k < coordinates; ++k) {
            add_scaled(2 * m->morph_cross[k * morphs + i], d->velocity + 3 * (size_t)k, force);
        }
        for (int column = 0; column < columns; ++column) {
            rig_motion(d, column, other);
            add_scaled(2 * row[column], other, force);
        }
        for (int k = 0; k < morphs; ++k) {
            morph_motion(d, k, other);
            add_scaled(row[columns + k], other, force);
        }
        morph_motion(d, i, motion);
        sum += force[0] * motion[0] + force[1] * motion[1] + force[2] * motion[2];
    }
    return sum;
}

/* Since V^T M V = 1: |dZ|^2 + 2 dZ . M_J dP + dP . Jc^T M Jc dP, plus the terms of the morph targets. */
double sn_device_body_kinetic(const sn_device_body *d)
{
    const sn_model *m = &d->view.model;
    const int coordinates = m->counts.coordinate_count, columns = 4 * m->counts.bone_count;
    double moved = sum_morphs(d);
    for (int i = 0; i < 3 * coordinates; ++i) {
        moved += d->velocity[i] * d->velocity[i];
    }
    for (int column = 0; column < columns; ++column) {
        double motion[3], other[3], force[3] = {0, 0, 0};
        rig_motion(d, column, motion);
        for (int i = 0; i < coordinates; ++i) {
            add_scaled(2 * m->mass_cross[i * columns + column], d->velocity + 3 * (size_t)i, force);
        }
        for (int row = 0; row < columns; ++row) {
            rig_motion(d, row, other);
            add_scaled(m->mass_bone[row * columns + column], other, force);
        }
        moved += force[0] * motion[0] + force[1] * motion[1] + force[2] * motion[2];
    }
    return 0.5 * moved / (d->time_step * d->time_step);
}
