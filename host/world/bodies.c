/* SPDX-License-Identifier: MIT */
/* Bodies of a world: slots, parameters and poses. */
#include <math.h>
#include <string.h>

#include "host/model/model.h"
#include "host/world/backend.h"
#include "host/world/embedded_flesh.h"
#include "host/world/inspect.h"
#include "host/world/record.h"
#include "host/world/store.h"

sn_body_desc sn_default_body_desc(void)
{
    return (sn_body_desc){.stiffness = 1,
                          .amount = 1,
                          .spring_wind_area = 1,
                          .iteration_limit = 30,
                          .tolerance = 1e-5,
                          .substep_count = 15,
                          .sweep_count = 1,
                          .mass = 1,
                          .poisson = 0.4,
                          .consolidation_sweep_count = 6};
}

bool sn_body_is_valid(sn_body_id body)
{
    return sn_body_try_get(body) != NULL;
}

const sn_model *sn_body_model(sn_body_id body)
{
    return sn_body_get(body)->desc.model;
}

/* ---- bodies ---- */

void sn_body_slot_output(const sn_world *w, sn_body_slot *slot)
{
    const double *pose = sn_body_slot_displayed_pose(slot, w->display_fraction);
    for (int i = 0; i < 12 * slot->bone_count; ++i) {
        slot->matrices[i] = (float)pose[i];
    }
    if (w->backend_world) {
        w->desc.backend->body_set_output(slot->body, pose, slot->desc.amount);
    } else if (slot->table->body_bones) { /* this solver has no modes; their matrices stay zero */
        slot->table->body_bones(slot->body, w->display_fraction, slot->matrices);
    } else {
        slot->table->body_modes(slot->body, sn_world_mode_fraction(w), slot->desc.amount,
                                slot->matrices + 12 * (size_t)slot->bone_count);
    }
    sn_body_slot_update_embedding(slot, w->display_fraction);
}

static void set_identity(double *pose, int bone_count)
{
    for (int i = 0; i < 12 * bone_count; ++i) {
        pose[i] = i % 12 % 5 == 0 ? 1 : 0;
    }
}

void sn_body_slot_free(sn_body_slot *slot)
{
    const size_t bones = (size_t)slot->bone_count;
    sn_body_slot_free_springs(slot);
    sn_free(slot->pose_before, bones, 12 * sizeof(double));
    sn_free(slot->pose_now, bones, 12 * sizeof(double));
    sn_free(slot->pose_step, bones, 12 * sizeof(double));
    sn_free(slot->matrices, bones + (size_t)slot->mode_count, 12 * sizeof(float));
    sn_free(slot->locks, bones, sizeof *slot->locks);
    sn_free(slot->morphs, (size_t)slot->morph_count, sizeof(float));
    sn_free(slot->morphs_before, (size_t)slot->morph_count, sizeof(float));
    sn_free(slot->morphs_step, (size_t)slot->morph_count, sizeof(float));
}

void sn_body_slot_clear(sn_world *w, sn_body_slot *slot)
{
    w->is_order_stale = true;
    sn_body_slot_remove_embedding(slot);
    if (slot->body) {
        slot->table->body_destroy(&slot->body);
    }
    sn_world_release_solver(w, slot->solver);
    sn_body_slot_free(slot);
    *slot = (sn_body_slot){.generation = slot->generation};
}

sn_result sn_body_slot_allocate(sn_body_slot *slot, const sn_model *model)
{
    sn_body_slot created = *slot;
    created.bone_count = sn_model_bone_count(model);
    created.mode_count = sn_model_mode_count(model);
    created.morph_count = sn_model_morph_count(model);
    const size_t bones = (size_t)created.bone_count;
    created.pose_before = sn_alloc(bones, 12 * sizeof(double));
    created.pose_now = sn_alloc(bones, 12 * sizeof(double));
    created.pose_step = sn_alloc(bones, 12 * sizeof(double));
    created.matrices = sn_alloc(bones + (size_t)created.mode_count, 12 * sizeof(float));
    created.locks = sn_alloc(bones, sizeof *created.locks);
    created.morphs = sn_alloc((size_t)created.morph_count, sizeof(float));
    created.morphs_before = sn_alloc((size_t)created.morph_count, sizeof(float));
    created.morphs_step = sn_alloc((size_t)created.morph_count, sizeof(float));
    if (!created.pose_before || !created.pose_now || !created.pose_step || !created.matrices || !created.locks ||
        !created.morphs || !created.morphs_before || !created.morphs_step) {
        sn_body_slot_free(&created);
        return SN_ERROR_MEMORY;
    }
    memset(created.locks, SN_LOCK_ALL, bones);
    sn_model_default_morphs(model, created.morphs, created.morph_count);
    sn_model_default_morphs(model, created.morphs_before, created.morph_count);
    set_identity(created.pose_before, created.bone_count);
    set_identity(created.pose_now, created.bone_count);
    *slot = created;
    return SN_OK;
}

