/* SPDX-License-Identifier: MIT */
/* Replays calls for bodies. */
#include "host/world/replay_private.h"

static sn_result check_model(sn_replay *r, int index)
{
    if (index < 0 || index >= r->model_count) {
        return sn_replay_report_damage(r, "reference to a missing model");
    }
    if (!r->models[index].model) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: model %d is neither in the recording nor among the %d models passed in", r->file.name,
                       index, r->desc.model_count);
    }
    return SN_OK;
}

sn_result sn_replay_create_body(sn_replay *r, const sn_record_call *call)
{
    sn_body_desc desc = call->desc.body;
    sn_body_id id = {0};
    sn_result result =
        r->world.index1 ? check_model(r, call->index) : sn_replay_report_damage(r, "a body without a world");
    if (result == SN_OK) {
        desc.name = NULL;
        desc.model = r->models[call->index].model;
        result = sn_body_create(r->world, &desc, &id);
    }
    if (result != SN_OK) {
        return result;
    }
    if (id.index1 != call->body) {
        return sn_replay_report_damage(r, "wrong number of bodies");
    }
    if (id.index1 > r->body_count) {
        replayed_body *grown = sn_grow(r->bodies, r->body_count, &r->body_capacity, sizeof *r->bodies);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        r->bodies = grown;
        r->body_count = id.index1;
    }
    r->bodies[id.index1 - 1] = (replayed_body){id, call->index};
    return SN_OK;
}

static sn_result change_desc(sn_replay *r, const sn_record_call *call, const replayed_body *b)
{
    const sn_body_slot *slot = sn_body_get(b->id);
    sn_body_desc desc = call->desc.body;
    desc.name = NULL;
    desc.model = slot->desc.model;
    return desc.solver == slot->desc.solver ? sn_body_set_desc(b->id, &desc)
                                            : sn_replay_report_damage(r, "a change of the solver");
}

static sn_result change_rig(sn_replay *r, const sn_record_call *call, replayed_body *b)
{
    sn_result result = check_model(r, call->index);
    result = result ? result : sn_body_set_model(b->id, r->models[call->index].model);
    b->model = result == SN_OK ? call->index : b->model;
    return result;
}

static sn_result set_embedding(sn_replay *r, const sn_record_call *call, const replayed_body *b)
{
    replayed_model *m = &r->models[b->model];
    if (call->index != 0 && !m->embedding) {
        SN_TRY(sn_embedding_create(m->model, &m->embedding));
    }
    return sn_body_set_embedding(b->id, call->index != 0 ? m->embedding : NULL);
}

/* ---- changes of a body ---- */

/* Checks what the calls would assert. Returns a description of the error, or null. */
static const char *find_error(const sn_record_call *call, const sn_body_slot *slot)
{
    const bool has_bone = call->index >= 0 && call->index < slot->bone_count;
    switch (call->type) {
    case SN_RECORD_POSE:
        return call->count == slot->bone_count ? NULL : "a pose with the wrong number of bones";
    case SN_RECORD_MORPHS:
        return call->count == slot->morph_count ? NULL : "wrong number of morph weights";
    case SN_RECORD_BONE_POSE:
    case SN_RECORD_BONE_IMPULSE:
        return has_bone ? NULL : "bone out of range";
    case SN_RECORD_LOCKS:
    case SN_RECORD_COMPLIANCE:
        return has_bone && slot->table->body_locks ? NULL : "a bone that cannot be locked";
    case SN_RECORD_TEAR:
    case SN_RECORD_REPAIR:
    case SN_RECORD_SPRING:
    case SN_RECORD_SPRING_REMOVED:
        return slot->table->body_locks && slot->bone_count > 0 ? NULL : "a body that is not coupled";
    default:
        return NULL;
    }
}

static void pose_body(const sn_record_call *call, sn_body_id id)
{
    switch (call->type) {
    case SN_RECORD_POSE:
        sn_body_set_pose(id, call->matrices, call->count);
        break;
    case SN_RECORD_RIGID_POSE:
        sn_body_set_rigid_pose(id, &call->matrix);
        break;
    case SN_RECORD_BONE_POSE:
        sn_body_set_bone_pose(id, call->index, &call->matrix);
        break;
    case SN_RECORD_MORPHS:
        sn_body_set_morphs(id, call->floats, call->count);
        break;
    case SN_RECORD_RESET:
        sn_body_reset(id);
        break;
    case SN_RECORD_TELEPORT:
        sn_body_teleport(id, &call->matrix);
        break;
    case SN_RECORD_LOCKS:
        sn_body_set_locks(id, call->index, (unsigned)call->number);
        break;
    default:
        SN_ASSERT(call->type == SN_RECORD_COMPLIANCE);
        sn_body_set_compliance(id, call->index, call->scalar);
        break;
    }
}

static void interact_with_body(sn_replay *r, const sn_record_call *call, sn_body_id id)
{
    int number = call->number;
    switch (call->type) {
    case SN_RECORD_IMPULSE:
        sn_body_apply_impulse(id, call->point, call->vector);
        break;
    case SN_RECORD_BONE_IMPULSE:
        sn_body_apply_bone_impulse(id, call->index, call->vector);
        break;
    case SN_RECORD_GRAB:
        number = sn_body_grab(id, call->point, &call->desc.grab);
        break;
    case SN_RECORD_DRAG:
        sn_body_drag(id, call->index, call->point);
        break;
    case SN_RECORD_RELEASE:
        sn_body_release(id, call->index);
        break;
    case SN_RECORD_TEAR:
        number = sn_body_tear(id, call->point, call->scalar);
        break;
    case SN_RECORD_SPRING:
        number = sn_body_add_spring(id, call->index, call->other, call->scalar, call->second);
        break;
    default:
        SN_ASSERT(call->type == SN_RECORD_SPRING_REMOVED);
        sn_body_remove_spring(id, call->index);
        break;
    }
    if (number != call->number) {
        sn_replay_report_difference(r, "the result of a grab, a tear or a spring");
    }
}

sn_result sn_replay_change_body(sn_replay *r, const sn_record_call *call)
{
    replayed_body *b = call->body > 0 && call->body <= r->body_count ? &r->bodies[call->body - 1] : NULL;
    if (!b || b->id.index1 == 0) {
        return sn_replay_report_damage(r, "reference to a missing body");
    }
    const char *error = find_error(call, sn_body_get(b->id));
    if (error) {
        return sn_replay_report_damage(r, error);
    }
    switch (call->type) {
    case SN_RECORD_BODY_DESTROYED:
        sn_body_destroy(b->id);
        b->id = (sn_body_id){0};
        return SN_OK;
    case SN_RECORD_BODY_DESC:
        return change_desc(r, call, b);
    case SN_RECORD_RIG:
        return change_rig(r, call, b);
    case SN_RECORD_EMBEDDING:
        return set_embedding(r, call, b);
    case SN_RECORD_REPAIR:
        return sn_body_repair(b->id);
    case SN_RECORD_POSE:
    case SN_RECORD_RIGID_POSE:
    case SN_RECORD_BONE_POSE:
    case SN_RECORD_MORPHS:
    case SN_RECORD_RESET:
    case SN_RECORD_TELEPORT:
    case SN_RECORD_LOCKS:
    case SN_RECORD_COMPLIANCE:
        pose_body(call, b->id);
        return SN_OK;
    default:
        interact_with_body(r, call, b->id);
        return SN_OK;
    }
}
