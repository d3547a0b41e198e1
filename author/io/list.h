/* SPDX-License-Identifier: MIT */
/* Growing arrays, for readers of files with unknown element counts. Private to author/io. */
#ifndef SN_AUTHOR_IO_LIST_H
#define SN_AUTHOR_IO_LIST_H

#include "host/base/arena.h"

/* A growing array of items of one type in heap memory; its capacity doubles. A zeroed list is empty. Call
 * sn_list_finish on every path. */
typedef struct sn_list {
    void *items;
    size_t count, capacity; /* counted in items */
    size_t item_bytes;
} sn_list;

/* Appends `count` zeroed items and returns the first (a valid pointer also for count 0), valid until the next call;
 * null (logged) when memory is exhausted. */
void *sn_list_add(sn_list *list, size_t item_bytes, size_t count);
#define SN_LIST_ADD(list, type, count) ((type *)sn_list_add((list), sizeof(type), (size_t)(count)))
void sn_list_finish(sn_list *list);
/* Copies a list to the arena at its exact size; null (logged) when memory is exhausted. */
void *sn_list_copy(const sn_list *list, size_t item_bytes, sn_arena *arena);

#endif
