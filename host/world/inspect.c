/* SPDX-License-Identifier: MIT */
#include "host/world/inspect.h"

#include "host/world/store.h"

sn_world_body sn_world_inspect(sn_body_id id)
{
    sn_body_slot *slot = sn_body_need(id);
    return (sn_world_body){slot->table, slot->body, sn_body_slot_pose(slot, 1), slot->morphs, slot->desc.amount};
}

sn_body_matrices sn_world_told_output(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_need(id);
    return (sn_body_matrices){(const sn_mat3x4 *)(const void *)slot->matrices, slot->bone_count,
                              sn_world_at(id.world0)->place ? 0 : slot->used_mode_count, slot->morphs,
                              slot->morph_count};
}
