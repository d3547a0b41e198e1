/* SPDX-License-Identifier: MIT */
#include "author/io/list.h"

#include <string.h>

#define FIRST_LIST_BYTES 256

static bool grow_list(sn_list *list, size_t needed)
{
    size_t capacity = list->capacity > 0 ? list->capacity * 2 : FIRST_LIST_BYTES / list->item_bytes + 1;
    capacity = capacity > needed ? capacity : needed;
    void *items = sn_alloc(capacity, list->item_bytes);
    if (!items) {
        return false;
    }
    if (list->count > 0) {
        memcpy(items, list->items, list->count * list->item_bytes);
    }
    sn_free(list->items, list->capacity, list->item_bytes);
    list->items = items;
    list->capacity = capacity;
    return true;
}

void *sn_list_add(sn_list *list, size_t item_bytes, size_t count)
{
    list->item_bytes = item_bytes;
    if ((!list->items || count > list->capacity - list->count) && !grow_list(list, list->count + count)) {
        return NULL;
    }
    void *first = (char *)list->items + list->count * item_bytes;
    memset(first, 0, count * item_bytes); /* memory of an emptied list is reused */
    list->count += count;
    return first;
}

void sn_list_finish(sn_list *list)
{
    sn_free(list->items, list->capacity, list->item_bytes);
    *list = (sn_list){0};
}

void *sn_list_copy(const sn_list *list, size_t item_bytes, sn_arena *arena)
{
    void *copy = sn_arena_alloc(arena, list->count, item_bytes);
    if (copy && list->count > 0) {
        memcpy(copy, list->items, list->count * item_bytes);
    }
    return copy;
}
