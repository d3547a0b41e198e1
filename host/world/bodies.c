/* SPDX-License-Identifier: MIT */
/* Bodies of a world: their slots, parameters and poses. */
#include <math.h>
#include <string.h>

#include "host/world/place.h"
#include "host/world/store.h"

sn_body_desc sn_default_body_desc(void)
{
    return (sn_body_desc){.stiffness = 1, .amount = 1, .iteration_limit = 30, .tolerance = 1e-5};
}

static sn_body_slot *find_body(sn_body_id id)
{
    const sn_world *w = id.index1 > 0 ? sn_world_at(id.world0) : NULL;
    sn_body_slot *slot = w && id.index1 <= w->slot_count ? w->slots[id.index1 - 1] : NULL;
    return slot && slot->is_used && slot->generation == id.generation ? slot : NULL;
}

static sn_body_slot *need_body(sn_body_id id)
{
    sn_body_slot *slot = find_body(id);
    SN_ASSERT(slot);
    return slot;
}

bool sn_body_is_valid(sn_body_id body)
{
    return find_body(body) != NULL;
}

const sn_model *sn_body_model(sn_body_id body)
{
    return need_body(body)->desc.model;
}

/* ---- parameters ---- */

static bool is_within(double value, double most)
{
    return value >= 0 && value <= most;
}

static sn_result check_body_desc(const sn_body_desc *desc)
{
    double gravity = 0, wind = 0;
    for (int d = 0; d < 3; ++d) {
        gravity += fabs(desc->gravity[d]);
        wind += fabs(desc->wind[d]);
    }
    if (!desc->model) {
        return sn_fail(SN_ERROR_ARGUMENT, "body: it has no model");
    }
    if (!is_within(desc->stiffness, 1e9) || !is_within(desc->damping, 1e6) || !is_within(desc->amount, 1e3) ||
        !is_within(desc->tolerance, 1) || !is_within(desc->budget_seconds, 1e3) || !(gravity < 1e9) || !(wind < 1e9) ||
        desc->iteration_limit < 1 || desc->mode_count < 0 || desc->cluster_level < 0) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "body: stiffness %g, damping %g, amount %g, tolerance %g, gravity %g, wind %g, %d iterations, budget %g s, "
            "%d modes, cluster level %d: out of range",
            desc->stiffness, desc->damping, desc->amount, desc->tolerance, gravity, wind, desc->iteration_limit,
            desc->budget_seconds, desc->mode_count, desc->cluster_level);
    }
    return SN_OK;
}

static int used_modes(const sn_body_desc *desc)
{
    const int all = sn_model_mode_count(desc->model);
    return desc->mode_count > 0 && desc->mode_count < all ? desc->mode_count : all;
}

/* Levels of detail that come to the same are the same. */
static sn_solver_desc solver_desc(const sn_world *w, const sn_body_desc *desc)
{
    const int coarsest = sn_model_cluster_level_count(desc->model) - 1, used = used_modes(desc);
    return (sn_solver_desc){.time_step = w->desc.time_step,
                            .stiffness = desc->stiffness,
                            .damping = desc->damping,
                            .gravity = {desc->gravity[0], desc->gravity[1], desc->gravity[2]},
                            .tolerance = desc->tolerance,
                            .iteration_limit = desc->iteration_limit,
                            .budget_seconds = desc->budget_seconds,
                            .mode_count = used < sn_model_mode_count(desc->model) ? used : 0,
                            .cluster_level = desc->cluster_level < coarsest ? desc->cluster_level : coarsest};
}

static bool is_same_desc(const sn_solver_desc *a, const sn_solver_desc *b)
{
    return a->time_step == b->time_step && a->stiffness == b->stiffness && a->damping == b->damping &&
           memcmp(a->gravity, b->gravity, sizeof a->gravity) == 0 && a->tolerance == b->tolerance &&
           a->iteration_limit == b->iteration_limit && a->budget_seconds == b->budget_seconds &&
           a->mode_count == b->mode_count && a->cluster_level == b->cluster_level;
}

/* The solver for a model and parameters, made where there is none yet; counts its user. */
static sn_result acquire_solver(sn_world *w, const sn_body_desc *desc, sn_shared_solver **result)
{
    const sn_solver_desc wanted = solver_desc(w, desc);
    for (sn_shared_solver *s = w->solvers; s; s = s->next) {
        if (s->model == desc->model && is_same_desc(&s->desc, &wanted)) {
            ++s->body_count;
            *result = s;
            return SN_OK;
        }
    }
    sn_shared_solver *made = sn_alloc(1, sizeof *made);
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    *made = (sn_shared_solver){.model = desc->model, .desc = wanted, .body_count = 1, .next = w->solvers};
    const sn_result code = w->table->shared_create(desc->model, &wanted, w->place ? w->place : w->work, &made->shared);
    if (code != SN_OK) {
        sn_free(made, 1, sizeof *made);
        return code;
    }
    w->solvers = made;
    *result = made;
    return SN_OK;
}

