/* SPDX-License-Identifier: MIT */
#include "host/base/jobs.h"

#include <stdatomic.h>

#include "host/platform/platform.h"

/* Threads take one range at a time from an atomic counter. Workers sleep between calls. */
struct sn_jobs {
    sn_mutex mutex;
    sn_condition has_work, is_done;
    int thread_count; /* started threads, without the caller */
    sn_thread threads[SN_WORKER_LIMIT];
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

static void work(void *user)
{
    struct worker *self = user;
    sn_jobs *jobs = self->jobs;
    uint64_t done = 0;
    sn_mutex_lock(&jobs->mutex);
    for (;;) {
        while (jobs->call == done && !jobs->is_closing) {
            sn_condition_wait(&jobs->has_work, &jobs->mutex);
        }
        if (jobs->is_closing) {
            break;
        }
        done = jobs->call;
        sn_mutex_unlock(&jobs->mutex);
        process_ranges(jobs, self->index);
        sn_mutex_lock(&jobs->mutex);
        if (--jobs->busy_count == 0) {
            sn_condition_signal(&jobs->is_done);
        }
    }
    sn_mutex_unlock(&jobs->mutex);
}

/* A system may refuse threads, or have none: the work is then shared by those that started. */
static void start_threads(sn_jobs *jobs, int requested)
{
    for (int i = 1; i < requested; ++i) {
        jobs->workers[i] = (struct worker){jobs, i};
        if (!sn_thread_start(&jobs->threads[i], work, &jobs->workers[i])) {
            sn_log(SN_LOG_WARNING, "cannot start thread %d of %d; continuing with %d", i + 1, requested, i);
            break;
        }
        ++jobs->thread_count;
    }
}

sn_result sn_jobs_create(int worker_count, sn_jobs **jobs)
{
    *jobs = NULL;
    const int requested = worker_count > 0 ? worker_count : sn_processor_count();
    sn_jobs *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    sn_mutex_init(&created->mutex);
    sn_condition_init(&created->has_work);
    sn_condition_init(&created->is_done);
    start_threads(created, requested < SN_WORKER_LIMIT ? requested : SN_WORKER_LIMIT);
    *jobs = created;
    return SN_OK;
}

void sn_jobs_destroy(sn_jobs **jobs)
{
    sn_jobs *j = *jobs;
    if (!j) {
        return;
    }
    sn_mutex_lock(&j->mutex);
    j->is_closing = true;
    sn_condition_broadcast(&j->has_work);
    sn_mutex_unlock(&j->mutex);
    for (int i = 1; i <= j->thread_count; ++i) {
        sn_thread_join(&j->threads[i]);
    }
    sn_condition_finish(&j->is_done);
    sn_condition_finish(&j->has_work);
    sn_mutex_finish(&j->mutex);
    sn_free(j, 1, sizeof *j);
    *jobs = NULL;
}

int sn_jobs_worker_count(const sn_jobs *jobs)
{
    return jobs ? 1 + jobs->thread_count : 1;
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
    sn_mutex_lock(&jobs->mutex);
    jobs->count = count;
    jobs->grain = grain;
    jobs->job = job;
    jobs->user = user;
    atomic_store(&jobs->next, 0);
    jobs->busy_count = jobs->thread_count;
    ++jobs->call;
    sn_condition_broadcast(&jobs->has_work);
    sn_mutex_unlock(&jobs->mutex);
    process_ranges(jobs, 0);
    sn_mutex_lock(&jobs->mutex);
    while (jobs->busy_count > 0) {
        sn_condition_wait(&jobs->is_done, &jobs->mutex);
    }
    sn_mutex_unlock(&jobs->mutex);
}
