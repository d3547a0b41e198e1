/* SPDX-License-Identifier: MIT */
#include "runtime/edit/weigher.h"

#include <pthread.h>
#include <stdatomic.h>

#include "host/base/clock.h"

struct sn_edit_weigher {
    const sn_model *model;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t has_work;
    bool is_started;
    /* protected by the mutex */
    bool is_asked, is_done, is_closing;
    sn_edit_handles asked;
    sn_edit_weighed done;
    /* used by the thread only, except the flag */
    atomic_bool is_cancelled;
    sn_edit_handles at_hand;
    sn_edit_cook cook;
};

static bool is_cancelled(void *user)
{
    sn_edit_weigher *w = user;
    return atomic_load(&w->is_cancelled);
}

static sn_edit_weighed weigh(sn_edit_weigher *w)
{
    sn_edit_weighed weighed = {.edit = w->at_hand.edit};
    const double start = sn_now();
    sn_edit_handles_cook(&w->at_hand, &w->cook);
    const sn_cook_rig_desc desc = {.handles = w->cook.handles, .is_cancelled = is_cancelled, .cancel_user = w};
    sn_keep_log(&weighed.log);
    weighed.result = sn_cook_rig(w->model, &desc, &weighed.blob);
    sn_keep_log(NULL);
    weighed.seconds = sn_now() - start;
    return weighed;
}

/* Cancels and discards the current request. The mutex must be locked. */
static void forget(sn_edit_weigher *w)
{
    sn_blob_release(&w->done.blob);
    w->done = (sn_edit_weighed){0};
    w->is_asked = w->is_done = false;
    atomic_store(&w->is_cancelled, true);
}

static void *work(void *user)
{
    sn_edit_weigher *w = user;
    pthread_mutex_lock(&w->mutex);
    while (!w->is_closing) {
        if (!w->is_asked) {
            pthread_cond_wait(&w->has_work, &w->mutex);
            continue;
        }
        w->at_hand = w->asked;
        w->is_asked = false;
        atomic_store(&w->is_cancelled, false);
        pthread_mutex_unlock(&w->mutex);
        sn_edit_weighed weighed = weigh(w);
        pthread_mutex_lock(&w->mutex);
        if (atomic_load(&w->is_cancelled)) {
            sn_blob_release(&weighed.blob);
        } else {
            w->done = weighed;
            w->is_done = true;
        }
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

sn_result sn_edit_weigher_create(const sn_model *model, sn_edit_weigher **weigher)
{
    sn_edit_weigher *w = sn_alloc(1, sizeof *w);
    *weigher = w;
    if (!w) {
        return SN_ERROR_MEMORY;
    }
    w->model = model;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->has_work, NULL);
    w->is_started = pthread_create(&w->thread, NULL, work, w) == 0;
    if (!w->is_started) {
        sn_edit_weigher_destroy(weigher);
        return sn_fail(SN_ERROR_MEMORY, "editing: cannot start a thread");
    }
    return SN_OK;
}

void sn_edit_weigher_destroy(sn_edit_weigher **weigher)
{
    sn_edit_weigher *w = *weigher;
    *weigher = NULL;
    if (!w) {
        return;
    }
    if (w->is_started) {
        pthread_mutex_lock(&w->mutex);
        w->is_closing = true;
        forget(w);
        pthread_cond_signal(&w->has_work);
        pthread_mutex_unlock(&w->mutex);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->has_work);
    pthread_mutex_destroy(&w->mutex);
    sn_free(w, 1, sizeof *w);
}

void sn_edit_weigher_ask(sn_edit_weigher *w, const sn_edit_handles *handles)
{
    pthread_mutex_lock(&w->mutex);
    forget(w);
    w->asked = *handles;
    w->is_asked = true;
    pthread_cond_signal(&w->has_work);
    pthread_mutex_unlock(&w->mutex);
}

void sn_edit_weigher_cancel(sn_edit_weigher *w)
{
    pthread_mutex_lock(&w->mutex);
    forget(w);
    pthread_mutex_unlock(&w->mutex);
}

bool sn_edit_weigher_take(sn_edit_weigher *w, sn_edit_weighed *weighed)
{
    pthread_mutex_lock(&w->mutex);
    const bool is_done = w->is_done;
    if (is_done) {
        *weighed = w->done;
        w->done = (sn_edit_weighed){0};
        w->is_done = false;
    }
    pthread_mutex_unlock(&w->mutex);
    return is_done;
}
