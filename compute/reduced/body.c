/* SPDX-License-Identifier: MIT */
/* Bodies: added, removed, posed, moved. All changes reach the device with the next recording. */
#include <math.h>
#include <string.h>

#include "compute/reduced/private.h"
#include "host/math/affine.h"

#define MAX_DISTANCE 100.0 /* in diagonals; flesh further away has exploded */
#define COLUMN_COUNT 5     /* columns of Anderson acceleration without a volumetric term */

/* Null is the bind pose. Returns false and writes nothing if the pose is not finite in float. */
static bool copy_pose(const double *pose, uint32_t bone_count, double *copy)
{
    for (size_t i = 0; pose && i < 12 * (size_t)bone_count; ++i) {
        if (!isfinite((float)pose[i])) {
            return false;
        }
    }
    for (size_t b = 0; b < bone_count; ++b) {
        if (pose) {
            memcpy(copy + 12 * b, pose + 12 * b, 12 * sizeof(double));
        } else {
            sn_affine_identity(copy + 12 * b);
        }
    }
    return true;
}

static bool is_desc_valid(const sn_solver_desc *desc)
{
    return isfinite(desc->time_step) && (float)(desc->time_step * desc->time_step) > 0 && desc->time_step > 0 &&
           isfinite(desc->stiffness) && desc->stiffness >= 0 && isfinite(desc->damping) && desc->damping >= 0 &&
           isfinite(desc->gravity[0]) && isfinite(desc->gravity[1]) && isfinite(desc->gravity[2]) &&
           desc->iteration_limit >= 1 && isfinite(desc->tolerance) && desc->tolerance >= 0 &&
           isfinite(desc->budget_seconds) && desc->budget_seconds >= 0;
}

/* Neo-Hookean flesh needs the energy guard of the accelerated iteration. */
static sn_result check_material(const sn_gpu_reduced *r, const sn_gpu_reduced_model *m, bool is_neo_hookean)
{
    if (is_neo_hookean && (r->desc.is_unaccelerated || sn_model_is_flat(&m->retained))) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "reduced solver: %s",
                       r->desc.is_unaccelerated ? "Neo-Hookean flesh requires acceleration"
                                                : "flat bodies are not Neo-Hookean in this version");
    }
    return SN_OK;
}

static void choose_columns(const sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    const sn_gpu_reduced_model *source = &r->models[sn_gpu_reduced_model_of(r, body)->source];
    const bool has_volume = body->is_neo_hookean || source->volume > 0;
    body->record.column_limit = r->desc.is_unaccelerated ? 0 : has_volume ? SN_REDUCED_COLUMN_LIMIT : COLUMN_COUNT;
}

sn_result sn_gpu_reduced_set_parameters(sn_gpu_reduced *r, int index, const sn_solver_desc *desc)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const double h = desc->time_step, diagonal = sn_gpu_reduced_model_of(r, body)->diagonal;
    if (!is_desc_valid(desc)) {
        return sn_fail(SN_ERROR_ARGUMENT, "reduced solver: a parameter is not finite or out of its range");
    }
    sn_result result = check_material(r, sn_gpu_reduced_model_of(r, body), desc->is_neo_hookean);
    if (result == SN_OK && desc->budget_seconds > 0) {
        result = sn_gpu_reduced_create_budget(r);
    }
    if (result != SN_OK) {
        return result;
    }
    body->is_neo_hookean = desc->is_neo_hookean;
    body->is_without_bone_colliders = desc->is_without_bone_colliders;
    body->has_gravity_at_rest = desc->has_gravity_at_rest;
    choose_columns(r, body);
    body->budget = desc->budget_seconds;
    body->record.step = (float)h;
    body->record.step2 = (float)(h * h);
    body->record.stiffness = (float)desc->stiffness;
    body->stiffness = desc->stiffness;
    body->time_step = h;
    body->record.retained = (float)exp(-desc->damping * h);
    body->record.tolerance = (float)(desc->tolerance * diagonal);
    body->record.diagonal = (float)diagonal;
    body->record.max_distance = (float)(MAX_DISTANCE * diagonal);
    body->record.iteration_limit = (uint32_t)desc->iteration_limit;
    for (int d = 0; d < 3; ++d) {
        body->gravity[d] = desc->gravity[d];
        body->record.gravity[d] = desc->has_gravity_at_rest ? (float)desc->gravity[d] : 0;
    }
    sn_gpu_reduced_update_grabs(r, body);
    sn_gpu_reduced_reserve_own_colliders(r, body);
    return SN_OK;
}

