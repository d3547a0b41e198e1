/* SPDX-License-Identifier: MIT */
/* The hooks, the accounting of memory, the arena, versions and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/arena.h"
#include "host/base/hash.h"

typedef struct log_record {
    int count;
    sn_log_level level;
    char line[1200];
} log_record;

typedef struct heap_record {
    int alloc_count, free_count;
    int allowed_count; /* allocations until it refuses; -1 = never */
    size_t live_bytes;
    size_t last_bytes, last_alignment;
} heap_record;

static void record_log(sn_log_level level, const char *message, void *user)
{
    log_record *record = user;
    ++record->count;
    record->level = level;
    snprintf(record->line, sizeof record->line, "%s", message);
}

static void *record_alloc(size_t bytes, size_t alignment, void *user)
{
    heap_record *record = user;
    record->last_bytes = bytes;
    record->last_alignment = alignment;
    if (record->allowed_count >= 0 && record->alloc_count >= record->allowed_count) {
        return NULL;
    }
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory) {
        memset(memory, 0xa5, bytes); /* whoever relies on zeros must have written them */
        ++record->alloc_count;
        record->live_bytes += bytes;
    }
    return memory;
}

static void record_free(void *memory, size_t bytes, void *user)
{
    heap_record *record = user;
    ++record->free_count;
    record->live_bytes -= bytes;
    free(memory);
}

/* Every test has the recording log; the hooks are back at their defaults, and all bytes returned, after each. */
static log_record logged;

