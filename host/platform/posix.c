/* SPDX-License-Identifier: MIT */
#include "host/platform/platform.h"

#if !defined(_WIN32) && !defined(__wasi__)

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void sn_mutex_init(sn_mutex *mutex)
{
    pthread_mutex_init(&mutex->mutex, NULL);
}

void sn_mutex_finish(sn_mutex *mutex)
{
    pthread_mutex_destroy(&mutex->mutex);
}

void sn_mutex_lock(sn_mutex *mutex)
{
    pthread_mutex_lock(&mutex->mutex);
}

void sn_mutex_unlock(sn_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->mutex);
}

void sn_condition_init(sn_condition *condition)
{
    pthread_cond_init(&condition->condition, NULL);
}

void sn_condition_finish(sn_condition *condition)
{
    pthread_cond_destroy(&condition->condition);
}

void sn_condition_wait(sn_condition *condition, sn_mutex *mutex)
{
    pthread_cond_wait(&condition->condition, &mutex->mutex);
}

void sn_condition_signal(sn_condition *condition)
{
    pthread_cond_signal(&condition->condition);
}

void sn_condition_broadcast(sn_condition *condition)
{
    pthread_cond_broadcast(&condition->condition);
}

static void *run_thread(void *user)
{
    const sn_thread *thread = user;
    thread->run(thread->user);
    return NULL;
}

bool sn_thread_start(sn_thread *thread, void (*run)(void *user), void *user)
{
    thread->run = run;
    thread->user = user;
    return pthread_create(&thread->thread, NULL, run_thread, thread) == 0;
}

void sn_thread_join(sn_thread *thread)
{
    pthread_join(thread->thread, NULL);
}

int sn_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

double sn_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void *sn_aligned_alloc(size_t bytes, size_t alignment)
{
    void *memory = NULL;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

void sn_aligned_free(void *memory)
{
    free(memory);
}

FILE *sn_file_open(const char *path, int64_t *size)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return NULL;
    }
    FILE *file = fstat(descriptor, &status) == 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file) {
        close(descriptor);
        return NULL;
    }
    *size = S_ISREG(status.st_mode) ? (int64_t)status.st_size : -1;
    return file;
}

#endif
