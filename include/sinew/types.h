/* SPDX-License-Identifier: MIT */
/* Types, result codes and replaceable hooks shared by every part of Sinew. Conventions: right-handed, Y up, metres,
 * kilograms, seconds, radians; column vectors. Hooks are process-wide. Set them before any other call; setting them is
 * not thread-safe. */
#ifndef SINEW_TYPES_H
#define SINEW_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 1
#define SN_VERSION_PATCH 0
#define SN_VERSION_STRING "0.1.0"

#if defined(_WIN32) && defined(SN_EXPORTS) /* set by the build of the library */
#define SN_API __declspec(dllexport)
#elif defined(_WIN32)
#define SN_API
#else
#define SN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Result of a call that can fail for reasons outside the program. Each failure has logged exactly one line. */
typedef enum sn_result {
    SN_OK = 0,
    SN_ERROR_ARGUMENT,    /* an argument is out of range */
    SN_ERROR_MEMORY,      /* the allocator returned null */
    SN_ERROR_FILE,        /* the operating system refused to open, read or write a file */
    SN_ERROR_FORMAT,      /* a file's contents are malformed */
    SN_ERROR_UNSUPPORTED, /* well-formed, but not supported by this version */
    SN_ERROR_NUMERIC,     /* a factorisation or an eigenproblem failed */
    SN_ERROR_CANCELLED    /* the caller's progress function requested a stop */
} sn_result;

typedef enum sn_log_level { SN_LOG_ERROR = 0, SN_LOG_WARNING = 1, SN_LOG_INFO = 2 } sn_log_level;

/* Row-major 3 x 4 affine transform: x' = m[.][0..2] x + m[.][3]. */
typedef struct sn_mat3x4 {
    float m[3][4];
} sn_mat3x4;

/* Allocates memory aligned to `alignment` (a power of two). Returns null on failure. */
typedef void *sn_alloc_function(size_t bytes, size_t alignment, void *user);
/* Frees memory from the alloc function; `bytes` is the size that was requested. */
typedef void sn_free_function(void *memory, size_t bytes, void *user);
/* Receives one message without a line break. */
typedef void sn_log_function(sn_log_level level, const char *message, void *user);
/* Called on an error in the calling program (a failed assertion). If it returns, the program aborts. */
typedef void sn_assert_function(const char *condition, const char *file, int line);

/* Installs the allocator. Null restores the default, the C library's. */
SN_API void sn_set_allocator(sn_alloc_function *alloc, sn_free_function *free, void *user);
/* Installs the log hook. Null restores the default: no log. */
SN_API void sn_set_log(sn_log_function *log, void *user);
/* Installs the assertion hook. Null restores the default: a line on stderr and abort. */
SN_API void sn_set_assert(sn_assert_function *handler);

/* Bytes allocated through the hooks and not yet freed. Thread-safe. */
SN_API size_t sn_allocated_bytes(void);
/* The maximum of sn_allocated_bytes so far. Thread-safe. */
SN_API size_t sn_peak_allocated_bytes(void);

/* Version of the linked library, in the format of SN_VERSION_STRING. */
SN_API const char *sn_version(void);
/* English name of a result code, for example "malformed file". The string is static. */
SN_API const char *sn_result_name(sn_result result);

#ifdef __cplusplus
}
#endif
#endif