static int set_up(void **state)
{
    (void)state;
    logged = (log_record){0};
    sn_set_log(record_log, &logged);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    sn_set_allocator(NULL, NULL, NULL);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static bool is_zero(const void *memory, size_t bytes)
{
    const uint8_t *cursor = memory;
    for (size_t i = 0; i < bytes; ++i) {
        if (cursor[i] != 0) {
            return false;
        }
    }
    return true;
}

static bool is_aligned(const void *memory)
{
    return (uintptr_t)memory % SN_ALIGNMENT == 0;
}

static void assert_one_error(const char *text)
{
    assert_int_equal(logged.count, 1);
    assert_int_equal(logged.level, SN_LOG_ERROR);
    assert_non_null(strstr(logged.line, text));
    assert_null(strchr(logged.line, '\n'));
}

static void test_alloc_counts_bytes(void **state)
{
    (void)state;
    double *a = sn_alloc(1234, sizeof *a);
    assert_non_null(a);
    assert_true(is_aligned(a));
    assert_true(is_zero(a, 1234 * sizeof *a));
    assert_int_equal(sn_allocated_bytes(), 1234 * sizeof *a);
    char *b = sn_alloc(7, 1);
    assert_true(is_aligned(b));
    assert_int_equal(sn_allocated_bytes(), 1234 * sizeof *a + 7);
    assert_true(sn_peak_allocated_bytes() >= 1234 * sizeof *a + 7);
    sn_free(a, 1234, sizeof *a);
    assert_int_equal(sn_allocated_bytes(), 7);
    assert_true(sn_peak_allocated_bytes() >= 1234 * sizeof *a + 7);
    sn_free(b, 7, 1);
    sn_free(NULL, 7, 1);
    assert_int_equal(sn_allocated_bytes(), 0);
    assert_int_equal(logged.count, 0);
}

static void test_alloc_of_nothing(void **state)
{
    (void)state;
    char *memory = sn_alloc(0, 16);
    assert_non_null(memory);
    assert_int_equal(sn_allocated_bytes(), 0);
    sn_free(memory, 0, 16);
}

/* What code deep inside says begins with what is worked at; what names its object does not. */
static void test_subject(void **state)
{
    (void)state;
    assert_null(sn_log_subject("fish.msh"));
    assert_int_equal(sn_fail_within(SN_ERROR_NUMERIC, "a matrix of %d", 5), SN_ERROR_NUMERIC);
    assert_string_equal(logged.line, "fish.msh: a matrix of 5");
    assert_null(sn_alloc(SIZE_MAX, 2));
    assert_non_null(strstr(logged.line, "fish.msh: out of memory"));
    assert_int_equal(sn_fail(SN_ERROR_FILE, "rig.json: cannot open"), SN_ERROR_FILE);
    assert_string_equal(logged.line, "rig.json: cannot open");
    char name[3000]; /* the cause stands in the line however long the name is */
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_string_equal(sn_log_subject(name), "fish.msh");
    sn_fail_within(SN_ERROR_NUMERIC, "too large");
    assert_non_null(strstr(logged.line, "nntoo large"));
    assert_ptr_equal(sn_log_subject(NULL), name);
    sn_fail_within(SN_ERROR_NUMERIC, "too large");
    assert_string_equal(logged.line, "too large");
}

/* An attempt within another keeps its own lines, and gives back what it found. */
static void test_kept_lines(void **state)
{
    (void)state;
    sn_captured_log outer = {0}, inner = {0};
    logged = (log_record){0};
    assert_null(sn_capture_log(&outer));
    sn_log(SN_LOG_WARNING, "outside");
    assert_ptr_equal(sn_capture_log(&inner), &outer);
    sn_fail(SN_ERROR_NUMERIC, "inside");
    assert_ptr_equal(sn_capture_log(&outer), &inner);
    assert_ptr_equal(sn_capture_log(NULL), &outer);
    assert_string_equal(outer.line, "outside");
    assert_string_equal(inner.line, "inside");
    assert_true(outer.level == SN_LOG_WARNING && inner.level == SN_LOG_ERROR);
    assert_string_equal(logged.line, "");
    assert_null(sn_capture_log(NULL));
}

static void test_alloc_overflow(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = -1};
    sn_set_allocator(record_alloc, record_free, &heap);
    assert_null(sn_alloc(SIZE_MAX, 2));
    assert_one_error("out of memory");
    logged = (log_record){0};
    /* Wraps around to 16 bytes if the product is not checked. */
    assert_null(sn_alloc(SIZE_MAX / 16 + 2, 16));
    assert_one_error("out of memory");
    logged = (log_record){0};
    assert_null(sn_alloc(SIZE_MAX, 1));
    assert_one_error("out of memory");
    assert_int_equal(heap.last_bytes, 0); /* the hook was never asked */
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_allocator_hook(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = -1};
    sn_set_allocator(record_alloc, record_free, &heap);
    uint8_t *memory = sn_alloc(100, 3);
    assert_non_null(memory);
    assert_int_equal(heap.last_bytes, 300);
    assert_int_equal(heap.last_alignment, SN_ALIGNMENT);
    assert_true(is_zero(memory, 300));
    sn_free(memory, 100, 3);
    assert_int_equal(heap.free_count, 1);
    assert_int_equal(heap.live_bytes, 0);
}

static void test_allocator_hook_failure(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = 0};
    sn_set_allocator(record_alloc, record_free, &heap);
    assert_null(sn_alloc(10, 10));
    assert_one_error("out of memory: 10 x 10 bytes");
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_arena_zeroes_and_aligns(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = -1};
    sn_set_allocator(record_alloc, record_free, &heap);
    static const size_t sizes[] = {1, 63, 64, 65, 0, 1000, 12345};
    uint8_t *parts[sizeof sizes / sizeof sizes[0]];
    sn_arena arena = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        parts[i] = SN_NEW(&arena, uint8_t, sizes[i]);
        assert_non_null(parts[i]);
        assert_true(is_aligned(parts[i]));
        assert_true(is_zero(parts[i], sizes[i]));
        memset(parts[i], (int)i + 1, sizes[i]);
    }
    /* No part lies over another one. */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (size_t k = 0; k < sizes[i]; ++k) {
            assert_int_equal(parts[i][k], i + 1);
        }
    }
    sn_arena_finish(&arena);
    assert_int_equal(heap.live_bytes, 0);
}