void sn_gpu_reduced_set_amount(sn_gpu_reduced *r, int body, double amount)
{
    sn_gpu_reduced_find(r, body)->record.amount = (float)amount;
}

/* Grows all buffers but the models'. The buffers of impulses, colliders and contacts are created here and grow
 * elsewhere. */
static sn_result reserve_buffers(sn_gpu_reduced *r, uint32_t body_count, const sn_gpu_reduced_usage *extent)
{
    const VkDeviceSize recordings = (VkDeviceSize)r->desc.recording_limit;
    const VkDeviceSize record_bytes = recordings * sizeof(struct sn_reduced_record);
    const VkDeviceSize pose_bytes = recordings * SN_REDUCED_VEC4_BYTES;
    const VkDeviceSize sizes[SN_REDUCED_BINDING_COUNT] = {
        [SN_REDUCED_RECORDS] = body_count * record_bytes,
        [SN_REDUCED_POSES] = extent->pose_vec4s * pose_bytes,
        [SN_REDUCED_STATES] = extent->state_floats * sizeof(float),
        [SN_REDUCED_HISTORIES] = extent->history_floats * sizeof(float),
        [SN_REDUCED_MATRICES] = extent->matrix_vec4s * SN_REDUCED_VEC4_BYTES,
        [SN_REDUCED_STATUSES] = body_count * sizeof(struct sn_reduced_status)};
    for (int i = SN_REDUCED_RECORDS; i < SN_REDUCED_BINDING_COUNT; ++i) {
        SN_TRY(sn_gpu_reduced_enlarge(r, i, sizes[i]));
    }
    r->record_capacity = (uint32_t)(r->buffers[SN_REDUCED_RECORDS].size / record_bytes);
    r->pose_capacity = (uint32_t)(r->buffers[SN_REDUCED_POSES].size / pose_bytes);
    return SN_OK;
}

static int find_free_slot(const sn_gpu_reduced *r, int model)
{
    int body = 0;
    while (body < r->body_count && (r->bodies[body].is_used ||
                                    sn_gpu_reduced_model_of(r, &r->bodies[body])->source != r->models[model].source)) {
        ++body;
    }
    return body;
}

static struct sn_reduced_record first_record(const sn_gpu_reduced *r, const sn_gpu_reduced_model *m)
{
    return (struct sn_reduced_record){.body = (uint32_t)r->body_count,
                                      .pose = r->used.pose_vec4s,
                                      .matrices = r->used.matrix_vec4s,
                                      .state = r->used.state_floats,
                                      .history = r->used.history_floats,
                                      .bone_count = m->bone_count,
                                      .mode_count = m->mode_count,
                                      .sample_count = m->sample_count,
                                      .influence_count = m->influence_count,
                                      .pair_count = m->pair_count,
                                      .delta_count = m->delta_count,
                                      .clearance_count = m->clearance_count,
                                      .source_count = m->source_count};
}

void sn_gpu_reduced_set_level(sn_gpu_reduced *r, int index, int level)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    SN_ASSERT(level >= 0 && level < r->model_count);
    const sn_gpu_reduced_model *m = &r->models[level];
    SN_ASSERT(m->source == sn_gpu_reduced_model_of(r, body)->source);
    body->model = level;
    body->record.model = m->first;
    body->record.coordinate_count = m->coordinate_count;
    body->record.cluster_count = m->cluster_count;
    choose_columns(r, body);
    body->record.volume = (float)m->volume;
    body->record.limit_stiffness = (float)m->limit_stiffness;
    body->record.basis = sn_gpu_reduced_basis_of(m);
    sn_gpu_reduced_update_grabs(r, body);
}

static sn_result reserve_body(sn_gpu_reduced *r, const sn_gpu_reduced_usage *extent)
{
    const uint32_t body_count = (uint32_t)r->body_count + 1;
    if (body_count > r->device->properties.limits.maxComputeWorkGroupCount[0]) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "the device supports at most %d bodies", r->body_count);
    }
    sn_gpu_reduced_body *grown = sn_grow(r->bodies, r->body_count, &r->body_capacity, sizeof *r->bodies);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    r->bodies = grown;
    return reserve_buffers(r, body_count, extent);
}

