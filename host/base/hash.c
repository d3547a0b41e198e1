/* SPDX-License-Identifier: MIT */
#include "host/base/hash.h"

#include <string.h>

#define PRIME UINT64_C(0x100000001b3)

uint64_t sn_hash(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *cursor = bytes;
    uint64_t hash = seed;
    for (; size >= 8; size -= 8, cursor += 8) {
        uint64_t word;
        memcpy(&word, cursor, 8);
        hash = (hash ^ word) * PRIME;
        hash ^= hash >> 29; /* plain FNV never propagates a word's high bits downwards */
    }
    for (; size > 0; --size, ++cursor) {
        hash = (hash ^ *cursor) * PRIME;
    }
    return hash;
}
