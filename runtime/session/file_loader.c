/* SPDX-License-Identifier: MIT */
#include "runtime/session/file_loader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "author/io/drawing/drawing.h"
#include "host/model/model.h"

struct sn_file_loader {
    sn_body_solver solver;
    pthread_t thread;
    atomic_bool is_done, is_cancelled;
    /* owned by the thread until is_done is set */
    sn_loaded_file file;
    sn_result result;
};

void sn_loaded_file_release(sn_loaded_file *loaded_file)
{
    sn_model_release(loaded_file->model);
    sn_blob_release(&loaded_file->cooked);
    *loaded_file = (sn_loaded_file){0};
}

static bool should_continue(sn_cook_stage stage, void *user)
{
    (void)stage;
    sn_file_loader *d = user;
    return !atomic_load(&d->is_cancelled);
}

static sn_result cook(sn_file_loader *d)
{
    sn_loaded_file *file = &d->file;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.is_coupled = d->solver == SN_SOLVER_COUPLED || sn_is_drawing_file(file->path);
    desc.is_layered = d->solver == SN_SOLVER_LAYERED && !desc.is_coupled;
    desc.progress = should_continue;
    desc.progress_user = d;
    file->cook = desc;
    file->cook.progress = NULL;
    SN_TRY(sn_cook(file->path, &desc, &file->cooked, NULL));
    return sn_model_load_named(file->path, file->cooked.bytes, file->cooked.size, &file->model);
}

static sn_result load(sn_file_loader *d)
{
    sn_loaded_file *file = &d->file;
    SN_TRY(sn_is_model_file(file->path) ? sn_model_open(file->path, &file->model) : cook(d));
    if (file->model->counts.part_count == 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: no surface to draw", file->path);
    }
    return SN_OK;
}

static void *work(void *user)
{
    sn_file_loader *d = user;
    d->result = load(d);
    atomic_store(&d->is_done, true);
    return NULL;
}

sn_result sn_file_loader_start(const char *path, sn_body_solver solver, sn_file_loader **loader)
{
    sn_file_loader *d = sn_alloc(1, sizeof *d);
    *loader = NULL;
    if (!d) {
        return SN_ERROR_MEMORY;
    }
    d->solver = solver;
    snprintf(d->file.path, sizeof d->file.path, "%s", path);
    if (pthread_create(&d->thread, NULL, work, d) != 0) {
        sn_free(d, 1, sizeof *d);
        return sn_fail(SN_ERROR_MEMORY, "%s: cannot start a thread", path);
    }
    *loader = d;
    return SN_OK;
}

bool sn_file_loader_is_done(void *loader)
{
    sn_file_loader *d = loader;
    return d && atomic_load(&d->is_done);
}

sn_result sn_file_loader_finish(sn_file_loader **loader, sn_loaded_file *loaded_file)
{
    sn_file_loader *d = *loader;
    pthread_join(d->thread, NULL);
    const sn_result result = d->result;
    if (result != SN_OK) {
        sn_loaded_file_release(&d->file);
    }
    *loaded_file = d->file;
    sn_free(d, 1, sizeof *d);
    *loader = NULL;
    return result;
}

void sn_file_loader_cancel(sn_file_loader **loader)
{
    sn_loaded_file loaded_file;
    if (*loader) {
        atomic_store(&(*loader)->is_cancelled, true);
        sn_file_loader_finish(loader, &loaded_file);
        sn_loaded_file_release(&loaded_file);
    }
}
