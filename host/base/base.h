/* SPDX-License-Identifier: MIT */
/* Allocation, assertion and logging: the hooks of sinew/types.h as the rest of the library calls them. SN_API is needed
 * because libsinew_author takes these functions from libsinew, so that both share the hooks; programs must not call
 * them. */
#ifndef SN_HOST_BASE_BASE_H
#define SN_HOST_BASE_BASE_H

#include "sinew/types.h"

#define SN_ALIGNMENT 64

/* Zero-filled, 64-byte aligned; null if the product overflows or memory is out (one line is logged). */
SN_API void *sn_alloc(size_t count, size_t element_size);
/* Takes the same count and element size as the allocation; accepts null. */
SN_API void sn_free(void *memory, size_t count, size_t element_size);

/* Returns `items` with capacity for one more than `count`: the same array, or a copy of twice the size. Returns null if
 * memory is out; the array and its capacity are then unchanged. */
SN_API void *sn_grow(void *items, int count, int *capacity, size_t item_size);

/* Formats one line for the log hook. */
SN_API void sn_log(sn_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs one error line and returns `code`. All failures are reported through it. */
SN_API sn_result sn_fail(sn_result code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the subject (usually a file) of this thread: lines of sn_fail_within and out-of-memory errors begin with it.
 * Null: none. Returns the previous subject, which the caller must restore; the string must live until then. */
SN_API const char *sn_log_subject(const char *name);
/* sn_fail for code that does not know its subject: solvers, meshes, matrices. */
SN_API sn_result sn_fail_within(sn_result code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns from the function with the result of a call that failed. */
#define SN_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const sn_result sn_try_result = (call);                                                                        \
        if (sn_try_result != SN_OK) {                                                                                  \
            return sn_try_result;                                                                                      \
        }                                                                                                              \
    } while (0)

typedef struct sn_captured_log {
    bool is_captured; /* whether a line was captured */
    sn_log_level level;
    char line[1024];
} sn_captured_log;
/* Captures this thread's log lines instead of passing them to the hook: the last line of the most severe level is
 * stored in *captured, which the caller has zeroed. Null: log again. Returns the previous value, which the caller must
 * restore. For background work whose failures are reported elsewhere, and for attempts that may fail. */
SN_API sn_captured_log *sn_capture_log(sn_captured_log *captured);

SN_API void sn_assert_failed(const char *condition, const char *file, int line);
#define SN_ASSERT(condition) ((condition) ? (void)0 : sn_assert_failed(#condition, __FILE__, __LINE__))

#endif
