/* SPDX-License-Identifier: MIT */
#include "host/world/store.h"

sn_body_step_stats sn_body_last_step_stats(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_get(id);
    sn_body_step_stats stats = {.is_converged = true};
    if (slot->table->body_step_stats) {
        slot->table->body_step_stats(slot->body, &stats);
    }
    return stats;
}
