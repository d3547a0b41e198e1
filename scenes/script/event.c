/* SPDX-License-Identifier: MIT */
/* Changes during a scene: by its events, and by the player. */
#include <stdlib.h>

#include "scenes/script/private.h"

/* ---- parameters ---- */

sn_result sn_scene_set_parameters(sn_scene *scene, int body, unsigned parameters, const sn_body_desc *desc)
{
    sn_scene_state *state = &scene->bodies[body];
    const sn_body_desc player_desc = state->player_desc, requested_desc = state->requested_desc;
    const unsigned player_parameters = state->player_parameters;
    sn_scene_copy_parameters(parameters, desc, &state->player_desc);
    state->player_parameters |= parameters;
    const sn_result result = sn_scene_set_desc(scene, state);
    if (result != SN_OK) {
        state->player_desc = player_desc;
        state->requested_desc = requested_desc;
        state->player_parameters = player_parameters;
    }
    return result;
}

sn_body_desc sn_scene_parameters(const sn_scene *scene, int body)
{
    return scene->bodies[body].desc;
}

/* Converts Lame parameters to a stiffness factor and Poisson's ratio; flat bodies use plane stress. */
static void set_lame(sn_scene_state *state, const sn_model *model, const double lame[2])
{
    const double lambda = lame[0], mu = lame[1];
    const bool is_flat = sn_model_is_flat(model);
    const double poisson = is_flat ? lambda / (lambda + 2 * mu) : lambda / (2 * (lambda + mu));
    state->event_desc.poisson = poisson;
    state->event_desc.stiffness = 2 * mu * (1 + poisson) / sn_model_young_modulus(model);
    state->event_parameters |= SN_SCENE_STIFFNESS | SN_SCENE_POISSON;
}

/* ---- bones ---- */

/* Data of a state for another rig. It is allocated before the body changes, so that nothing can fail afterwards. */
typedef struct rig_data {
    sn_scene_entry entry;
    unsigned *locks;
    sn_frame *offsets;
} rig_data;

static void free_rig(rig_data *rig)
{
    free(rig->locks);
    free(rig->offsets);
    sn_scene_entry_destroy(&rig->entry);
}

/* Locks and offsets are transferred by bone name; new bones are free. */
static sn_result prepare_rig(sn_scene *scene, const sn_scene_state *state, const sn_model *model, rig_data *rig)
{
    const sn_model *before = sn_scene_entry_of(scene, state)->model;
    *rig = (rig_data){0};
    sn_result result = sn_scene_entry_change(&scene->entries[state->entry], model, &rig->entry);
    if (result != SN_OK) {
        return result;
    }
    rig->locks = calloc((size_t)rig->entry.bone_count, sizeof *rig->locks);
    rig->offsets = calloc((size_t)rig->entry.bone_count, sizeof *rig->offsets);
    result = rig->locks && rig->offsets ? sn_scene_reserve_bones(scene, rig->entry.bone_count) : SN_ERROR_MEMORY;
    for (int b = 0; b < rig->entry.bone_count && result == SN_OK; ++b) {
        const int old = sn_scene_find_bone(before, sn_model_bone_name(model, b));
        rig->locks[b] = old >= 0 ? state->locks[old] : 0;
        rig->offsets[b] = old >= 0 ? state->offsets[old] : sn_frame_identity;
    }
    if (result != SN_OK) {
        free_rig(rig);
    }
    return result;
}

static void adopt_rig(sn_scene_state *state, const sn_model *model, rig_data *rig)
{
    free(state->locks);
    free(state->offsets);
    sn_scene_entry_destroy(&state->rig);
    state->rig = rig->entry;
    state->locks = rig->locks;
    state->offsets = rig->offsets;
    state->desc.model = state->requested_desc.model = model;
}

sn_result sn_scene_adopt_rig(sn_scene *scene, int body)
{
    sn_scene_state *state = &scene->bodies[body];
    const sn_model *model = sn_body_model(state->body);
    rig_data rig;
    const sn_result result = prepare_rig(scene, state, model, &rig);
    if (result == SN_OK) {
        adopt_rig(state, model, &rig);
        state->is_rig_persistent = true;
    }
    return result == SN_OK ? sn_scene_embed(scene, state) : result;
}

/* Builds the model with an event's handles, once. A failure is logged, and the bodies keep their rig. */
static const sn_model *build_rig(sn_scene *scene, int event)
{
    sn_scene_rig *rig = &scene->rigs[event];
    const sn_scene_event *e = &scene->script->events[event];
    if (!rig->was_attempted) {
        sn_cook_rig_desc desc = {.handles = *e->handles};
        rig->was_attempted = true;
        if (sn_cook_rig(scene->entries[e->body].model, &desc, &rig->blob) == SN_OK) {
            sn_model_load(rig->blob.bytes, rig->blob.size, &rig->model);
        }
    }
    return rig->model;
}