static void test_arena_grows(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = -1};
    sn_set_allocator(record_alloc, record_free, &heap);
    enum { PART_COUNT = 500, PART = 1234 };
    static int32_t *parts[PART_COUNT];
    sn_arena arena = {0};
    for (int i = 0; i < PART_COUNT; ++i) {
        parts[i] = SN_NEW(&arena, int32_t, PART);
        assert_non_null(parts[i]);
        assert_true(is_zero(parts[i], PART * sizeof(int32_t)));
        for (int k = 0; k < PART; ++k) {
            parts[i][k] = i;
        }
    }
    for (int i = 0; i < PART_COUNT; ++i) { /* growth moved nothing */
        assert_int_equal(parts[i][0], i);
        assert_int_equal(parts[i][PART - 1], i);
    }
    assert_true(heap.alloc_count > 1);
    assert_true(heap.alloc_count < 20);
    /* One large array costs its own size, not twice the arena. */
    const size_t before = sn_allocated_bytes();
    const size_t large = (size_t)10 << 20;
    uint8_t *memory = SN_NEW(&arena, uint8_t, large);
    assert_non_null(memory);
    assert_true(is_aligned(memory) && is_zero(memory, large));
    assert_true(sn_allocated_bytes() - before < large + 4096);
    assert_int_equal(heap.live_bytes, sn_allocated_bytes());
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
    assert_int_equal(heap.live_bytes, 0);
    assert_int_equal(heap.free_count, heap.alloc_count);
}

static void test_arena_is_reusable(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_arena_finish(&arena); /* an empty one */
    for (int round = 0; round < 3; ++round) {
        char *memory = SN_NEW(&arena, char, 100);
        assert_non_null(memory);
        assert_true(is_zero(memory, 100));
        memset(memory, 1, 100);
        sn_arena_finish(&arena);
        assert_int_equal(sn_allocated_bytes(), 0);
    }
}

static void test_arena_overflow(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = -1};
    sn_set_allocator(record_alloc, record_free, &heap);
    sn_arena arena = {0};
    static const size_t counts[][2] = {
        {SIZE_MAX, 1}, {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 16 + 2, 16}, {SIZE_MAX - 63, 1}, {SIZE_MAX / 2, 1}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        logged = (log_record){0};
        assert_null(sn_arena_alloc(&arena, counts[i][0], counts[i][1]));
        assert_one_error("out of memory");
    }
    assert_int_equal(heap.alloc_count, 0);
    /* It still works. */
    assert_non_null(SN_NEW(&arena, int, 10));
    sn_arena_finish(&arena);
}

static void test_arena_failure_keeps_what_is_there(void **state)
{
    (void)state;
    heap_record heap = {.allowed_count = 1};
    sn_set_allocator(record_alloc, record_free, &heap);
    sn_arena arena = {0};
    int *kept = SN_NEW(&arena, int, 4);
    assert_non_null(kept);
    kept[3] = 42;
    assert_null(SN_NEW(&arena, char, 1 << 20));
    assert_one_error("out of memory");
    assert_int_equal(kept[3], 42);
    assert_non_null(SN_NEW(&arena, int, 4)); /* there is room in the first block */
    sn_arena_finish(&arena);
    assert_int_equal(heap.live_bytes, 0);
}

static void test_log(void **state)
{
    (void)state;
    sn_log(SN_LOG_WARNING, "warning: %s has %d bones", "fish.json", 3);
    assert_int_equal(logged.count, 1);
    assert_int_equal(logged.level, SN_LOG_WARNING);
    assert_string_equal(logged.line, "warning: fish.json has 3 bones");
    logged = (log_record){0};
    assert_int_equal(sn_fail(SN_ERROR_FORMAT, "fish.msh: line %d: no nodes", 7), SN_ERROR_FORMAT);
    assert_one_error("fish.msh: line 7: no nodes");
}

static void test_log_stays_one_line(void **state)
{
    (void)state;
    sn_log(SN_LOG_WARNING, "a name with a \n break, a \x1b and \xc3\xa9");
    assert_string_equal(logged.line, "a name with a ? break, a ? and \xc3\xa9");
    logged = (log_record){0};
}