static void free_solver(const sn_world *w, sn_shared_solver *solver)
{
    w->table->shared_destroy(&solver->shared);
    sn_free(solver, 1, sizeof *solver);
}

static void drop_unused(sn_world *w, sn_shared_solver *solver)
{
    sn_shared_solver **at = &w->solvers;
    if (solver->body_count > 0 || solver->is_prepared) {
        return;
    }
    while (*at != solver) {
        at = &(*at)->next;
    }
    *at = solver->next;
    free_solver(w, solver);
}

static void release_solver(sn_world *w, sn_shared_solver *solver)
{
    if (solver) {
        --solver->body_count;
        drop_unused(w, solver);
    }
}

sn_result sn_world_prepare(sn_world_id world_id, const sn_body_desc *desc)
{
    sn_world *w = sn_world_find(world_id);
    sn_shared_solver *solver = NULL;
    SN_ASSERT(w);
    sn_result result = check_body_desc(desc);
    if (result == SN_OK) {
        result = acquire_solver(w, desc, &solver);
    }
    if (result == SN_OK) {
        solver->is_prepared = true;
        release_solver(w, solver);
    }
    return result;
}

void sn_world_forget(sn_world_id world_id, const sn_model *model)
{
    sn_world *w = sn_world_find(world_id);
    SN_ASSERT(w);
    for (sn_shared_solver *s = w->solvers, *next; s; s = next) {
        next = s->next;
        if (s->model == model) {
            s->is_prepared = false;
            drop_unused(w, s);
        }
    }
}

void sn_world_free_solvers(sn_world *w)
{
    while (w->solvers) {
        sn_shared_solver *const first = w->solvers;
        w->solvers = first->next;
        free_solver(w, first);
    }
}

/* ---- bodies ---- */

void sn_body_slot_output(const sn_world *w, sn_body_slot *slot, double fraction)
{
    for (int i = 0; i < 12 * slot->bone_count; ++i) {
        slot->matrices[i] = (float)slot->pose_now[i];
    }
    if (w->place) {
        w->desc.backend->body_show(slot->body, slot->pose_now, slot->desc.amount);
    } else {
        w->table->body_modes(slot->body, fraction, slot->desc.amount, slot->matrices + 12 * (size_t)slot->bone_count);
    }
}

static void set_identity(double *pose, int bone_count)
{
    for (int i = 0; i < 12 * bone_count; ++i) {
        pose[i] = i % 12 % 5 == 0 ? 1 : 0;
    }
}

void sn_body_slot_empty(sn_world *w, sn_body_slot *slot)
{
    const size_t bones = (size_t)slot->bone_count;
    w->is_order_stale = true;
    if (slot->body) {
        w->table->body_destroy(&slot->body);
    }
    release_solver(w, slot->solver);
    sn_free(slot->pose_before, bones, 12 * sizeof(double));
    sn_free(slot->pose_now, bones, 12 * sizeof(double));
    sn_free(slot->pose_step, bones, 12 * sizeof(double));
    sn_free(slot->matrices, bones + (size_t)slot->mode_count, 12 * sizeof(float));
    sn_free(slot->morphs, (size_t)slot->morph_count, sizeof(float));
    sn_free(slot->morphs_before, (size_t)slot->morph_count, sizeof(float));
    sn_free(slot->morphs_step, (size_t)slot->morph_count, sizeof(float));
    *slot = (sn_body_slot){.generation = slot->generation};
}

static sn_result fill_slot(sn_world *w, sn_body_slot *slot, const sn_body_desc *desc)
{
    slot->desc = *desc;
    slot->bone_count = sn_model_bone_count(desc->model);
    slot->mode_count = sn_model_mode_count(desc->model);
    slot->used_mode_count = used_modes(desc);
    slot->morph_count = sn_model_morph_count(desc->model);
    w->is_order_stale = true;
    const size_t bones = (size_t)slot->bone_count;
    slot->pose_before = sn_alloc(bones, 12 * sizeof(double));
    slot->pose_now = sn_alloc(bones, 12 * sizeof(double));
    slot->pose_step = sn_alloc(bones, 12 * sizeof(double));
    slot->matrices = sn_alloc(bones + (size_t)slot->mode_count, 12 * sizeof(float));
    slot->morphs = sn_alloc((size_t)slot->morph_count, sizeof(float));
    slot->morphs_before = sn_alloc((size_t)slot->morph_count, sizeof(float));
    slot->morphs_step = sn_alloc((size_t)slot->morph_count, sizeof(float));
    if (!slot->pose_before || !slot->pose_now || !slot->pose_step || !slot->matrices || !slot->morphs ||
        !slot->morphs_before || !slot->morphs_step) {
        return SN_ERROR_MEMORY;
    }
    sn_model_rest_morphs(desc->model, slot->morphs, slot->morph_count);
    sn_model_rest_morphs(desc->model, slot->morphs_before, slot->morph_count);
    set_identity(slot->pose_before, slot->bone_count);
    set_identity(slot->pose_now, slot->bone_count);
    sn_result result = acquire_solver(w, desc, &slot->solver);
    if (result == SN_OK) {
        result = w->table->body_create(slot->solver->shared, slot->pose_now, &slot->body);
    }
    if (result == SN_OK) {
        slot->is_used = true;
        sn_body_slot_output(w, slot, 1);
    }
    return result;
}

