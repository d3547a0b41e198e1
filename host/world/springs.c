/* SPDX-License-Identifier: MIT */
/* Spring bones of bodies. They step before the flesh, which uses the resulting pose. */
#include "host/model/model.h"
#include "host/world/store.h"

sn_result sn_body_slot_add_springs(const sn_world *w, sn_body_slot *slot)
{
    if (slot->desc.solver == SN_SOLVER_COUPLED) { /* its bones are simulated already */
        return SN_OK;
    }
    const sn_result result = sn_springs_create(slot->desc.model, w->desc.time_step, &slot->springs);
    if (result != SN_OK || !slot->springs) {
        return result;
    }
    slot->displayed_pose = sn_alloc((size_t)slot->bone_count, 12 * sizeof(double));
    if (!slot->displayed_pose) {
        sn_body_slot_free_springs(slot);
        return SN_ERROR_MEMORY;
    }
    sn_springs_set_enabled(slot->springs, slot->pose_now, !slot->desc.is_without_springs);
    sn_springs_reset(slot->springs, slot->pose_now);
    return SN_OK;
}

bool sn_body_slot_step_springs(const sn_body_slot *slot, const sn_surroundings *surroundings)
{
    const sn_spring_step_input input = {.is_without_own_colliders = slot->desc.is_without_bone_colliders,
                                        .surroundings = surroundings,
                                        .area = slot->desc.spring_wind_area};
    return !sn_body_slot_has_active_springs(slot) ||
           sn_springs_step(slot->springs, slot->pose_step, &input, slot->pose_step);
}

void sn_body_slot_free_springs(sn_body_slot *slot)
{
    sn_springs_destroy(&slot->springs);
    sn_free(slot->displayed_pose, (size_t)slot->bone_count, 12 * sizeof(double));
    slot->displayed_pose = NULL;
}

const double *sn_body_slot_displayed_pose(sn_body_slot *slot, double fraction)
{
    if (!sn_body_slot_has_active_springs(slot)) {
        return slot->pose_now;
    }
    sn_springs_interpolate(slot->springs, fraction, slot->pose_now, slot->displayed_pose);
    return slot->displayed_pose;
}
