/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/name_table.h"

#include <string.h>

static_assert(SN_NAME_TABLE_SLOT_COUNT >= 2 * SN_TRACKING_EXPRESSION_LIMIT, "a free slot ends every search");

/* FNV-1a hash. */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; ++name) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

int sn_name_table_expression(sn_name_table *table, const char *name, sn_tracking *tracking_frame)
{
    const size_t length = strnlen(name, SN_TRACKING_NAME_SIZE);
    if (length == 0 || length == SN_TRACKING_NAME_SIZE) {
        return -1;
    }
    uint32_t slot = hash_of(name) & (SN_NAME_TABLE_SLOT_COUNT - 1);
    while (table->slots[slot].name[0] && strcmp(table->slots[slot].name, name) != 0) {
        slot = (slot + 1) & (SN_NAME_TABLE_SLOT_COUNT - 1);
    }
    if (table->slots[slot].name[0]) {
        return table->slots[slot].index;
    }
    const int index =
        table->count < SN_TRACKING_EXPRESSION_LIMIT ? sn_tracking_expression(tracking_frame, name, length) : -1;
    if (index >= 0) {
        memcpy(table->slots[slot].name, name, length + 1);
        table->slots[slot].index = index;
        ++table->count;
    }
    return index;
}
