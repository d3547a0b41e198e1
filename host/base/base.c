/* SPDX-License-Identifier: MIT */
#include "host/base/base.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/platform/platform.h"

static void *default_alloc(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    return sn_aligned_alloc(bytes, alignment);
}

static void default_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    sn_aligned_free(memory);
}

static void default_assert(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
}

static struct {
    sn_alloc_function *alloc;
    sn_free_function *free;
    void *alloc_user;
    sn_log_function *log;
    void *log_user;
    sn_assert_function *assert_handler;
} hooks = {default_alloc, default_free, NULL, NULL, NULL, default_assert};

static atomic_size_t allocated_bytes;
static atomic_size_t peak_bytes;

void sn_set_allocator(sn_alloc_function *alloc, sn_free_function *free_function, void *user)
{
    hooks.alloc = alloc ? alloc : default_alloc;
    hooks.free = free_function ? free_function : default_free;
    hooks.alloc_user = user;
}

void sn_set_log(sn_log_function *log, void *user)
{
    hooks.log = log;
    hooks.log_user = user;
}

void sn_set_assert(sn_assert_function *handler)
{
    hooks.assert_handler = handler ? handler : default_assert;
}

size_t sn_allocated_bytes(void)
{
    return atomic_load(&allocated_bytes);
}

size_t sn_peak_allocated_bytes(void)
{
    return atomic_load(&peak_bytes);
}

const char *sn_version(void)
{
    return SN_VERSION_STRING;
}

const char *sn_result_name(sn_result result)
{
    static const char *const names[] = {
        "ok",          "bad argument",      "out of memory", "file error", "malformed file",
        "unsupported", "numerical failure", "cancelled"};
    return (size_t)result < sizeof names / sizeof names[0] ? names[result] : "unknown result";
}

static void count_bytes(size_t bytes)
{
    const size_t now = atomic_fetch_add(&allocated_bytes, bytes) + bytes;
    size_t peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now)) {
    }
}

void *sn_alloc(size_t count, size_t element_size)
{
    size_t bytes = 0;
    void *memory = NULL;
    if (!__builtin_mul_overflow(count, element_size, &bytes) && bytes <= SIZE_MAX / 2) {
        memory = hooks.alloc(bytes > 0 ? bytes : 1, SN_ALIGNMENT, hooks.alloc_user);
    }
    if (!memory) {
        (void)sn_fail_within(SN_ERROR_MEMORY, "out of memory: %zu x %zu bytes", count, element_size);
        return NULL;
    }
    count_bytes(bytes);
    return memset(memory, 0, bytes);
}

void sn_free(void *memory, size_t count, size_t element_size)
{
    if (memory) {
        atomic_fetch_sub(&allocated_bytes, count * element_size);
        hooks.free(memory, count * element_size, hooks.alloc_user);
    }
}

static _Thread_local sn_captured_log *captured_log;

sn_captured_log *sn_capture_log(sn_captured_log *captured)
{
    sn_captured_log *const former = captured_log;
    captured_log = captured;
    return former;
}

static void capture_line(sn_captured_log *captured, sn_log_level level, const char *line)
{
    if (!captured->is_captured || level <= captured->level) {
        captured->is_captured = true;
        captured->level = level;
        snprintf(captured->line, sizeof captured->line, "%s", line);
    }
}

static _Thread_local const char *log_subject;

const char *sn_log_subject(const char *name)
{
    const char *before = log_subject;
    log_subject = name;
    return before;
}

/* subject: beginning of the line, or null. */
static void log_line(sn_log_level level, const char *subject, const char *format, va_list arguments)
{
    char line[1024];
    if (hooks.log || captured_log) {
        const int start = subject ? snprintf(line, sizeof line / 2, "%s: ", subject) : 0;
        const size_t used = start < (int)sizeof line / 2 ? (size_t)start : sizeof line / 2 - 1;
        vsnprintf(line + used, sizeof line - used, format, arguments);
        for (char *at = line; *at; ++at) { /* names may contain line breaks; a message stays one line */
            *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
        }
        if (captured_log) {
            capture_line(captured_log, level, line);
        } else {
            hooks.log(level, line, hooks.log_user);
        }
    }
}

void *sn_grow(void *items, int count, int *capacity, size_t item_size)
{
    if (count < *capacity) {
        return items;
    }
    const int larger = *capacity > 0 ? 2 * *capacity : 8;
    void *grown = sn_alloc((size_t)larger, item_size);
    if (grown) {
        if (items) {
            memcpy(grown, items, (size_t)count * item_size);
        }
        sn_free(items, (size_t)*capacity, item_size);
        *capacity = larger;
    }
    return grown;
}

void sn_log(sn_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(level, NULL, format, arguments);
    va_end(arguments);
}

sn_result sn_fail(sn_result code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(SN_LOG_ERROR, NULL, format, arguments);
    va_end(arguments);
    return code;
}

sn_result sn_fail_within(sn_result code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(SN_LOG_ERROR, log_subject, format, arguments);
    va_end(arguments);
    return code;
}

void sn_assert_failed(const char *condition, const char *file, int line)
{
    hooks.assert_handler(condition, file, line);
    abort();
}
