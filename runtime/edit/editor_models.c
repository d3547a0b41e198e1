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

void sn_edit_model_release(sn_edit_model *made)
{
    sn_model_release(made->model);
    sn_blob_release(&made->blob);
    *made = (sn_edit_model){0};
}

/* Transfers targets and compliances to the new model by bone name. Locked bones keep their current transforms, because
 * the new bones have no motion. */
static void keep_targets(sn_editor *e, const sn_model *next)
{
    bool has_target[SN_EDIT_HANDLE_LIMIT] = {false};
    double targets[SN_EDIT_HANDLE_LIMIT][12], compliances[SN_EDIT_HANDLE_LIMIT];
    for (int bone = 0; bone < sn_model_bone_count(next); ++bone) {
        const int before = bone_of(e->model, sn_model_bone_name(next, bone));
        compliances[bone] = before >= 0 ? e->compliances[before] : -1;
        if (before >= 0 && e->has_target[before]) {
            has_target[bone] = true;
            memcpy(targets[bone], e->targets[before], sizeof targets[bone]);
        } else if (before >= 0 && sn_body_locks(e->body, before) != 0) {
            has_target[bone] = true;
            sn_editor_transform(e, before, targets[bone]);
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
static void keep_held(sn_editor *e, const sn_model *next)
{
    if (e->action == SN_EDIT_DRAGS || e->action == SN_EDIT_TURNS) {
        const int bone = bone_of(next, sn_model_bone_name(e->model, e->bone));
        if (bone < 0) {
            sn_editor_let_go(e);
        }
        e->bone = bone;
    }
}

static sn_result take_model(sn_editor *e, const sn_edit_weighed *weighed)
{
    sn_edit_model next = {.blob = weighed->blob};
    sn_drawn drawn = {0};
    sn_result result = sn_model_load(next.blob.bytes, next.blob.size, &next.model);
    if (result == SN_OK) {
        result = sn_drawn_start(&drawn, next.model);
    }
    if (result == SN_OK) {
        keep_held(e, next.model);
        keep_targets(e, next.model);
        result = sn_body_set_rig(e->body, next.model);
    }
    if (result != SN_OK) {
        sn_drawn_finish(&drawn);
        sn_edit_model_release(&next);
        return result;
    }
    sn_drawn_finish(&e->drawn);
    sn_edit_model_release(&e->made[1]);
    e->made[1] = e->made[0];
    e->made[0] = next;
    e->model = next.model;
    e->drawn = drawn;
    e->good = e->asked; /* the user may have edited `handles` further since the request */
    return SN_OK;
}

const sn_model *sn_editor_update(sn_editor *e)
{
    sn_edit_weighed weighed;
    if (!e->is_weighing || !sn_edit_weigher_take(e->weigher, &weighed)) {
        return NULL;
    }
    e->is_weighing = false;
    e->weigh_seconds = weighed.seconds;
    if (weighed.log.is_kept) {
        sn_log(weighed.log.level, "%s", weighed.log.line);
        sn_editor_tell(e, "%s", weighed.log.line);
    }
    const sn_result result = weighed.result == SN_OK ? take_model(e, &weighed) : weighed.result;
    if (result != SN_OK) {
        sn_editor_take_back(e);
        e->is_taken_back = true;
        return NULL;
    }
    sn_editor_resolve(e);
    if (!weighed.log.is_kept && !e->is_taken_back) {
        sn_editor_tell(e, "%d handles, weights computed in %.0f ms", e->handles.count, 1e3 * weighed.seconds);
    }
    return e->model;
}
