/* SPDX-License-Identifier: MIT */
#include "host/world/store.h"

sn_body_effort sn_body_last_effort(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_need(id);
    sn_body_effort effort = {.is_converged = true};
    if (slot->table->body_effort) {
        slot->table->body_effort(slot->body, &effort);
    }
    return effort;
}
