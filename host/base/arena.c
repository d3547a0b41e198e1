/* SPDX-License-Identifier: MIT */
#include "host/base/arena.h"

#define FIRST_BLOCK_BYTES ((size_t)1 << 16)

struct sn_arena_block {
    sn_arena_block *previous;
    size_t capacity; /* bytes of the whole block, this header included */
    size_t used;
};

static sn_arena_block *push_block(sn_arena *arena, size_t bytes)
{
    const size_t doubled = arena->last ? arena->last->capacity * 2 : FIRST_BLOCK_BYTES;
    const size_t needed = SN_ALIGNMENT + bytes;
    /* A large array gets a block of its own size, so that peak memory stays near what is used. */
    const size_t capacity =
        needed > FIRST_BLOCK_BYTES ? needed : (doubled < FIRST_BLOCK_BYTES ? FIRST_BLOCK_BYTES : doubled);
    const size_t bounded = capacity > needed && capacity > 16 * FIRST_BLOCK_BYTES ? 16 * FIRST_BLOCK_BYTES : capacity;
    sn_arena_block *block = sn_alloc(bounded, 1);
    if (block) {
        block->previous = arena->last;
        block->capacity = bounded;
        block->used = SN_ALIGNMENT;
        arena->last = block;
    }
    return block;
}

void *sn_arena_alloc(sn_arena *arena, size_t count, size_t element_size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, element_size, &bytes) || bytes > SIZE_MAX / 4) {
        sn_log(SN_LOG_ERROR, "out of memory: %zu x %zu bytes", count, element_size);
        return NULL;
    }
    bytes = (bytes + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
    sn_arena_block *block = arena->last;
    if (!block || block->capacity - block->used < bytes) {
        block = push_block(arena, bytes);
        if (!block) {
            return NULL;
        }
    }
    void *memory = (char *)block + block->used;
    block->used += bytes;
    return memory;
}

void sn_arena_finish(sn_arena *arena)
{
    while (arena->last) {
        sn_arena_block *block = arena->last;
        arena->last = block->previous;
        sn_free(block, block->capacity, 1);
    }
}
