/* SPDX-License-Identifier: MIT */
#include "host/world/inspect.h"

#include "host/world/store.h"

sn_body_inspection sn_body_inspect(sn_body_id id)
{
    sn_body_slot *slot = sn_body_get(id);
    return (sn_body_inspection){slot->table, slot->body, sn_body_slot_displayed_pose(slot, 1), slot->morphs,
                                slot->desc.amount};
}

sn_body_matrices sn_body_cached_output(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_get(id);
    return (sn_body_matrices){(const sn_mat3x4 *)(const void *)slot->matrices, slot->bone_count,
                              sn_world_by_index(id.world0)->backend_world ? 0 : slot->used_mode_count, slot->morphs,
                              slot->morph_count};
}
