/* SPDX-License-Identifier: MIT */
/* Threads, files, processors, aligned memory and the clock: all that libsinew needs of an operating system. One source
 * file a system: posix.c (Linux, macOS, Android, Emscripten), windows.c, and wasi.c (WebAssembly without threads). */
#ifndef SN_HOST_PLATFORM_PLATFORM_H
#define SN_HOST_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(_WIN32)
typedef struct sn_mutex {
    void *lock; /* an SRWLOCK */
} sn_mutex;
typedef struct sn_condition {
    void *variable; /* a CONDITION_VARIABLE */
} sn_condition;
typedef struct sn_thread {
    void *handle;
    void (*run)(void *user);
    void *user;
} sn_thread;
#define SN_MUTEX_INITIALIZER                                                                                           \
    {                                                                                                                  \
        NULL                                                                                                           \
    }
#elif defined(__wasi__)
/* One thread: locks do nothing, and sn_thread_start fails. */
typedef struct sn_mutex {
    char unused;
} sn_mutex;
typedef struct sn_condition {
    char unused;
} sn_condition;
typedef struct sn_thread {
    char unused;
} sn_thread;
#define SN_MUTEX_INITIALIZER                                                                                           \
    {                                                                                                                  \
        0                                                                                                              \
    }
#else
#include <pthread.h>
typedef struct sn_mutex {
    pthread_mutex_t mutex;
} sn_mutex;
typedef struct sn_condition {
    pthread_cond_t condition;
} sn_condition;
typedef struct sn_thread {
    pthread_t thread;
    void (*run)(void *user);
    void *user;
} sn_thread;
#define SN_MUTEX_INITIALIZER                                                                                           \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER                                                                                      \
    }
#endif

void sn_mutex_init(sn_mutex *mutex);
void sn_mutex_finish(sn_mutex *mutex);
void sn_mutex_lock(sn_mutex *mutex);
void sn_mutex_unlock(sn_mutex *mutex);

void sn_condition_init(sn_condition *condition);
void sn_condition_finish(sn_condition *condition);
/* Releases the mutex while waiting. May return without a signal. */
void sn_condition_wait(sn_condition *condition, sn_mutex *mutex);
void sn_condition_signal(sn_condition *condition);
void sn_condition_broadcast(sn_condition *condition);

/* Runs run(user) in a new thread. `thread` must stay at its address until sn_thread_join. Returns false if the system
 * refuses, or has no threads. */
bool sn_thread_start(sn_thread *thread, void (*run)(void *user), void *user);
void sn_thread_join(sn_thread *thread);

/* Processors online, at least 1. */
int sn_processor_count(void);

/* Seconds of a clock that never goes back. */
double sn_now(void);

/* `alignment` is a power of two and at least sizeof(void *). Null if memory is out. */
void *sn_aligned_alloc(size_t bytes, size_t alignment);
void sn_aligned_free(void *memory);

/* Opens a file for reading in binary. `path` is UTF-8 on every system. Does not block on a pipe. *size is the size in
 * bytes, or -1 if it is not a regular file. Null, with errno set, if it cannot be opened. */
FILE *sn_file_open(const char *path, int64_t *size);

#endif
