/* SPDX-License-Identifier: MIT */
#include "host/platform/platform.h"

#if defined(_WIN32)

#include <errno.h>
#include <malloc.h>
#include <process.h>
#include <stdlib.h>
#include <sys/stat.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

_Static_assert(sizeof(sn_mutex) == sizeof(SRWLOCK), "a lock is a pointer, null when released");
_Static_assert(sizeof(sn_condition) == sizeof(CONDITION_VARIABLE), "a condition variable is a pointer");

static SRWLOCK *lock_of(sn_mutex *mutex)
{
    return (SRWLOCK *)(void *)mutex;
}

static CONDITION_VARIABLE *variable_of(sn_condition *condition)
{
    return (CONDITION_VARIABLE *)(void *)condition;
}

void sn_mutex_init(sn_mutex *mutex)
{
    InitializeSRWLock(lock_of(mutex));
}

void sn_mutex_finish(sn_mutex *mutex)
{
    (void)mutex;
}

void sn_mutex_lock(sn_mutex *mutex)
{
    AcquireSRWLockExclusive(lock_of(mutex));
}

void sn_mutex_unlock(sn_mutex *mutex)
{
    ReleaseSRWLockExclusive(lock_of(mutex));
}

void sn_condition_init(sn_condition *condition)
{
    InitializeConditionVariable(variable_of(condition));
}

void sn_condition_finish(sn_condition *condition)
{
    (void)condition;
}

void sn_condition_wait(sn_condition *condition, sn_mutex *mutex)
{
    SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), INFINITE, 0);
}

void sn_condition_signal(sn_condition *condition)
{
    WakeConditionVariable(variable_of(condition));
}

void sn_condition_broadcast(sn_condition *condition)
{
    WakeAllConditionVariable(variable_of(condition));
}

static unsigned __stdcall run_thread(void *user)
{
    const sn_thread *thread = user;
    thread->run(thread->user);
    return 0;
}

bool sn_thread_start(sn_thread *thread, void (*run)(void *user), void *user)
{
    thread->run = run;
    thread->user = user;
    thread->handle = (void *)_beginthreadex(NULL, 0, run_thread, thread, 0, NULL);
    return thread->handle != NULL;
}

void sn_thread_join(sn_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

int sn_processor_count(void)
{
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : (int)count;
}

double sn_now(void)
{
    LARGE_INTEGER frequency, ticks;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart / (double)frequency.QuadPart;
}

void *sn_aligned_alloc(size_t bytes, size_t alignment)
{
    return _aligned_malloc(bytes, alignment);
}

void sn_aligned_free(void *memory)
{
    _aligned_free(memory);
}

/* Null, with errno set, if the path is not UTF-8 or memory is out. The caller frees the result. */
static wchar_t *to_wide(const char *path)
{
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = length > 0 ? malloc((size_t)length * sizeof *wide) : NULL;
    if (wide) {
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
    } else {
        errno = length > 0 ? ENOMEM : EILSEQ;
    }
    return wide;
}

FILE *sn_file_open(const char *path, int64_t *size)
{
    struct _stat64 status;
    wchar_t *wide = to_wide(path);
    FILE *file = NULL;
    if (wide && _wstat64(wide, &status) == 0) {
        *size = (status.st_mode & _S_IFMT) == _S_IFREG ? (int64_t)status.st_size : -1;
        file = _wfopen(wide, L"rb");
    }
    free(wide);
    return file;
}

#endif
