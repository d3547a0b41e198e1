/* SPDX-License-Identifier: MIT */
#include "runtime/edit/weight_worker.h"

#include <pthread.h>
#include <stdatomic.h>

#include "host/platform/platform.h"

struct sn_weight_worker {
    const sn_model *model;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t has_work;
    bool is_started;
    /* protected by the mutex */
    bool is_requested, is_done, is_closing;
    sn_edit_handles requested;
    sn_weight_result done;
    /* used by the thread only, except the flag */
    atomic_bool is_cancelled;
    sn_edit_handles current;
    sn_edit_cook cook;
};

static bool is_cancelled(void *user)
{
    sn_weight_worker *w = user;
    return atomic_load(&w->is_cancelled);
}

static sn_weight_result compute_weights(sn_weight_worker *w)
{
    sn_weight_result weights = {.edit = w->current.edit};
    const double start = sn_now();
    sn_edit_handles_to_cook(&w->current, &w->cook);
    const sn_cook_rig_desc desc = {.handles = w->cook.handles, .is_cancelled = is_cancelled, .cancel_user = w};
    sn_capture_log(&weights.log);
    weights.result = sn_cook_rig(w->model, &desc, &weights.blob);
    sn_capture_log(NULL);
    weights.seconds = sn_now() - start;
    return weights;
}

/* Cancels and discards the current request. The mutex must be locked. */
static void discard(sn_weight_worker *w)
{
    sn_blob_release(&w->done.blob);
    w->done = (sn_weight_result){0};
    w->is_requested = w->is_done = false;
    atomic_store(&w->is_cancelled, true);
}

static void *work(void *user)
{
    sn_weight_worker *w = user;
    pthread_mutex_lock(&w->mutex);
    while (!w->is_closing) {
        if (!w->is_requested) {
            pthread_cond_wait(&w->has_work, &w->mutex);
            continue;
        }
        w->current = w->requested;
        w->is_requested = false;
        atomic_store(&w->is_cancelled, false);
        pthread_mutex_unlock(&w->mutex);
        sn_weight_result weights = compute_weights(w);
        pthread_mutex_lock(&w->mutex);
        if (atomic_load(&w->is_cancelled)) {
            sn_blob_release(&weights.blob);
        } else {
            w->done = weights;
            w->is_done = true;
        }
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

sn_result sn_weight_worker_create(const sn_model *model, sn_weight_worker **worker)
{
    sn_weight_worker *w = sn_alloc(1, sizeof *w);
    *worker = w;
    if (!w) {
        return SN_ERROR_MEMORY;
    }
    w->model = model;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->has_work, NULL);
    w->is_started = pthread_create(&w->thread, NULL, work, w) == 0;
    if (!w->is_started) {
        sn_weight_worker_destroy(worker);
        return sn_fail(SN_ERROR_MEMORY, "editing: cannot start a thread");
    }
    return SN_OK;
}

void sn_weight_worker_destroy(sn_weight_worker **worker)
{
    sn_weight_worker *w = *worker;
    *worker = NULL;
    if (!w) {
        return;
    }
    if (w->is_started) {
        pthread_mutex_lock(&w->mutex);
        w->is_closing = true;
        discard(w);
        pthread_cond_signal(&w->has_work);
        pthread_mutex_unlock(&w->mutex);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->has_work);
    pthread_mutex_destroy(&w->mutex);
    sn_free(w, 1, sizeof *w);
}

void sn_weight_worker_request(sn_weight_worker *w, const sn_edit_handles *handles)
{
    pthread_mutex_lock(&w->mutex);
    discard(w);
    w->requested = *handles;
    w->is_requested = true;
    pthread_cond_signal(&w->has_work);
    pthread_mutex_unlock(&w->mutex);
}

void sn_weight_worker_cancel(sn_weight_worker *w)
{
    pthread_mutex_lock(&w->mutex);
    discard(w);
    pthread_mutex_unlock(&w->mutex);
}

bool sn_weight_worker_poll(sn_weight_worker *w, sn_weight_result *weights)
{
    pthread_mutex_lock(&w->mutex);
    const bool is_done = w->is_done;
    if (is_done) {
        *weights = w->done;
        w->done = (sn_weight_result){0};
        w->is_done = false;
    }
    pthread_mutex_unlock(&w->mutex);
    return is_done;
}
