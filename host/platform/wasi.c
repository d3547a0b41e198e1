/* SPDX-License-Identifier: MIT */
#include "host/platform/platform.h"

#if defined(__wasi__)

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

void sn_mutex_init(sn_mutex *mutex)
{
    (void)mutex;
}

void sn_mutex_finish(sn_mutex *mutex)
{
    (void)mutex;
}

void sn_mutex_lock(sn_mutex *mutex)
{
    (void)mutex;
}

void sn_mutex_unlock(sn_mutex *mutex)
{
    (void)mutex;
}

void sn_condition_init(sn_condition *condition)
{
    (void)condition;
}

void sn_condition_finish(sn_condition *condition)
{
    (void)condition;
}

void sn_condition_wait(sn_condition *condition, sn_mutex *mutex)
{
    (void)condition;
    (void)mutex;
    abort(); /* nobody else could signal */
}

void sn_condition_signal(sn_condition *condition)
{
    (void)condition;
}

void sn_condition_broadcast(sn_condition *condition)
{
    (void)condition;
}

bool sn_thread_start(sn_thread *thread, void (*run)(void *user), void *user)
{
    (void)thread;
    (void)run;
    (void)user;
    return false;
}

void sn_thread_join(sn_thread *thread)
{
    (void)thread;
}

int sn_processor_count(void)
{
    return 1;
}

double sn_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void *sn_aligned_alloc(size_t bytes, size_t alignment)
{
    return bytes <= SIZE_MAX - alignment ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                                         : NULL;
}

void sn_aligned_free(void *memory)
{
    free(memory);
}

FILE *sn_file_open(const char *path, int64_t *size)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return NULL;
    }
    *size = S_ISREG(status.st_mode) ? (int64_t)status.st_size : -1;
    return fopen(path, "rb");
}

#endif
