/* SPDX-License-Identifier: MIT */
#include "runtime/session/dropped.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "author/io/drawing/drawing.h"
#include "host/model/model.h"

struct sn_dropping {
    sn_body_solver solver;
    pthread_t thread;
    atomic_bool is_done, is_cancelled;
    /* owned by the thread until is_done is set */
    sn_dropped made;
    sn_result result;
};

void sn_dropped_release(sn_dropped *dropped)
{
    sn_model_release(dropped->model);
    sn_blob_release(&dropped->cooked);
    *dropped = (sn_dropped){0};
}

static bool goes_on(sn_cook_stage stage, void *user)
{
    (void)stage;
    sn_dropping *d = user;
    return !atomic_load(&d->is_cancelled);
}

static sn_result cook(sn_dropping *d)
{
    sn_dropped *made = &d->made;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.is_coupled = d->solver == SN_SOLVER_COUPLED || sn_is_drawing_file(made->path);
    desc.is_layered = d->solver == SN_SOLVER_LAYERED && !desc.is_coupled;
    desc.progress = goes_on;
    desc.progress_user = d;
    const sn_result result = sn_cook(made->path, &desc, &made->cooked, NULL);
    return result ? result : sn_model_load_named(made->path, made->cooked.bytes, made->cooked.size, &made->model);
}

static sn_result make(sn_dropping *d)
{
    sn_dropped *made = &d->made;
    const sn_result result = sn_is_model_file(made->path) ? sn_model_open(made->path, &made->model) : cook(d);
    if (result == SN_OK && made->model->counts.part_count == 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: no surface to draw", made->path);
    }
    return result;
}

static void *work(void *user)
{
    sn_dropping *d = user;
    d->result = make(d);
    atomic_store(&d->is_done, true);
    return NULL;
}

sn_result sn_dropping_begin(const char *path, sn_body_solver solver, sn_dropping **dropping)
{
    sn_dropping *d = sn_alloc(1, sizeof *d);
    *dropping = NULL;
    if (!d) {
        return SN_ERROR_MEMORY;
    }
    d->solver = solver;
    snprintf(d->made.path, sizeof d->made.path, "%s", path);
    if (pthread_create(&d->thread, NULL, work, d) != 0) {
        sn_free(d, 1, sizeof *d);
        return sn_fail(SN_ERROR_MEMORY, "%s: cannot start a thread", path);
    }
    *dropping = d;
    return SN_OK;
}

bool sn_dropping_is_done(void *dropping)
{
    sn_dropping *d = dropping;
    return d && atomic_load(&d->is_done);
}

sn_result sn_dropping_take(sn_dropping **dropping, sn_dropped *dropped)
{
    sn_dropping *d = *dropping;
    pthread_join(d->thread, NULL);
    const sn_result result = d->result;
    if (result != SN_OK) {
        sn_dropped_release(&d->made);
    }
    *dropped = d->made;
    sn_free(d, 1, sizeof *d);
    *dropping = NULL;
    return result;
}

void sn_dropping_cancel(sn_dropping **dropping)
{
    sn_dropped dropped;
    if (*dropping) {
        atomic_store(&(*dropping)->is_cancelled, true);
        sn_dropping_take(dropping, &dropped);
        sn_dropped_release(&dropped);
    }
}
