/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/heard.h"

#include <string.h>

static_assert(SN_HEARD_SLOT_COUNT >= 2 * SN_TRACKING_EXPRESSION_LIMIT, "a free slot ends every search");

/* FNV-1a hash. */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

int sn_heard_expression(sn_heard *h, const char *name, sn_tracking *moment)
{
    const size_t length = strnlen(name, SN_TRACKING_NAME_SIZE);
    if (length == 0 || length == SN_TRACKING_NAME_SIZE) {
        return -1;
    }
    uint32_t slot = hash_of(name) & (SN_HEARD_SLOT_COUNT - 1);
    while (h->slots[slot].name[0] && strcmp(h->slots[slot].name, name) != 0) {
        slot = (slot + 1) & (SN_HEARD_SLOT_COUNT - 1);
    }
    if (h->slots[slot].name[0]) {
        return h->slots[slot].index;
    }
    const int index = h->count < SN_TRACKING_EXPRESSION_LIMIT ? sn_tracking_expression(moment, name, length) : -1;
    if (index >= 0) {
        memcpy(h->slots[slot].name, name, length + 1);
        h->slots[slot].index = index;
        ++h->count;
    }
    return index;
}
