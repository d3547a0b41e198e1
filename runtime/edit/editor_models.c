/* SPDX-License-Identifier: MIT */
/* Adopts models with newly computed weights. */
#include <string.h>

#include "runtime/edit/editor_state.h"

static int bone_of(const sn_model *model, const char *name)
{
    int bone = sn_model_bone_count(model) - 1;
    while (bone >= 0 && strncmp(sn_model_bone_name(model, bone), name, SN_EDIT_NAME_SIZE - 1) != 0) {
        --bone;
    }
    return bone;
}

void sn_edit_model_release(sn_edit_model *edited_models)
{
    sn_model_release(edited_models->model);
    sn_blob_release(&edited_models->blob);
    *edited_models = (sn_edit_model){0};
}

/* Transfers targets and compliances to the new model by bone name. Locked bones keep their current transforms, because
 * the new bones have no motion. */
static void transfer_targets(sn_editor *e, const sn_model *next)
{
    bool has_target[SN_EDIT_HANDLE_LIMIT] = {false};
    double targets[SN_EDIT_HANDLE_LIMIT][12], compliances[SN_EDIT_HANDLE_LIMIT];
    for (int bone = 0; bone < sn_model_bone_count(next); ++bone) {
        const int previous = bone_of(e->model, sn_model_bone_name(next, bone));
        compliances[bone] = previous >= 0 ? e->compliances[previous] : -1;
        if (previous >= 0 && e->has_target[previous]) {
            has_target[bone] = true;
            memcpy(targets[bone], e->targets[previous], sizeof targets[bone]);
        } else if (previous >= 0 && sn_body_locks(e->body, previous) != 0) {
            has_target[bone] = true;
            sn_editor_bone_transform(e, previous, targets[bone]);
        }
    }
    memcpy(e->has_target, has_target, sizeof has_target);
    memcpy(e->compliances, compliances, (size_t)sn_model_bone_count(next) * sizeof *compliances);
    for (int bone = 0; bone < sn_model_bone_count(next); ++bone) {
        if (has_target[bone]) {
            memcpy(e->targets[bone], targets[bone], sizeof targets[bone]);
        }
    }
}

/* Updates the index of the bone that is being dragged; releases it if it is gone. */
static void transfer_drag(sn_editor *e, const sn_model *next)
{
    if (e->action == SN_EDIT_ACTION_DRAG || e->action == SN_EDIT_ACTION_ROTATE) {
        const int bone = bone_of(next, sn_model_bone_name(e->model, e->bone));
        if (bone < 0) {
            sn_editor_end_drag(e);
        }
        e->bone = bone;
    }
}

static sn_result adopt_model(sn_editor *e, const sn_weight_result *weights)
{
    sn_edit_model next = {.blob = weights->blob};
    sn_posed_surface surface = {0};
    sn_result result = sn_model_load(next.blob.bytes, next.blob.size, &next.model);
    if (result == SN_OK) {
        result = sn_posed_surface_start(&surface, next.model);
    }
    if (result == SN_OK) {
        transfer_drag(e, next.model);
        transfer_targets(e, next.model);
        result = sn_body_set_model(e->body, next.model);
    }
    if (result != SN_OK) {
        sn_posed_surface_finish(&surface);
        sn_edit_model_release(&next);
        return result;
    }
    sn_posed_surface_finish(&e->surface);
    sn_edit_model_release(&e->edited_models[1]);
    e->edited_models[1] = e->edited_models[0];
    e->edited_models[0] = next;
    e->model = next.model;
    e->surface = surface;
    e->model_handles = e->requested; /* the user may have edited `handles` further since the request */
    return SN_OK;
}

const sn_model *sn_editor_update(sn_editor *e)
{
    sn_weight_result weights;
    if (!e->is_computing_weights || !sn_weight_worker_poll(e->worker, &weights)) {
        return NULL;
    }
    e->is_computing_weights = false;
    e->weight_seconds = weights.seconds;
    if (weights.log.is_captured) {
        sn_log(weights.log.level, "%s", weights.log.line);
        sn_editor_set_message(e, "%s", weights.log.line);
    }
    const sn_result result = weights.result == SN_OK ? adopt_model(e, &weights) : weights.result;
    if (result != SN_OK) {
        sn_editor_revert(e);
        e->is_reverting = true;
        return NULL;
    }
    sn_editor_update_bone_map(e);
    if (!weights.log.is_captured && !e->is_reverting) {
        sn_editor_set_message(e, "%d handles, weights computed in %.0f ms", e->handles.count, 1e3 * weights.seconds);
    }
    return e->model;
}