static sn_result fill_slot(sn_world *w, sn_body_slot *slot, const sn_body_desc *desc)
{
    slot->desc = *desc;
    slot->desc.name = NULL; /* the string belongs to the caller */
    slot->used_mode_count = sn_level_mode_count(desc);
    slot->recorder = w->desc.recorder;
    w->is_order_stale = true;
    SN_TRY(sn_body_slot_allocate(slot, desc->model));
    SN_TRY(sn_world_acquire_solver(w, desc, &slot->solver));
    SN_TRY(sn_body_slot_add_springs(w, slot));
    slot->table = slot->solver->table;
    SN_TRY(slot->table->body_create(slot->solver->shared, sn_body_slot_displayed_pose(slot, 1), &slot->body));
    slot->is_used = true;
    sn_body_slot_output(w, slot);
    return SN_OK;
}

static sn_result grow_slots(sn_world *w)
{
    const int capacity = 2 * w->slot_capacity + 16;
    sn_body_slot **slots = sn_alloc((size_t)capacity, sizeof *slots);
    int32_t *order = sn_alloc((size_t)capacity, sizeof *order);
    if (!slots || !order) {
        sn_free(slots, (size_t)capacity, sizeof *slots);
        sn_free(order, (size_t)capacity, sizeof *order);
        return SN_ERROR_MEMORY;
    }
    if (w->slot_count > 0) {
        memcpy(slots, w->slots, (size_t)w->slot_count * sizeof *slots);
    }
    sn_free(w->slots, (size_t)w->slot_capacity, sizeof *w->slots);
    sn_free(w->order, (size_t)w->slot_capacity, sizeof *w->order);
    w->slots = slots;
    w->order = order;
    w->slot_capacity = capacity;
    w->is_order_stale = true;
    return SN_OK;
}

/* Finds a free slot or appends one; returns its index. */
static sn_result find_slot(sn_world *w, int *index)
{
    for (*index = 0; *index < w->slot_count; ++*index) {
        if (!w->slots[*index]->is_used && w->slots[*index]->generation < SN_LAST_GENERATION) {
            return SN_OK;
        }
    }
    if (w->slot_count == w->slot_capacity && grow_slots(w) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    sn_body_slot *slot = sn_alloc(1, sizeof *slot);
    if (!slot) {
        return SN_ERROR_MEMORY;
    }
    slot->generation = w->min_generation;
    w->slots[w->slot_count++] = slot;
    return SN_OK;
}

sn_result sn_body_create(sn_world_id world_id, const sn_body_desc *desc, sn_body_id *body)
{
    *body = (sn_body_id){0, 0, 0};
    sn_world *w = sn_world_try_get(world_id);
    int index = 0;
    SN_ASSERT(w);
    sn_result result = sn_check_body_desc(w, desc);
    if (result == SN_OK) {
        result = find_slot(w, &index);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_body_slot *slot = w->slots[index];
    result = fill_slot(w, slot, desc);
    if (result != SN_OK) {
        sn_body_slot_clear(w, slot);
        return result;
    }
    *body = (sn_body_id){index + 1, (uint16_t)(world_id.index1 - 1), ++slot->generation};
    sn_recorder_body(slot->recorder, body->index1, desc);
    return SN_OK;
}

void sn_body_destroy(sn_body_id body)
{
    if (body.index1 != 0) {
        SN_RECORD(sn_body_get(body)->recorder, BODY_DESTROYED, .body = body.index1);
        sn_body_slot_clear(sn_world_by_index(body.world0), sn_body_get(body));
    }
}

sn_result sn_body_set_desc(sn_body_id id, const sn_body_desc *desc)
{
    sn_body_slot *slot = sn_body_get(id);
    sn_world *w = sn_world_by_index(id.world0);
    sn_shared_solver *solver = NULL;
    SN_ASSERT(desc->model == slot->desc.model && desc->solver == slot->desc.solver);
    sn_result result = sn_check_body_desc(w, desc);
    if (result == SN_OK) {
        result = sn_world_acquire_solver(w, desc, &solver);
    }
    if (result != SN_OK) {
        return result;
    }
    if (solver != slot->solver) { /* else nothing changes that the solver reads: a sleeping body continues to sleep */
        result = slot->table->body_set_shared(slot->body, solver->shared);
    }
    if (result != SN_OK) {
        sn_world_release_solver(w, solver);
        return result;
    }
    sn_recorder_body_desc(slot->recorder, id.index1, &slot->desc, desc);
    w->is_order_stale |= solver != slot->solver;
    sn_world_release_solver(w, slot->solver);
    slot->solver = solver;
    sn_springs_set_enabled(slot->springs, slot->pose_now, !desc->is_without_springs);
    slot->desc = *desc;
    slot->desc.name = NULL; /* the string belongs to the caller */
    if (slot->used_mode_count != sn_level_mode_count(desc)) {
        slot->used_mode_count = sn_level_mode_count(desc);
        sn_body_slot_output(w, slot);
    }
    return SN_OK;
}

sn_result sn_body_set_detail(sn_body_id id, int mode_count, int cluster_level)
{
    sn_body_desc desc = sn_body_get(id)->desc;
    desc.mode_count = mode_count;
    desc.cluster_level = cluster_level;
    return sn_body_set_desc(id, &desc);
}

/* ---- poses ---- */

#define POSE_LIMIT 1e6 /* max distance of a pose, diagonals */

static bool is_finite_matrix(const sn_mat3x4 *m)
{
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 4; ++k) {
            sum += 0 * m->m[d][k];
        }
    }
    return sum == 0;
}

