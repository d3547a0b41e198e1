/* SPDX-License-Identifier: MIT */
/* What the tests of the readers share: growing byte strings, and seeded mutations. */
#ifndef SN_TESTS_IO_IO_TEST_H
#define SN_TESTS_IO_IO_TEST_H

#include "author/io/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/log.h"

static inline void skip_without(const char *path)
{
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is absent\n", path);
        skip();
    }
}

/* A byte string that grows; enough for the small files of the tests. */
typedef struct bytes {
    size_t size;
    uint8_t data[65536];
} bytes;

static inline void put(bytes *b, const void *data, size_t size)
{
    assert_true(size <= sizeof b->data - 1 - b->size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = 0;
}

static inline void put_text(bytes *b, const char *text)
{
    put(b, text, strlen(text));
}

static inline void put_int(bytes *b, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(value >> (8 * i));
        put(b, &byte, 1);
    }
}

static inline void put_f64(bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_int(b, bits, 8);
}

static inline sn_source source_of(const bytes *b)
{
    return (sn_source){.name = "memory", .bytes = b->data, .size = b->size};
}

static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Reads from an exact copy of the bytes, so that the sanitizer sees a read behind the null. */
typedef sn_result read_function(const sn_source *source, sn_arena *arena);

static inline void read_copy(const uint8_t *data, size_t size, read_function *read)
{
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = 0;
    sn_arena arena = {0};
    begin_log();
    const sn_source source = {.name = "mutated", .bytes = copy, .size = size};
    const sn_result result = read(&source, &arena);
    assert_int_equal(logged.errors, result == SN_OK ? 0 : 1);
    sn_arena_finish(&arena);
    free(copy);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Every truncation, then `rounds` copies with one to four changed bytes. */
static inline void mutate(const bytes *good, uint64_t seed, int rounds, read_function *read)
{
    for (size_t size = 0; size < good->size; size++) {
        read_copy(good->data, size, read);
    }
    for (int i = 0; i < rounds; i++) {
        bytes bad = *good;
        const uint32_t changes = 1 + next_random(&seed) % 4;
        for (uint32_t k = 0; k < changes; k++) {
            static const char likely[] = "0123456789-.e \n\"[]{},$";
            const size_t at = next_random(&seed) % bad.size;
            const uint32_t kind = next_random(&seed) % 3;
            const uint32_t value = next_random(&seed);
            const uint8_t flipped = (uint8_t)(bad.data[at] ^ (1u << value % 8));
            const uint8_t choices[3] = {(uint8_t)value, flipped, (uint8_t)likely[value % (sizeof likely - 1)]};
            bad.data[at] = choices[kind];
        }
        read_copy(bad.data, bad.size, read);
    }
}

/* An allocator that gives memory `left` times; negative: always. */
static inline void *failing_alloc(size_t size, size_t alignment, void *user)
{
    int *left = user;
    if (*left == 0) {
        return NULL;
    }
    *left -= *left > 0;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void failing_free(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

/* Fails each allocation in turn: SN_ERROR_MEMORY, one line, nothing left behind. */
static inline void fail_each_allocation(const bytes *good, read_function *read)
{
    sn_result result = SN_ERROR_MEMORY;
    for (int count = 0; result != SN_OK && count < 100; count++) {
        int left = count;
        sn_arena arena = {0};
        const sn_source source = source_of(good);
        begin_log();
        sn_set_allocator(failing_alloc, failing_free, &left);
        result = read(&source, &arena);
        sn_arena_finish(&arena);
        sn_set_allocator(NULL, NULL, NULL);
        assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
        assert_int_equal(logged.errors, result == SN_OK ? 0 : 1);
        assert_int_equal(sn_allocated_bytes(), 0);
    }
    assert_int_equal(result, SN_OK);
}

#endif