static void apply_rig(sn_scene *scene, int event, sn_scene_state *state)
{
    const sn_model *model = build_rig(scene, event);
    rig_data rig;
    if (!model || prepare_rig(scene, state, model, &rig) != SN_OK) {
        return;
    }
    if (sn_body_set_model(state->body, model) != SN_OK) {
        free_rig(&rig);
        return;
    }
    adopt_rig(state, model, &rig);
    state->is_rig_persistent = false;
    sn_scene_embed(scene, state); /* if memory runs out, its skin is drawn */
}

/* ---- events ---- */

static void change_bone(const sn_scene_event *e, sn_scene_state *state, const sn_model *model)
{
    const int bone = e->bone ? sn_scene_find_bone(model, e->bone) : -1;
    if (bone >= 0 && e->has_locks) {
        sn_body_set_locks(state->body, bone, e->locks);
    }
    if (bone >= 0 && e->has_compliance) {
        sn_body_set_compliance(state->body, bone, e->compliance);
    }
}

static void change_collider(sn_scene *scene, const sn_scene_event *e)
{
    const int i = e->collider;
    scene->frictions[i] = e->has_friction ? e->friction : scene->frictions[i];
    const sn_collider_desc desc = sn_scene_collider_at(scene, i);
    const bool is_removed = e->has_presence ? !e->is_present : scene->is_removed[i];
    if (is_removed && !scene->is_removed[i]) {
        sn_collider_destroy(scene->colliders[i]);
    } else if (!is_removed && scene->is_removed[i]) {
        sn_collider_create(scene->world, &desc, &scene->colliders[i]);
    } else if (!is_removed) {
        sn_collider_set_desc(scene->colliders[i], &desc);
    }
    scene->is_removed[i] = is_removed;
}

static void change_body(sn_scene *scene, int event, sn_scene_state *state)
{
    const sn_scene_event *e = &scene->script->events[event];
    sn_scene_copy_parameters(e->parameters, &e->desc, &state->event_desc);
    state->event_parameters |= e->parameters;
    if (e->has_lame) {
        set_lame(state, scene->entries[state->entry].model, e->lame);
    }
    if (e->handles) {
        apply_rig(scene, event, state);
    }
    change_bone(e, state, sn_scene_entry_of(scene, state)->model);
}

void sn_scene_apply_events(sn_scene *scene, double from, double until)
{
    for (int i = 0; i < scene->script->event_count; ++i) {
        const sn_scene_event *e = &scene->script->events[i];
        if (e->seconds < from - 1e-9 || e->seconds >= until - 1e-9) {
            continue;
        }
        const int count = e->body >= 0 ? scene->entries[e->body].count : 0;
        for (int copy = 0; copy < count; ++copy) {
            if (e->copy < 0 || e->copy == copy) {
                change_body(scene, i, &scene->bodies[scene->entries[e->body].first + copy]);
            }
        }
        if (e->collider >= 0) {
            change_collider(scene, e);
        }
    }
}

/* ---- lifetime ---- */

sn_result sn_scene_events_create(sn_scene *scene)
{
    scene->rigs = calloc((size_t)scene->script->event_count + 1, sizeof *scene->rigs);
    scene->is_removed = calloc((size_t)scene->script->collider_count + 1, sizeof *scene->is_removed);
    scene->frictions = calloc((size_t)scene->script->collider_count + 1, sizeof *scene->frictions);
    return scene->rigs && scene->is_removed && scene->frictions ? SN_OK : SN_ERROR_MEMORY;
}

void sn_scene_events_destroy(sn_scene *scene)
{
    for (int i = 0; scene->rigs && i < scene->script->event_count; ++i) {
        sn_model_release(scene->rigs[i].model);
        sn_blob_release(&scene->rigs[i].blob);
    }
    free(scene->rigs);
    free(scene->is_removed);
    free(scene->frictions);
}

/* Returns to the entry's own bones. */
static sn_result restore_rig(const sn_scene *scene, sn_scene_state *state)
{
    const size_t bones = (size_t)scene->entries[state->entry].bone_count;
    unsigned *locks = calloc(bones, sizeof *locks);
    sn_frame *offsets = calloc(bones, sizeof *offsets);
    free(state->locks);
    free(state->offsets);
    sn_scene_entry_destroy(&state->rig);
    state->locks = locks;
    state->offsets = offsets;
    return locks && offsets ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_scene_events_restart(sn_scene *scene)
{
    sn_result result = SN_OK;
    for (int i = 0; i < scene->instance_count && result == SN_OK; ++i) {
        sn_scene_state *state = &scene->bodies[i];
        state->event_parameters = 0;
        if (state->rig.model && !state->is_rig_persistent) {
            result = restore_rig(scene, state);
        }
    }
    for (int i = 0; i < scene->script->collider_count; ++i) {
        scene->is_removed[i] = false;
        scene->frictions[i] = scene->script->colliders[i].desc.friction;
    }
    return result;
}

void sn_scene_set_pose_callback(sn_scene *scene, sn_scene_pose_callback *pose_callback, void *user)
{
    scene->pose_callback = pose_callback;
    scene->pose_callback_user = user;
}

bool sn_scene_has_collider(const sn_scene *scene, int collider)
{
    return !scene->is_removed[collider];
}
