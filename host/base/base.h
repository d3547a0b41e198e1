/* SPDX-License-Identifier: MIT */
/* Allocation, assertion, logging: the hooks of sinew/types.h as the rest of the library calls them.
 * SN_API here is not for programs: libsinew_author takes these from libsinew, so that both have the same hooks. */
#ifndef SN_HOST_BASE_BASE_H
#define SN_HOST_BASE_BASE_H

#include "sinew/types.h"

#define SN_ALIGNMENT 64

/* Zero-filled, 64-byte aligned; null when the product overflows or memory is out (one line is logged). */
SN_API void *sn_alloc(size_t count, size_t element_size);
/* Takes the same count and element size as the allocation; null is allowed. */
SN_API void sn_free(void *memory, size_t count, size_t element_size);

/* `items` with room for one more than `count`: itself, or a copy twice as large. Null where memory is out; `items` and
 * its room stay then. */
SN_API void *sn_grow(void *items, int count, int *room, size_t item_size);

/* Formats one line for the log hook. */
SN_API void sn_log(sn_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs one error line and returns `code`: the one way to report a failure. */
SN_API sn_result sn_fail(sn_result code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The file, most often, that this thread is at work on: lines of sn_fail_within, and of memory that is out, begin with
 * it. Null: nothing. Returns what it was, to be put back by whoever sets it; the name must live until then. */
SN_API const char *sn_log_subject(const char *name);
/* sn_fail of code that is not told what it works on: solvers, meshes, matrices. */
SN_API sn_result sn_fail_within(sn_result code, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct sn_kept_log {
    bool is_kept; /* there was one */
    sn_log_level level;
    char line[1024];
} sn_kept_log;
/* From now on this thread's lines do not go to the hook: the last of the gravest level stays in *kept, which the caller
 * has zeroed. Null: to the hook again. Returns what it was, to be put back. For work in the background, whose failures
 * somebody else tells of, and for attempts that may fail. */
SN_API sn_kept_log *sn_keep_log(sn_kept_log *kept);

SN_API void sn_assert_failed(const char *condition, const char *file, int line);
#define SN_ASSERT(condition) ((condition) ? (void)0 : sn_assert_failed(#condition, __FILE__, __LINE__))

#endif
