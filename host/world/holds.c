/* SPDX-License-Identifier: MIT */
/* What pushes and holds the flesh of one body. */
#include <math.h>

#include "host/world/record.h"

void sn_body_apply_impulse(sn_body_id id, const double point[3], const double impulse[3])
{
    const sn_body_slot *slot = sn_body_need(id);
    SN_RECORD(slot->recorder, IMPULSE, .body = id.index1, .point = {point[0], point[1], point[2]},
              .vector = {impulse[0], impulse[1], impulse[2]});
    slot->table->body_impulse(slot->body, point, impulse);
}

void sn_body_apply_bone_impulse(sn_body_id id, int bone, const double impulse[3])
{
    sn_body_slot *slot = sn_body_need(id);
    SN_ASSERT(bone >= 0 && bone < slot->bone_count);
    const sn_solver_table *table = slot->table;
    SN_RECORD(slot->recorder, BONE_IMPULSE, .body = id.index1, .index = bone,
              .vector = {impulse[0], impulse[1], impulse[2]});
    if (table->body_bone_impulse) {
        table->body_bone_impulse(slot->body, bone, impulse);
    } else {
        sn_log(SN_LOG_WARNING, "body %d: a bone's impulse is lost: its backend has none", id.index1);
    }
}

static bool is_within(double value, double most)
{
    return value >= 0 && value <= most;
}

sn_grab_desc sn_default_grab_desc(void)
{
    return (sn_grab_desc){.reach = INFINITY, .softness = 0.1, .damping_ratio = 1, .strength = 0.3};
}

int sn_body_grab(sn_body_id id, const double point[3], const sn_grab_desc *desc)
{
    const bool is_sound = desc->reach >= 0 && desc->softness >= 1e-6 && is_within(desc->softness, 1e6) &&
                          is_within(desc->damping_ratio, 1e3) && desc->strength > 0 && is_within(desc->strength, 1e3);
    const sn_body_slot *slot = sn_body_need(id);
    const sn_solver_table *table = slot->table;
    const int grab = is_sound && table->body_grab ? table->body_grab(slot->body, point, desc) : -1;
    SN_RECORD(slot->recorder, GRAB, .body = id.index1, .point = {point[0], point[1], point[2]}, .desc.grab = *desc,
              .number = grab);
    return grab;
}

/* What found nothing to hold is -1. */
static bool is_grab(int grab)
{
    return grab >= 0 && grab < SN_GRAB_LIMIT;
}

void sn_body_drag(sn_body_id id, int grab, const double target[3])
{
    const sn_body_slot *slot = sn_body_need(id);
    const sn_solver_table *table = slot->table;
    SN_RECORD(slot->recorder, DRAG, .body = id.index1, .index = grab, .point = {target[0], target[1], target[2]});
    if (table->body_drag && is_grab(grab)) {
        table->body_drag(slot->body, grab, target);
    }
}

void sn_body_release(sn_body_id id, int grab)
{
    const sn_body_slot *slot = sn_body_need(id);
    const sn_solver_table *table = slot->table;
    SN_RECORD(slot->recorder, RELEASE, .body = id.index1, .index = grab);
    if (table->body_release && is_grab(grab)) {
        table->body_release(slot->body, grab);
    }
}