static sn_result grow_slots(sn_world *w)
{
    const int room = 2 * w->slot_room + 16;
    sn_body_slot **slots = sn_alloc((size_t)room, sizeof *slots);
    int32_t *order = sn_alloc((size_t)room, sizeof *order);
    if (!slots || !order) {
        sn_free(slots, (size_t)room, sizeof *slots);
        sn_free(order, (size_t)room, sizeof *order);
        return SN_ERROR_MEMORY;
    }
    if (w->slot_count > 0) {
        memcpy(slots, w->slots, (size_t)w->slot_count * sizeof *slots);
    }
    sn_free(w->slots, (size_t)w->slot_room, sizeof *w->slots);
    sn_free(w->order, (size_t)w->slot_room, sizeof *w->order);
    w->slots = slots;
    w->order = order;
    w->slot_room = room;
    w->is_order_stale = true;
    return SN_OK;
}

/* A slot that is free, or a new one; its index. */
static sn_result find_slot(sn_world *w, int *index)
{
    for (*index = 0; *index < w->slot_count; ++*index) {
        if (!w->slots[*index]->is_used) {
            return SN_OK;
        }
    }
    if (w->slot_count == w->slot_room && grow_slots(w) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    sn_body_slot *slot = sn_alloc(1, sizeof *slot);
    if (!slot) {
        return SN_ERROR_MEMORY;
    }
    slot->generation = w->generation_floor;
    w->slots[w->slot_count++] = slot;
    return SN_OK;
}

sn_result sn_body_create(sn_world_id world_id, const sn_body_desc *desc, sn_body_id *body)
{
    *body = (sn_body_id){0, 0, 0};
    sn_world *w = sn_world_find(world_id);
    int index = 0;
    SN_ASSERT(w);
    sn_result result = check_body_desc(desc);
    if (result == SN_OK) {
        result = find_slot(w, &index);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_body_slot *slot = w->slots[index];
    result = fill_slot(w, slot, desc);
    if (result != SN_OK) {
        sn_body_slot_empty(w, slot);
        return result;
    }
    *body = (sn_body_id){index + 1, (uint16_t)(world_id.index1 - 1), ++slot->generation};
    return SN_OK;
}

void sn_body_destroy(sn_body_id body)
{
    if (body.index1 != 0) {
        sn_body_slot_empty(sn_world_at(body.world0), need_body(body));
    }
}

sn_result sn_body_set_desc(sn_body_id id, const sn_body_desc *desc)
{
    sn_body_slot *slot = need_body(id);
    sn_world *w = sn_world_at(id.world0);
    sn_shared_solver *solver = NULL;
    SN_ASSERT(desc->model == slot->desc.model);
    sn_result result = check_body_desc(desc);
    if (result == SN_OK) {
        result = acquire_solver(w, desc, &solver);
    }
    if (result != SN_OK) {
        return result;
    }
    w->table->body_share(slot->body, solver->shared);
    w->is_order_stale |= solver != slot->solver;
    release_solver(w, slot->solver);
    slot->solver = solver;
    slot->desc = *desc;
    if (slot->used_mode_count != used_modes(desc)) {
        slot->used_mode_count = used_modes(desc);
        sn_body_slot_output(w, slot, w->leftover / w->desc.time_step);
    }
    return SN_OK;
}

sn_result sn_body_set_detail(sn_body_id id, int mode_count, int cluster_level)
{
    sn_body_desc desc = need_body(id)->desc;
    desc.mode_count = mode_count;
    desc.cluster_level = cluster_level;
    return sn_body_set_desc(id, &desc);
}

/* ---- poses ---- */

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

static void copy_matrix(const sn_mat3x4 *m, double *result)
{
    for (int i = 0; i < 12; ++i) {
        result[i] = (double)m->m[i / 4][i % 4];
    }
}

void sn_body_set_pose(sn_body_id id, const sn_mat3x4 *bones, int count)
{
    sn_body_slot *slot = need_body(id);
    bool is_finite = true;
    SN_ASSERT(count == slot->bone_count);
    for (int b = 0; b < count; ++b) {
        is_finite &= is_finite_matrix(&bones[b]);
    }
    for (int b = 0; b < count && is_finite; ++b) {
        copy_matrix(&bones[b], slot->pose_now + 12 * (size_t)b);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_set_rigid_pose(sn_body_id id, const sn_mat3x4 *transform)
{
    sn_body_slot *slot = need_body(id);
    const bool is_finite = is_finite_matrix(transform);
    for (int b = 0; b < slot->bone_count && is_finite; ++b) {
        copy_matrix(transform, slot->pose_now + 12 * (size_t)b);
    }
    slot->has_refused_pose |= !is_finite;
}

void sn_body_set_morphs(sn_body_id id, const float *weights, int count)
{
    sn_body_slot *slot = need_body(id);
    bool is_finite = true;
    SN_ASSERT(count == slot->morph_count);
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
    sn_body_slot *slot = need_body(id);
    const sn_world *w = sn_world_at(id.world0);
    memcpy(slot->pose_before, slot->pose_now, 12 * (size_t)slot->bone_count * sizeof(double));
    if (w->table->body_morphs && slot->morph_count > 0) {
        memcpy(slot->morphs_before, slot->morphs, (size_t)slot->morph_count * sizeof *slot->morphs);
        w->table->body_morphs(slot->body, slot->morphs);
    }
    w->table->body_reset(slot->body, slot->pose_now);
    sn_body_slot_output(w, slot, 1);
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

void sn_body_teleport(sn_body_id id, const sn_mat3x4 *transform)
{
    sn_body_slot *slot = need_body(id);
    const sn_world *w = sn_world_at(id.world0);
    double m[12];
    if (!is_finite_matrix(transform)) {
        slot->has_refused_pose = true;
        return;
    }
    copy_matrix(transform, m);
    move_pose(m, slot->bone_count, slot->pose_before);
    move_pose(m, slot->bone_count, slot->pose_now);
    w->table->body_teleport(slot->body, m);
    sn_body_slot_output(w, slot, w->leftover / w->desc.time_step);
}

void sn_body_apply_impulse(sn_body_id id, const double point[3], const double impulse[3])
{
    const sn_body_slot *slot = need_body(id);
    sn_world_at(id.world0)->table->body_impulse(slot->body, point, impulse);
}

void sn_body_apply_bone_impulse(sn_body_id id, int bone, const double impulse[3])
{
    sn_body_slot *slot = need_body(id);
    SN_ASSERT(bone >= 0 && bone < slot->bone_count);
    const sn_solver_table *table = sn_world_at(id.world0)->table;
    if (table->body_bone_impulse) {
        table->body_bone_impulse(slot->body, bone, impulse);
    } else {
        sn_log(SN_LOG_WARNING, "body %d: a bone's impulse is lost: its backend has none", id.index1);
    }
}

sn_grab_desc sn_default_grab_desc(void)
{
    return (sn_grab_desc){.reach = INFINITY, .softness = 0.1, .damping_ratio = 1, .strength = 0.3};
}

int sn_body_grab(sn_body_id id, const double point[3], const sn_grab_desc *desc)
{
    const bool is_sound = desc->reach >= 0 && desc->softness >= 1e-6 && is_within(desc->softness, 1e6) &&
                          is_within(desc->damping_ratio, 1e3) && desc->strength > 0 && is_within(desc->strength, 1e3);
    const sn_body_slot *slot = need_body(id);
    const sn_solver_table *table = sn_world_at(id.world0)->table;
    return is_sound && table->body_grab ? table->body_grab(slot->body, point, desc) : -1;
}

void sn_body_drag(sn_body_id id, int grab, const double target[3])
{
    const sn_body_slot *slot = need_body(id);
    const sn_solver_table *table = sn_world_at(id.world0)->table;
    if (table->body_drag) {
        table->body_drag(slot->body, grab, target);
    }
}

void sn_body_release(sn_body_id id, int grab)
{
    const sn_body_slot *slot = need_body(id);
    const sn_solver_table *table = sn_world_at(id.world0)->table;
    if (table->body_release) {
        table->body_release(slot->body, grab);
    }
}

sn_body_matrices sn_body_output(sn_body_id id)
{
    const sn_body_slot *slot = need_body(id);
    return (sn_body_matrices){(const sn_mat3x4 *)(const void *)slot->matrices, slot->bone_count,
                              sn_world_at(id.world0)->place ? 0 : slot->used_mode_count, slot->morphs,
                              slot->morph_count};
}

void *sn_body_of_place(sn_body_id id, const sn_solver_table *solver)
{
    const sn_body_slot *slot = need_body(id);
    SN_ASSERT(sn_world_at(id.world0)->table == solver);
    return slot->body;
}
