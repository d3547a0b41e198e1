/* SPDX-License-Identifier: MIT */
#include "host/base/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* Threads take one range at a time from an atomic counter. Workers sleep between calls. */
struct sn_jobs {
    pthread_mutex_t mutex;
    pthread_cond_t has_work, is_done;
    int worker_count, thread_count; /* started threads, without the caller */
    pthread_t threads[SN_WORKER_LIMIT];
    struct worker {
        sn_jobs *jobs;
        int index;
    } workers[SN_WORKER_LIMIT];
    /* current call; written under the mutex */
    uint64_t call;
    bool is_closing;
    int busy_count;
    int count, grain;
    sn_job_function *job;
    void *user;
    atomic_int next; /* first item that no worker has taken */
};

static void process_ranges(sn_jobs *jobs, int worker)
{
    for (;;) {
        const int first = atomic_fetch_add(&jobs->next, jobs->grain);
        if (first >= jobs->count) {
            return;
        }
        const int left = jobs->count - first;
        jobs->job(first, first + (left < jobs->grain ? left : jobs->grain), worker, jobs->user);
    }
}

static void *work(void *user)
{
    struct worker *self = user;
    sn_jobs *jobs = self->jobs;
    uint64_t done = 0;
    pthread_mutex_lock(&jobs->mutex);
    for (;;) {
        while (jobs->call == done && !jobs->is_closing) {
            pthread_cond_wait(&jobs->has_work, &jobs->mutex);
        }
        if (jobs->is_closing) {
            break;
        }
        done = jobs->call;
        pthread_mutex_unlock(&jobs->mutex);
        process_ranges(jobs, self->index);
        pthread_mutex_lock(&jobs->mutex);
        if (--jobs->busy_count == 0) {
            pthread_cond_signal(&jobs->is_done);
        }
    }
    pthread_mutex_unlock(&jobs->mutex);
    return NULL;
}

static sn_result start_threads(sn_jobs *jobs)
{
    for (int i = 1; i < jobs->worker_count; ++i) {
        jobs->workers[i] = (struct worker){jobs, i};
        if (pthread_create(&jobs->threads[i], NULL, work, &jobs->workers[i]) != 0) {
            return sn_fail_within(SN_ERROR_MEMORY, "cannot start thread %d of %d", i + 1, jobs->worker_count);
        }
        ++jobs->thread_count;
    }
    return SN_OK;
}

sn_result sn_jobs_create(int worker_count, sn_jobs **jobs)
{
    *jobs = NULL;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int requested = worker_count > 0 ? worker_count : (int)processors;
    sn_jobs *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->worker_count = requested < 1 ? 1 : requested > SN_WORKER_LIMIT ? SN_WORKER_LIMIT : requested;
    pthread_mutex_init(&created->mutex, NULL);
    pthread_cond_init(&created->has_work, NULL);
    pthread_cond_init(&created->is_done, NULL);
    const sn_result result = start_threads(created);
    if (result != SN_OK) {
        sn_jobs_destroy(&created);
    }
    *jobs = created;
    return result;
}

void sn_jobs_destroy(sn_jobs **jobs)
{
    sn_jobs *j = *jobs;
    if (!j) {
        return;
    }
    pthread_mutex_lock(&j->mutex);
    j->is_closing = true;
    pthread_cond_broadcast(&j->has_work);
    pthread_mutex_unlock(&j->mutex);
    for (int i = 1; i <= j->thread_count; ++i) {
        pthread_join(j->threads[i], NULL);
    }
    pthread_cond_destroy(&j->is_done);
    pthread_cond_destroy(&j->has_work);
    pthread_mutex_destroy(&j->mutex);
    sn_free(j, 1, sizeof *j);
    *jobs = NULL;
}

int sn_jobs_worker_count(const sn_jobs *jobs)
{
    return jobs ? jobs->worker_count : 1;
}

void sn_parallel_for(sn_jobs *jobs, int count, int grain, sn_job_function *job, void *user)
{
    SN_ASSERT(grain >= 1);
    if (count <= 0) {
        return;
    }
    if (!jobs || jobs->thread_count == 0 || count <= grain) {
        for (int first = 0; first < count; first += grain) {
            job(first, count - first < grain ? count : first + grain, 0, user);
        }
        return;
    }
    pthread_mutex_lock(&jobs->mutex);
    jobs->count = count;
    jobs->grain = grain;
    jobs->job = job;
    jobs->user = user;
    atomic_store(&jobs->next, 0);
    jobs->busy_count = jobs->thread_count;
    ++jobs->call;
    pthread_cond_broadcast(&jobs->has_work);
    pthread_mutex_unlock(&jobs->mutex);
    process_ranges(jobs, 0);
    pthread_mutex_lock(&jobs->mutex);
    while (jobs->busy_count > 0) {
        pthread_cond_wait(&jobs->is_done, &jobs->mutex);
    }
    pthread_mutex_unlock(&jobs->mutex);
}
