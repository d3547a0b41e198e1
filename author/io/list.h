/* SPDX-License-Identifier: MIT */
/* Lists that grow, for readers that do not know how much comes. Private to author/io. */
#ifndef SN_AUTHOR_IO_LIST_H
#define SN_AUTHOR_IO_LIST_H

#include "host/base/arena.h"

/* A list that doubles; heap memory, so that what it outgrows is free again. A zeroed list is empty; finish it on every
 * way out. One list holds items of one type. */
typedef struct sn_list {
    void *items;
    size_t count, capacity; /* in items */
    size_t item_bytes;
} sn_list;

/* The first of `count` new zeroed items (of none, a valid pointer), good until the next call; null (logged) when memory
 * is out. */
void *sn_list_add(sn_list *list, size_t item_bytes, size_t count);
#define SN_LIST_ADD(list, type, count) ((type *)sn_list_add((list), sizeof(type), (size_t)(count)))
void sn_list_finish(sn_list *list);
/* `count` items of a list at their exact size in the arena; null (logged) when memory is out. */
void *sn_list_copy(const sn_list *list, size_t item_bytes, sn_arena *arena);

#endif
