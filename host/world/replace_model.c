/* SPDX-License-Identifier: MIT */
/* Replacing the model of a body while it moves. */
#include <string.h>

#include "host/model/model.h"
#include "host/world/embedded_flesh.h"
#include "host/world/record.h"

static bool is_same(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

static bool has_same_tets(const sn_model *a, const sn_model *b)
{
    const sn_model_counts *c = &a->counts, *d = &b->counts;
    return c->vertex_count == d->vertex_count && c->tet_count == d->tet_count &&
           c->surface_vertex_count == d->surface_vertex_count && c->morph_count == d->morph_count &&
           is_same(a->rest_positions, b->rest_positions, 3 * (size_t)c->vertex_count, sizeof(float)) &&
           is_same(a->tets, b->tets, 4 * (size_t)c->tet_count, sizeof(int32_t)) &&
           is_same(a->vertex_mass, b->vertex_mass, (size_t)c->vertex_count, sizeof(float));
}

/* ---- coupled bodies: other bones ---- */

static bool has_same_flesh(const sn_model *a, const sn_model *b)
{
    const sn_model_counts *c = &a->counts;
    return has_same_tets(a, b) && is_same(a->tet_stiffness, b->tet_stiffness, (size_t)c->tet_count, sizeof(float)) &&
           is_same(a->tet_lame, b->tet_lame, (size_t)c->tet_count, sizeof(float));
}

static int32_t find_bone(const sn_model *model, const char *name)
{
    for (int b = 0; b < sn_model_bone_count(model); ++b) {
        if (strcmp(sn_model_bone_name(model, b), name) == 0) {
            return b;
        }
    }
    return -1;
}

/* Copies poses and locks of retained bones. New bones are free, and their pose is their simulated transform. */
static void copy_retained_bones(const sn_body_slot *old, const int32_t *from, sn_body_slot *slot)
{
    slot->table->body_bones(slot->body, 1, slot->matrices);
    for (size_t b = 0; b < (size_t)slot->bone_count; ++b) {
        for (size_t i = 12 * b; i < 12 * b + 12; ++i) {
            const size_t at = from[b] >= 0 ? 12 * (size_t)from[b] + i % 12 : 0;
            slot->pose_now[i] = from[b] >= 0 ? old->pose_now[at] : (double)slot->matrices[i];
            slot->pose_before[i] = from[b] >= 0 ? old->pose_before[at] : slot->pose_now[i];
        }
        slot->locks[b] = from[b] >= 0 ? old->locks[from[b]] : 0;
    }
    for (int m = 0; m < slot->morph_count; ++m) {
        slot->morphs[m] = old->morphs[m];
        slot->morphs_before[m] = old->morphs_before[m];
    }
}

static sn_result replace_rig(sn_world *w, sn_body_slot *slot, const sn_body_desc *desc, const int32_t *from)
{
    sn_body_slot created = *slot;
    sn_shared_solver *solver = NULL;
    sn_result result = sn_world_acquire_solver(w, desc, &solver);
    if (result == SN_OK) {
        result = sn_body_slot_allocate(&created, desc->model);
    }
    if (result != SN_OK) {
        sn_world_release_solver(w, solver);
        return result;
    }
    result = slot->table->body_set_rig(slot->body, solver->shared, from);
    if (result != SN_OK) {
        sn_body_slot_free(&created);
        sn_world_release_solver(w, solver);
        return result;
    }
    copy_retained_bones(slot, from, &created);
    sn_body_slot_remove_embedding(slot);
    created.embedded = NULL;
    sn_body_slot_free(slot);
    sn_world_release_solver(w, slot->solver);
    created.solver = solver;
    created.desc = *desc;
    *slot = created;
    w->is_order_stale = true;
    sn_body_slot_output(w, slot);
    return SN_OK;
}

static sn_result set_rig(sn_world *w, sn_body_slot *slot, int number, const sn_model *model)
{
    sn_body_desc desc = slot->desc;
    const size_t count = (size_t)sn_model_bone_count(model);
    if (!has_same_flesh(desc.model, model)) {
        return sn_fail(SN_ERROR_ARGUMENT, "body %d: the new model has other tets, another surface or other flesh",
                       number);
    }
    int32_t *from = sn_alloc(count, sizeof *from);
    if (!from) {
        return SN_ERROR_MEMORY;
    }
    for (size_t b = 0; b < count; ++b) {
        from[b] = find_bone(desc.model, sn_model_bone_name(model, (int)b));
    }
    desc.model = model;
    const sn_result result = replace_rig(w, slot, &desc, from);
    sn_free(from, count, sizeof *from);
    return result;
}

/* ---- reduced bodies: another stiffness ---- */

/* All but the stiffness of the flesh, its frequencies and its decay. */
static bool has_same_modes(const sn_model *a, const sn_model *b)
{
    const size_t bones = (size_t)a->counts.bone_count, modes = (size_t)a->counts.mode_count;
    return is_same(&a->counts, &b->counts, 1, sizeof a->counts) && has_same_tets(a, b) &&
           a->spring_joint_count == b->spring_joint_count && a->spring_solid_count == b->spring_solid_count &&
           is_same(a->rig_weights, b->rig_weights, (size_t)a->counts.vertex_count * bones, sizeof(float)) &&
           is_same(a->mode_weights, b->mode_weights, (size_t)a->counts.vertex_count * modes, sizeof(float)) &&
           is_same(a->bone_bind, b->bone_bind, 12 * bones, sizeof(float));
}

static sn_result set_tuned(sn_world *w, sn_body_slot *slot, int number, const sn_model *model)
{
    sn_body_desc desc = slot->desc;
    sn_shared_solver *solver = NULL;
    if (!has_same_modes(desc.model, model)) {
        return sn_fail(SN_ERROR_ARGUMENT, "body %d: the new model has other bones, tets or modes", number);
    }
    desc.model = model;
    SN_TRY(sn_world_acquire_solver(w, &desc, &solver));
    slot->table->body_set_tuned(slot->body, solver->shared);
    sn_world_release_solver(w, slot->solver);
    slot->solver = solver;
    slot->desc = desc;
    sn_springs_set_model(slot->springs, model);
    w->is_order_stale = true;
    sn_body_slot_output(w, slot);
    return SN_OK;
}

sn_result sn_body_set_model(sn_body_id id, const sn_model *model)
{
    sn_body_slot *slot = sn_body_get(id);
    sn_world *w = sn_world_by_index(id.world0);
    SN_TRY(slot->table->body_set_rig     ? set_rig(w, slot, id.index1, model)
           : slot->table->body_set_tuned ? set_tuned(w, slot, id.index1, model)
                                         : sn_fail(SN_ERROR_UNSUPPORTED,
                                                   "body %d: only the model of coupled bodies, and of "
                                                   "reduced bodies on threads, can be replaced",
                                                   id.index1));
    sn_recorder_rig(slot->recorder, id.index1, model);
    return SN_OK;
}
