/* SPDX-License-Identifier: MIT */
/* Impulses and grabs of one body's flesh and of its spring bone chains. */
#include <math.h>

#include "host/math/vec3.h"
#include "host/world/record.h"

#define MIN_CHAIN_WEIGHT 0.5 /* min weight of spring bones at which a grab holds their chain instead of the flesh */

/* The displayed pose of a body with active spring bones. */
static const double *get_displayed_pose(sn_body_id id, sn_body_slot *slot)
{
    const sn_world *w = sn_world_by_index(id.world0);
    return sn_body_slot_displayed_pose(slot, w->display_fraction);
}

static void apply_spring_impulse(sn_body_id id, sn_body_slot *slot, const double *point, const double *impulse)
{
    if (!sn_body_slot_has_active_springs(slot) || 0 * (point[0] + point[1] + point[2]) != 0) {
        return;
    }
    const double *pose = get_displayed_pose(id, slot);
    const sn_spring_skin_point at = sn_springs_find_skin_point(slot->springs, pose, point);
    const double spring_impulse[3] = {at.ratio * impulse[0], at.ratio * impulse[1], at.ratio * impulse[2]};
    if (at.joint >= 0) {
        sn_springs_apply_impulse(slot->springs, at.joint,
                                 sn_springs_nearest_fraction(slot->springs, at.joint, pose, point), spring_impulse);
    }
}

void sn_body_apply_impulse(sn_body_id id, const double point[3], const double impulse[3])
{
    sn_body_slot *slot = sn_body_get(id);
    SN_RECORD(slot->recorder, IMPULSE, .body = id.index1, .point = {point[0], point[1], point[2]},
              .vector = {impulse[0], impulse[1], impulse[2]});
    apply_spring_impulse(id, slot, point, impulse);
    slot->table->body_impulse(slot->body, point, impulse);
}

void sn_body_apply_bone_impulse(sn_body_id id, int bone, const double impulse[3])
{
    sn_body_slot *slot = sn_body_get(id);
    SN_ASSERT(bone >= 0 && bone < slot->bone_count);
    const sn_solver_table *table = slot->table;
    SN_RECORD(slot->recorder, BONE_IMPULSE, .body = id.index1, .index = bone,
              .vector = {impulse[0], impulse[1], impulse[2]});
    if (sn_body_slot_has_active_springs(slot) && slot->desc.model->spring_bones[bone] >= 0) {
        sn_springs_apply_impulse(slot->springs, slot->desc.model->spring_bones[bone], 0.5, impulse);
    }
    if (table->body_bone_impulse) {
        table->body_bone_impulse(slot->body, bone, impulse);
    } else {
        sn_log(SN_LOG_WARNING, "body %d: the backend does not support impulses on bones; ignored", id.index1);
    }
}

static bool is_within(double value, double max_value)
{
    return value >= 0 && value <= max_value;
}

sn_grab_desc sn_default_grab_desc(void)
{
    return (sn_grab_desc){.max_distance = INFINITY, .softness = 0.1, .damping_ratio = 1, .strength = 0.3};
}

/* Skin of a spring bone chain is grabbed through the chain, or not at all. */
static int grab_skin(sn_body_id id, sn_body_slot *slot, const double *point, const sn_grab_desc *desc)
{
    const bool has_springs = sn_body_slot_has_active_springs(slot) && 0 * (point[0] + point[1] + point[2]) == 0;
    const double *pose = has_springs ? get_displayed_pose(id, slot) : NULL;
    const sn_spring_skin_point at =
        has_springs ? sn_springs_find_skin_point(slot->springs, pose, point) : (sn_spring_skin_point){.joint = -1};
    if (at.joint < 0 || at.ratio < MIN_CHAIN_WEIGHT) {
        return slot->table->body_grab ? slot->table->body_grab(slot->body, point, desc) : -1;
    }
    const bool is_in_range = sn_distance3(at.position, point) <= desc->max_distance;
    const int grab = is_in_range ? sn_springs_grab(slot->springs, at.joint, pose, point) : -1;
    return grab >= 0 ? SN_GRAB_LIMIT + grab : -1;
}

int sn_body_grab(sn_body_id id, const double point[3], const sn_grab_desc *desc)
{
    const bool is_valid = desc->max_distance >= 0 && desc->softness >= 1e-6 && is_within(desc->softness, 1e6) &&
                          is_within(desc->damping_ratio, 1e3) && desc->strength > 0 && is_within(desc->strength, 1e3);
    sn_body_slot *slot = sn_body_get(id);
    const int grab = is_valid ? grab_skin(id, slot, point, desc) : -1;
    SN_RECORD(slot->recorder, GRAB, .body = id.index1, .point = {point[0], point[1], point[2]}, .desc.grab = *desc,
              .number = grab);
    return grab;
}

/* A failed grab has the index -1. */
static bool is_grab(int grab)
{
    return grab >= 0 && grab < SN_GRAB_LIMIT;
}

static bool is_spring_grab(const sn_body_slot *slot, int grab)
{
    return slot->springs && grab >= SN_GRAB_LIMIT && grab < 2 * SN_GRAB_LIMIT;
}

void sn_body_drag(sn_body_id id, int grab, const double target[3])
{
    const sn_body_slot *slot = sn_body_get(id);
    const sn_solver_table *table = slot->table;
    SN_RECORD(slot->recorder, DRAG, .body = id.index1, .index = grab, .point = {target[0], target[1], target[2]});
    if (is_spring_grab(slot, grab)) {
        sn_springs_drag(slot->springs, grab - SN_GRAB_LIMIT, target);
    } else if (table->body_drag && is_grab(grab)) {
        table->body_drag(slot->body, grab, target);
    }
}

void sn_body_release(sn_body_id id, int grab)
{
    const sn_body_slot *slot = sn_body_get(id);
    const sn_solver_table *table = slot->table;
    SN_RECORD(slot->recorder, RELEASE, .body = id.index1, .index = grab);
    if (is_spring_grab(slot, grab)) {
        sn_springs_release(slot->springs, grab - SN_GRAB_LIMIT);
    } else if (table->body_release && is_grab(grab)) {
        table->body_release(slot->body, grab);
    }
}