/* Allocates for every level of detail and material. */
static sn_result append_body(sn_gpu_reduced *r, int model)
{
    const sn_gpu_reduced_model *m = &r->models[r->models[model].source];
    const size_t bones = m->bone_count, pairs = m->pair_count;
    const uint32_t history_floats =
        r->desc.is_unaccelerated ? 0 : sn_reduced_history_layout_of(m->coordinate_count, SN_REDUCED_COLUMN_LIMIT).size;
    const sn_gpu_reduced_usage extent = {r->used.state_floats + sn_gpu_reduced_state_of(m).size,
                                         r->used.history_floats + history_floats,
                                         r->used.matrix_vec4s + 3 * (m->bone_count + m->mode_count),
                                         r->used.pose_vec4s + SN_REDUCED_POSE_ROWS * m->bone_count +
                                             SN_REDUCED_PAIR_ROWS * m->pair_count + sn_gpu_reduced_weight_rows(m)};
    const sn_result result = reserve_body(r, &extent);
    double *pose = result == SN_OK ? sn_alloc(sn_gpu_reduced_pose_size(m), sizeof *pose) : NULL;
    if (!pose) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    double *fields = pose + 24 * bones + 18 * pairs;
    float *weights =
        (float *)(void *)(fields + m->retained.counts.morph_field_count); /* counted as two weights per double */
    r->bodies[r->body_count] = (sn_gpu_reduced_body){.model = model,
                                                     .record = first_record(r, m),
                                                     .pose = pose,
                                                     .previous_pose = pose + 12 * bones,
                                                     .morphs = pose + 24 * bones,
                                                     .previous_morphs = pose + 24 * bones + 9 * pairs,
                                                     .fields = fields,
                                                     .weights = weights,
                                                     .previous_weights = weights + m->retained.counts.morph_count,
                                                     .list = -1};
    ++r->body_count;
    r->used = extent;
    return SN_OK;
}

static const sn_model *source_model(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body)
{
    return &r->models[sn_gpu_reduced_model_of(r, body)->source].retained;
}

static void set_weights(const sn_gpu_reduced *r, sn_gpu_reduced_body *body, const float *weights)
{
    const sn_model *retained = source_model(r, body);
    memcpy(body->weights, weights, (size_t)retained->counts.morph_count * sizeof *weights);
    sn_model_morph_fields(retained, weights, body->fields);
}

void sn_gpu_reduced_advance_morphs(const sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    const sn_model_counts *c = &source_model(r, body)->counts;
    memcpy(body->previous_morphs, body->morphs, 9 * (size_t)c->morph_pair_count * sizeof(double));
    memcpy(body->previous_weights, body->weights, (size_t)c->morph_count * sizeof(float));
}

sn_result sn_gpu_reduced_add_body(sn_gpu_reduced *r, int model, const sn_solver_desc *desc, const double *pose,
                                  int *index)
{
    SN_ASSERT(model >= 0 && model < r->model_count);
    const int body = find_free_slot(r, model);
    sn_result result = body < r->body_count ? SN_OK : append_body(r, model);
    if (result == SN_OK) {
        result = sn_gpu_reduced_bind(r);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_reduced_body *added = &r->bodies[body];
    added->is_used = true;
    sn_gpu_reduced_set_level(r, body, model);
    added->previous_model = model;
    added->record.amount = 1;
    added->record.flags = SN_REDUCED_ADDED;
    added->has_wind = added->has_invalid_morphs = false;
    set_weights(r, added, r->models[r->models[model].source].retained.morph_default_weights);
    sn_gpu_reduced_reset(r, body, pose);
    result = sn_gpu_reduced_set_parameters(r, body, desc);
    if (result == SN_OK && (added->record.flags & SN_REDUCED_REJECTED)) {
        result = sn_fail(SN_ERROR_ARGUMENT, "reduced solver: the initial pose of a body is not finite");
    }
    added->is_used = result == SN_OK;
    sn_gpu_reduced_update_own_colliders(r, added);
    *index = body;
    return result;
}

void sn_gpu_reduced_remove_body(sn_gpu_reduced *r, int body)
{
    sn_gpu_reduced_body *removed = sn_gpu_reduced_find(r, body);
    sn_gpu_reduced_drop_impulses(r, removed);
    sn_gpu_reduced_drop_grabs(r, removed);
    removed->is_used = false;
    sn_gpu_reduced_release_colliders(r, removed);
}

static void find_morph_rows(const sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    const sn_model *retained = source_model(r, body);
    sn_morph_pair_rows(retained->morph_pairs, retained->counts.morph_pair_count, body->pose, body->fields,
                       body->morphs);
}

void sn_gpu_reduced_set_morphs(sn_gpu_reduced *r, int index, const float *weights)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    bool is_valid = true;
    for (int m = 0; m < source_model(r, body)->counts.morph_count; ++m) {
        is_valid &= isfinite(weights[m]) != 0;
    }
    if (is_valid) {
        set_weights(r, body, weights);
        find_morph_rows(r, body);
    }
    body->has_invalid_morphs |= !is_valid;
}

