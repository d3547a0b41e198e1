/* SPDX-License-Identifier: MIT */
/* A growing arena: many allocations, one release. Blocks double in size; nothing moves. Not thread-safe. */
#ifndef SN_HOST_BASE_ARENA_H
#define SN_HOST_BASE_ARENA_H

#include "host/base/base.h"

typedef struct sn_arena_block sn_arena_block;

/* A zeroed arena is empty and ready. */
typedef struct sn_arena {
    sn_arena_block *last;
} sn_arena;

/* Zero-filled and 64-byte aligned; null on overflow or when memory is out (logged). A count of 0 gives a valid pointer.
 */
void *sn_arena_alloc(sn_arena *arena, size_t count, size_t element_size);
#define SN_NEW(arena, type, count) ((type *)sn_arena_alloc((arena), (size_t)(count), sizeof(type)))

/* Frees every block; the arena is then empty and can be used again. */
void sn_arena_finish(sn_arena *arena);

#endif