static void test_log_cuts_long_lines(void **state)
{
    (void)state;
    char text[4000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    sn_log(SN_LOG_INFO, "%s", text);
    assert_int_equal(logged.count, 1);
    assert_true(strlen(logged.line) > 100 && strlen(logged.line) < sizeof text);
}

static void test_log_without_hook(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    sn_log(SN_LOG_ERROR, "nobody listens");
    assert_int_equal(sn_fail(SN_ERROR_FILE, "nobody listens"), SN_ERROR_FILE);
    assert_int_equal(logged.count, 0);
}

static jmp_buf assert_return;
static char assert_text[200];

static void record_assert(const char *condition, const char *file, int line)
{
    snprintf(assert_text, sizeof assert_text, "%s:%d: %s", file, line, condition);
    longjmp(assert_return, 1); /* returning would abort */
}

static void test_assert_hook(void **state)
{
    (void)state;
    sn_set_assert(record_assert);
    assert_text[0] = 0;
    SN_ASSERT(1 + 1 == 2);
    assert_string_equal(assert_text, "");
    if (setjmp(assert_return) == 0) {
        SN_ASSERT(1 + 1 == 3);
        fail_msg("the assertion held");
    }
    sn_set_assert(NULL);
    assert_non_null(strstr(assert_text, "1 + 1 == 3"));
    assert_non_null(strstr(assert_text, "test_base.c:"));
}

static void test_version(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
    assert_string_equal(sn_version(), text);
    assert_string_equal(SN_VERSION_STRING, text);
}

static void test_result_names(void **state)
{
    (void)state;
    assert_string_equal(sn_result_name(SN_OK), "ok");
    assert_string_equal(sn_result_name(SN_ERROR_FORMAT), "malformed file");
    assert_string_equal(sn_result_name(SN_ERROR_CANCELLED), "cancelled");
    for (int i = SN_OK; i <= SN_ERROR_CANCELLED; ++i) {
        assert_string_not_equal(sn_result_name((sn_result)i), "unknown result");
        for (int k = SN_OK; k < i; ++k) {
            assert_string_not_equal(sn_result_name((sn_result)i), sn_result_name((sn_result)k));
        }
    }
    assert_string_equal(sn_result_name((sn_result)(SN_ERROR_CANCELLED + 1)), "unknown result");
}

static void test_hash(void **state)
{
    (void)state;
    uint8_t bytes[83];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)(i * 37 + 11);
    }
    assert_true(sn_hash(SN_HASH_SEED, bytes, 0) == SN_HASH_SEED);
    const uint64_t whole = sn_hash(SN_HASH_SEED, bytes, sizeof bytes);
    assert_true(sn_hash(sn_hash(SN_HASH_SEED, bytes, 40), bytes + 40, sizeof bytes - 40) == whole);
    for (size_t bit = 0; bit < 8 * sizeof bytes; ++bit) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(sn_hash(SN_HASH_SEED, bytes, sizeof bytes) != whole);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(sn_hash(SN_HASH_SEED, bytes, sizeof bytes - 1) != whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int test_base(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_alloc_counts_bytes),
        TEST(test_alloc_of_nothing),
        TEST(test_subject),
        TEST(test_kept_lines),
        TEST(test_alloc_overflow),
        TEST(test_allocator_hook),
        TEST(test_allocator_hook_failure),
        TEST(test_arena_zeroes_and_aligns),
        TEST(test_arena_grows),
        TEST(test_arena_is_reusable),
        TEST(test_arena_overflow),
        TEST(test_arena_failure_keeps_what_is_there),
        TEST(test_log),
        TEST(test_log_stays_one_line),
        TEST(test_log_cuts_long_lines),
        TEST(test_log_without_hook),
        TEST(test_assert_hook),
        TEST(test_version),
        TEST(test_result_names),
        TEST(test_hash),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