void sn_gpu_reduced_set_pose(sn_gpu_reduced *r, int index, const double *pose)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const uint32_t bones = sn_gpu_reduced_model_of(r, body)->bone_count;
    body->record.flags &= ~(uint32_t)SN_REDUCED_REJECTED;
    if (!copy_pose(pose, bones, body->pose)) {
        memcpy(body->pose, body->previous_pose, 12 * (size_t)bones * sizeof(double));
        body->record.flags |= SN_REDUCED_REJECTED;
        memcpy(body->morphs, body->previous_morphs, 9 * (size_t)body->record.pair_count * sizeof(double));
    } else {
        find_morph_rows(r, body);
    }
}

static void clear_rotation(sn_gpu_reduced_body *body)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(body->rotation, identity, sizeof identity);
}

/* A body that was just added keeps its SN_REDUCED_ADDED flag. */
void sn_gpu_reduced_reset(sn_gpu_reduced *r, int index, const double *pose)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const uint32_t bones = sn_gpu_reduced_model_of(r, body)->bone_count;
    sn_gpu_reduced_set_pose(r, index, pose);
    memcpy(body->previous_pose, body->pose, 12 * (size_t)bones * sizeof(double));
    sn_gpu_reduced_advance_morphs(r, body);
    body->record.flags = (body->record.flags & ~(uint32_t)SN_REDUCED_ROTATED) | SN_REDUCED_RESET;
    sn_gpu_reduced_drop_impulses(r, body);
    sn_gpu_reduced_drop_grabs(r, body);
    clear_rotation(body);
}

static void move_pose(const double *transform, uint32_t bone_count, double *pose)
{
    for (size_t b = 0; b < bone_count; ++b) {
        double moved[12];
        sn_affine_multiply(transform, pose + 12 * b, moved);
        memcpy(pose + 12 * b, moved, sizeof moved);
    }
}

static void rotate_morphs(const double *transform, uint32_t pair_count, double *rows)
{
    for (size_t i = 0; i < 3 * (size_t)pair_count; ++i, rows += 3) {
        const double x = rows[0], y = rows[1], z = rows[2];
        for (int d = 0; d < 3; ++d) {
            rows[d] = transform[4 * d] * x + transform[4 * d + 1] * y + transform[4 * d + 2] * z;
        }
    }
}

void sn_gpu_reduced_teleport(sn_gpu_reduced *r, int index, const double *transform)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const uint32_t bones = sn_gpu_reduced_model_of(r, body)->bone_count;
    double rotation[9];
    for (int i = 0; i < 9; ++i) {
        const double *row = transform + 4 * (i / 3), *column = body->rotation + i % 3;
        rotation[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
    memcpy(body->rotation, rotation, sizeof rotation);
    body->record.flags |= SN_REDUCED_ROTATED;
    move_pose(transform, bones, body->pose);
    move_pose(transform, bones, body->previous_pose);
    rotate_morphs(transform, body->record.pair_count, body->morphs);
    rotate_morphs(transform, body->record.pair_count, body->previous_morphs);
    sn_gpu_reduced_move_impulses(body, transform);
    sn_grabs_transform(body->grabs, transform);
}

const sn_gpu_buffer *sn_gpu_reduced_matrices(const sn_gpu_reduced *r)
{
    return &r->buffers[SN_REDUCED_MATRICES];
}

const sn_gpu_buffer *sn_gpu_reduced_statuses(const sn_gpu_reduced *r)
{
    return &r->buffers[SN_REDUCED_STATUSES];
}

uint32_t sn_gpu_reduced_first_matrix(const sn_gpu_reduced *r, int body)
{
    return sn_gpu_reduced_find(r, body)->record.matrices / 3;
}
