/* SPDX-License-Identifier: MIT */
#include "host/base/arena.h"

#define FIRST_BLOCK_BYTES ((size_t)1 << 16)
#define MAX_BLOCK_BYTES ((size_t)1 << 20)

struct sn_arena_block {
    sn_arena_block *previous;
    size_t capacity; /* size of the whole block, including this header */
    size_t used;
};

/* Adds a block for at least `bytes`. A large array gets a block of its own behind the open one, which remains open for
 * later allocations. */
static sn_arena_block *add_block(sn_arena *arena, size_t bytes)
{
    const bool is_large = bytes > FIRST_BLOCK_BYTES / 2;
    const size_t doubled = arena->last ? arena->last->capacity * 2 : FIRST_BLOCK_BYTES;
    const size_t shared = doubled < MAX_BLOCK_BYTES ? doubled : MAX_BLOCK_BYTES;
    const size_t capacity = is_large ? SN_ALIGNMENT + bytes : shared;
    sn_arena_block *block = sn_alloc(capacity, 1);
    if (!block) {
        return NULL;
    }
    block->capacity = capacity;
    block->used = SN_ALIGNMENT;
    if (is_large && arena->last) {
        block->previous = arena->last->previous;
        arena->last->previous = block;
    } else {
        block->previous = arena->last;
        arena->last = block;
    }
    return block;
}

void *sn_arena_alloc(sn_arena *arena, size_t count, size_t element_size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, element_size, &bytes) || bytes > SIZE_MAX / 4) {
        (void)sn_fail_within(SN_ERROR_MEMORY, "out of memory: %zu x %zu bytes", count, element_size);
        return NULL;
    }
    bytes = (bytes + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
    sn_arena_block *block = arena->last;
    if (!block || block->capacity - block->used < bytes) {
        block = add_block(arena, bytes);
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