/* Simulated bones and spring bones need a pose within POSE_LIMIT; others only a finite one. */
static bool is_valid_pose(const sn_body_slot *slot, const sn_mat3x4 *m)
{
    const double max_offset = POSE_LIMIT * slot->desc.model->diagonal;
    const bool has_followers = slot->table->body_bones || slot->springs;
    bool is_valid = is_finite_matrix(m);
    for (int d = 0; d < 3 && has_followers; ++d) {
        is_valid = is_valid && fabs((double)m->m[d][3]) <= max_offset;
        for (int k = 0; k < 3; ++k) {
            is_valid = is_valid && fabs((double)m->m[d][k]) <= POSE_LIMIT;
        }
    }
    return is_valid;
}

static void copy_matrix(const sn_mat3x4 *m, double *result)
{
    for (int i = 0; i < 12; ++i) {
        result[i] = (double)m->m[i / 4][i % 4];
    }
}

void sn_body_set_pose(sn_body_id id, const sn_mat3x4 *bones, int count)
{
    sn_body_slot *slot = sn_body_get(id);
    bool is_finite = true;
    SN_ASSERT(count == slot->bone_count);
    SN_RECORD(slot->recorder, POSE, .body = id.index1, .matrices = bones, .count = count);
    for (int b = 0; b < count; ++b) {
        is_finite &= is_valid_pose(slot, &bones[b]);
    }
    for (int b = 0; b < count && is_finite; ++b) {
        copy_matrix(&bones[b], slot->pose_now + 12 * (size_t)b);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_set_rigid_pose(sn_body_id id, const sn_mat3x4 *transform)
{
    sn_body_slot *slot = sn_body_get(id);
    const bool is_finite = is_valid_pose(slot, transform);
    SN_RECORD(slot->recorder, RIGID_POSE, .body = id.index1, .matrix = *transform);
    for (int b = 0; b < slot->bone_count && is_finite; ++b) {
        copy_matrix(transform, slot->pose_now + 12 * (size_t)b);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_set_bone_pose(sn_body_id id, int bone, const sn_mat3x4 *transform)
{
    sn_body_slot *slot = sn_body_get(id);
    const bool is_finite = is_valid_pose(slot, transform);
    SN_ASSERT(bone >= 0 && bone < slot->bone_count);
    SN_RECORD(slot->recorder, BONE_POSE, .body = id.index1, .index = bone, .matrix = *transform);
    if (is_finite) {
        copy_matrix(transform, slot->pose_now + 12 * (size_t)bone);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_set_morphs(sn_body_id id, const float *weights, int count)
{
    sn_body_slot *slot = sn_body_get(id);
    bool is_finite = true;
    SN_ASSERT(count == slot->morph_count);
    SN_RECORD(slot->recorder, MORPHS, .body = id.index1, .floats = weights, .count = count);
    for (int m = 0; m < count; ++m) {
        is_finite &= isfinite(weights[m]) != 0;
    }
    if (is_finite && count > 0) {
        memcpy(slot->morphs, weights, (size_t)count * sizeof *weights);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_reset(sn_body_id id)
{
    sn_body_slot *slot = sn_body_get(id);
    const sn_world *w = sn_world_by_index(id.world0);
    SN_RECORD(slot->recorder, RESET, .body = id.index1);
    memcpy(slot->pose_before, slot->pose_now, 12 * (size_t)slot->bone_count * sizeof(double));
    if (slot->table->body_morphs && slot->morph_count > 0) {
        memcpy(slot->morphs_before, slot->morphs, (size_t)slot->morph_count * sizeof *slot->morphs);
        slot->table->body_morphs(slot->body, slot->morphs);
    }
    sn_springs_reset(slot->springs, slot->pose_now);
    slot->table->body_reset(slot->body, sn_body_slot_displayed_pose(slot, 1));
    sn_body_slot_reset_flesh(slot);
    sn_body_slot_output(w, slot);
}

/* pose <- transform pose */
static void move_pose(const double *m, int bone_count, double *pose)
{
    for (int b = 0; b < bone_count; ++b, pose += 12) {
        for (int k = 0; k < 4; ++k) {
            const double x = pose[k], y = pose[4 + k], z = pose[8 + k];
            for (int d = 0; d < 3; ++d) {
                pose[4 * d + k] = m[4 * d] * x + m[4 * d + 1] * y + m[4 * d + 2] * z + (k == 3 ? m[4 * d + 3] : 0);
            }
        }
    }
}

/* Whether a transform leaves a pose within POSE_LIMIT. Overwrites pose_step, which steps compute anew. */
static bool is_valid_teleport(const sn_body_slot *slot, const double *m)
{
    const double max_offset = POSE_LIMIT * slot->desc.model->diagonal;
    bool is_valid = true;
    memcpy(slot->pose_step, slot->pose_now, 12 * (size_t)slot->bone_count * sizeof *slot->pose_step);
    move_pose(m, slot->bone_count, slot->pose_step);
    for (size_t i = 0; i < 12 * (size_t)slot->bone_count; ++i) {
        is_valid &= fabs(slot->pose_step[i]) <= (i % 4 == 3 ? max_offset : POSE_LIMIT);
    }
    return is_valid;
}

void sn_body_teleport(sn_body_id id, const sn_mat3x4 *transform)
{
    sn_body_slot *slot = sn_body_get(id);
    const sn_world *w = sn_world_by_index(id.world0);
    double m[12];
    SN_RECORD(slot->recorder, TELEPORT, .body = id.index1, .matrix = *transform);
    copy_matrix(transform, m);
    if (!is_finite_matrix(transform) || !is_valid_teleport(slot, m)) {
        slot->has_refused_pose = true;
        return;
    }
    move_pose(m, slot->bone_count, slot->pose_before);
    move_pose(m, slot->bone_count, slot->pose_now);
    sn_springs_teleport(slot->springs, m);
    slot->table->body_teleport(slot->body, m);
    sn_body_slot_transform_flesh(slot, m);
    sn_body_slot_output(w, slot);
}

sn_body_matrices sn_body_output(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_get(id);
    const sn_world *w = sn_world_by_index(id.world0);
    if (w->backend_world && slot->table->body_bones) { /* read back only on request */
        slot->table->body_bones(slot->body, w->display_fraction, slot->matrices);
    }
    return sn_body_cached_output(id);
}

void *sn_body_backend_body(sn_body_id id, const sn_solver_table *solver)
{
    const sn_body_slot *slot = sn_body_get(id);
    const sn_world *w = sn_world_by_index(id.world0);
    SN_ASSERT(w->is_backend_lost || w->tables[SN_SOLVER_REDUCED] == solver);
    return w->is_backend_lost ? NULL : slot->body;
}
