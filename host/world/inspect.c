/* SPDX-License-Identifier: MIT */
#include "host/world/inspect.h"

#include "host/world/store.h"

sn_world_body sn_world_inspect(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_need(id);
    return (sn_world_body){slot->table, slot->body, slot->pose_now, slot->morphs, slot->desc.amount};
}
