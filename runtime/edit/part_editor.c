/* SPDX-License-Identifier: MIT */
#include "runtime/edit/part_editor.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "author/io/rig/sidecar_write.h"
#include "host/base/arena.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "host/platform/platform.h"

#define HISTORY_LIMIT 64
#define JOIN_SECONDS 1.0 /* between two changes of a value that are undone together */
#define NOT_SET (-1.0)
#define MIN_AMPLITUDE 1e-3

/* Values of a part that differ from the loaded ones; NOT_SET where they do not. */
typedef struct part_setting {
    double values[SN_PART_VALUE_COUNT];
} part_setting;

typedef struct owned_model {
    sn_model *model;
    sn_blob blob;
} owned_model;

typedef enum part_job_type {
    PART_JOB_TUNE, /* makes a model from the base model */
    PART_JOB_COOK, /* makes a model from the character's file */
    PART_JOB_SAVE  /* tunes the model file, in which the base model may have motions that the file has not */
} part_job_type;

/* The thread owns all of it until is_done is set. */
typedef struct part_job {
    pthread_t thread;
    bool is_running; /* used by the editor's thread only */
    atomic_bool is_done, is_cancelled;
    part_job_type type;
    sn_part_change *changes; /* (change_count) unless it cooks */
    int change_count;
    sn_result result;
    owned_model made;
    sn_captured_log log;
} part_job;

struct sn_part_editor {
    sn_part_editor_desc desc;
    char path[4096], sidecar[4096]; /* the sidecar: where it was written last */
    const sn_model *base;           /* the loaded model, or that of the last cook */
    owned_model cooked;             /* base, if it was cooked here */
    owned_model tuned;              /* base with the changes; empty: no change */
    owned_model retired[2];
    part_job job;
    int count;                 /* of parts */
    part_setting *history;     /* (HISTORY_LIMIT x count) */
    int position, newest;      /* in the history */
    unsigned version, started; /* of the settings; of those that the last tune began with */
    int changed_part;          /* of the last change, or -1 */
    sn_part_value changed_value;
    double changed_time;
    bool is_comparing, is_save_requested;
    bool has_message;
    char message[512];
};

static part_setting *settings_of(const sn_part_editor *e)
{
    return e->history + (size_t)e->position * (size_t)e->count;
}

__attribute__((format(printf, 2, 3))) static void say(sn_part_editor *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->message, sizeof e->message, format, arguments);
    va_end(arguments);
    e->has_message = true;
}

static void release(owned_model *owned)
{
    sn_model_release(owned->model);
    sn_blob_release(&owned->blob);
    *owned = (owned_model){0};
}

/* ---- lifetime ---- */

static void free_history(sn_part_editor *e)
{
    sn_free(e->history, (size_t)HISTORY_LIMIT * (size_t)e->count, sizeof *e->history);
    e->history = NULL;
}

static void clear(const sn_part_editor *e, part_setting *settings)
{
    for (int i = 0; i < e->count; ++i) {
        for (int k = 0; k < SN_PART_VALUE_COUNT; ++k) {
            settings[i].values[k] = NOT_SET;
        }
    }
}

/* Starts an empty history of a model's parts. An error changes nothing. */
static sn_result start(sn_part_editor *e, const sn_model *base)
{
    const int count = sn_model_flesh_part_count(base);
    part_setting *history = sn_alloc((size_t)HISTORY_LIMIT * (size_t)count, sizeof *history);
    if (!history) {
        return SN_ERROR_MEMORY;
    }
    free_history(e);
    e->base = base;
    e->count = count;
    e->history = history;
    e->position = e->newest = 0;
    e->changed_part = -1;
    e->started = e->version;
    clear(e, history);
    return SN_OK;
}

sn_result sn_part_editor_create(const sn_part_editor_desc *desc, sn_part_editor **editor)
{
    *editor = NULL;
    if (sn_model_flesh_part_count(desc->model) == 0) {
        return SN_OK;
    }
    sn_part_editor *e = sn_alloc(1, sizeof *e);
    if (!e) {
        return SN_ERROR_MEMORY;
    }
    e->desc = *desc;
    snprintf(e->path, sizeof e->path, "%s", desc->path);
    const sn_result result = start(e, desc->model);
    *editor = e;
    if (result != SN_OK) {
        sn_part_editor_destroy(editor);
    }
    return result;
}

/* Waits for the thread; the job's model is the caller's. */
static owned_model finish_job(sn_part_editor *e)
{
    part_job *job = &e->job;
    pthread_join(job->thread, NULL);
    sn_free(job->changes, (size_t)e->count, sizeof *job->changes);
    job->changes = NULL;
    job->is_running = false;
    return job->made;
}

void sn_part_editor_destroy(sn_part_editor **editor)
{
    sn_part_editor *e = *editor;
    *editor = NULL;
    if (!e) {
        return;
    }
    if (e->job.is_running) {
        atomic_store(&e->job.is_cancelled, true);
        owned_model unused = finish_job(e);
        release(&unused);
    }
    for (int i = 0; i < 2; ++i) {
        release(&e->retired[i]);
    }
    release(&e->tuned);
    release(&e->cooked);
    free_history(e);
    sn_free(e, 1, sizeof *e);
}

/* ---- values ---- */

void sn_part_value_range(sn_part_value value, double range[2])
{
    static const double ranges[SN_PART_VALUE_COUNT][2] = {
        [SN_PART_AMPLITUDE] = {MIN_AMPLITUDE, SN_MAX_PART_AMPLITUDE},
        [SN_PART_FREQUENCY] = {SN_MIN_PART_FREQUENCY, SN_MAX_PART_FREQUENCY},
        [SN_PART_SETTLING_TIME] = {SN_MIN_SETTLING_TIME, SN_MAX_SETTLING_TIME},
        [SN_PART_RIGID] = {0, 1}};
    memcpy(range, ranges[value], sizeof ranges[value]);
}

int sn_part_editor_count(const sn_part_editor *e)
{
    return e->count;
}

const char *sn_part_editor_name(const sn_part_editor *e, int part)
{
    return sn_model_get_flesh_part(e->base, part).name;
}

static double model_value(const sn_model *model, int part, sn_part_value value)
{
    const sn_model_flesh_part record = sn_model_get_flesh_part(model, part);
    const double values[SN_PART_VALUE_COUNT] = {[SN_PART_AMPLITUDE] = (double)record.amplitude,
                                                [SN_PART_FREQUENCY] = (double)record.frequency,
                                                [SN_PART_SETTLING_TIME] = (double)record.settling_time,
                                                [SN_PART_RIGID] = record.frequency <= 0};
    return values[value];
}

double sn_part_editor_reached(const sn_part_editor *e, int part, sn_part_value value)
{
    return model_value(e->tuned.model ? e->tuned.model : e->base, part, value);
}

double sn_part_editor_get(const sn_part_editor *e, int part, sn_part_value value)
{
    const double number = settings_of(e)[part].values[value];
    return number != NOT_SET ? number : sn_part_editor_reached(e, part, value);
}

/* ---- changes ---- */

/* Makes a copy of the settings the newest ones of the history, and returns it. */
static part_setting *push(sn_part_editor *e)
{
    const size_t count = (size_t)e->count;
    if (e->position + 1 == HISTORY_LIMIT) {
        memmove(e->history, e->history + count, (HISTORY_LIMIT - 1) * count * sizeof *e->history);
        --e->position;
    }
    const part_setting *before = settings_of(e);
    e->newest = ++e->position;
    return memcpy(settings_of(e), before, count * sizeof *before);
}

static void touch(sn_part_editor *e)
{
    ++e->version;
    e->is_comparing = false;
}

/* A value as it was loaded counts as not set. */
static void set(const sn_part_editor *e, part_setting *setting, int part, sn_part_value value, double number)
{
    double range[2];
    sn_part_value_range(value, range);
    number = fmin(fmax(number, range[0]), range[1]);
    setting->values[value] = number == model_value(e->base, part, value) ? NOT_SET : number;
    if (value == SN_PART_AMPLITUDE || value == SN_PART_FREQUENCY) {
        setting->values[value == SN_PART_AMPLITUDE ? SN_PART_FREQUENCY : SN_PART_AMPLITUDE] = NOT_SET;
    }
}

void sn_part_editor_set(sn_part_editor *e, int part, sn_part_value value, double number)
{
    const double now = sn_now();
    const bool is_joined = e->changed_part == part && e->changed_value == value && e->position == e->newest &&
                           now - e->changed_time < JOIN_SECONDS;
    part_setting *settings = is_joined ? settings_of(e) : push(e);
    set(e, &settings[part], part, value, number);
    e->changed_part = part;
    e->changed_value = value;
    e->changed_time = now;
    touch(e);
}

void sn_part_editor_scale(sn_part_editor *e, double factor)
{
    part_setting *settings = push(e);
    for (int i = 0; i < e->count; ++i) {
        if (model_value(e->base, i, SN_PART_RIGID) == 0) {
            set(e, &settings[i], i, SN_PART_AMPLITUDE, factor * model_value(e->base, i, SN_PART_AMPLITUDE));
        }
    }
    e->changed_part = -1;
    touch(e);
}

void sn_part_editor_reset(sn_part_editor *e)
{
    clear(e, push(e));
    e->changed_part = -1;
    touch(e);
}

static bool move(sn_part_editor *e, int step)
{
    const int position = e->position + step;
    if (position < 0 || position > e->newest) {
        return false;
    }
    e->position = position;
    e->changed_part = -1;
    touch(e);
    return true;
}

bool sn_part_editor_undo(sn_part_editor *e)
{
    return move(e, -1);
}

bool sn_part_editor_redo(sn_part_editor *e)
{
    return move(e, 1);
}

static bool has_value(const part_setting *setting, int value_count)
{
    for (int k = 0; k < value_count; ++k) {
        if (setting->values[k] != NOT_SET) {
            return true;
        }
    }
    return false;
}

bool sn_part_editor_has_changes(const sn_part_editor *e)
{
    for (int i = 0; i < e->count; ++i) {
        if (has_value(&settings_of(e)[i], SN_PART_VALUE_COUNT)) {
            return true;
        }
    }
    return false;
}

int sn_part_editor_find(const sn_part_editor *e, const double point[3])
{
    const sn_model *model = e->base;
    double best = DBL_MAX;
    int part = 0;
    for (size_t v = 0; v < (size_t)model->counts.vertex_count; ++v) {
        const float *x = model->rest_positions + 3 * v;
        const double from[3] = {(double)x[0] - point[0], (double)x[1] - point[1], (double)x[2] - point[2]};
        if (sn_dot3(from, from) < best) {
            best = sn_dot3(from, from);
            part = model->vertex_flesh_parts[v];
        }
    }
    return part;
}

/* ---- background work ---- */

static bool should_continue(sn_cook_stage stage, void *user)
{
    (void)stage;
    const sn_part_editor *e = user;
    return !atomic_load(&e->job.is_cancelled);
}

static sn_result cook(sn_part_editor *e, sn_blob *blob)
{
    sn_cook_desc desc = *e->desc.cook;
    desc.progress = should_continue;
    desc.progress_user = e;
    return sn_cook(e->path, &desc, blob, NULL);
}

static sn_result save_model(const sn_part_editor *e)
{
    sn_model *model = NULL;
    sn_blob blob = {0};
    sn_result result = sn_model_open(e->path, &model);
    result = result ? result : sn_tune(model, e->path, e->job.changes, e->job.change_count, &blob);
    result = result ? result : sn_file_write(e->path, blob.bytes, blob.size);
    sn_model_release(model);
    sn_blob_release(&blob);
    return result;
}

static sn_result run(sn_part_editor *e)
{
    part_job *job = &e->job;
    sn_blob *blob = &job->made.blob;
    if (job->type == PART_JOB_SAVE) {
        return save_model(e);
    }
    SN_TRY(job->type == PART_JOB_COOK ? cook(e, blob)
                                      : sn_tune(e->base, e->path, job->changes, job->change_count, blob));
    return sn_model_load_named(e->path, blob->bytes, blob->size, &job->made.model);
}

static void *work(void *user)
{
    sn_part_editor *e = user;
    sn_capture_log(&e->job.log);
    e->job.result = run(e);
    sn_capture_log(NULL);
    atomic_store(&e->job.is_done, true);
    return NULL;
}

static void start_job(sn_part_editor *e, part_job_type type, sn_part_change *changes, int change_count)
{
    part_job *job = &e->job;
    job->type = type;
    job->changes = changes;
    job->change_count = change_count;
    job->made = (owned_model){0};
    job->log = (sn_captured_log){0};
    atomic_store(&job->is_done, false);
    atomic_store(&job->is_cancelled, false);
    job->is_running = pthread_create(&job->thread, NULL, work, e) == 0;
    if (!job->is_running) {
        sn_free(changes, (size_t)e->count, sizeof *changes);
        say(e, "cannot start a thread");
    }
}

/* The model is shown until the next update. */
static void retire(sn_part_editor *e, owned_model *owned)
{
    owned_model *to = e->retired[0].model ? &e->retired[1] : &e->retired[0];
    *to = *owned;
    *owned = (owned_model){0};
}

/* Starts a job that tunes a model; false if there is no part to tune. */
static bool start_tuning(sn_part_editor *e, part_job_type type)
{
    const part_setting *settings = settings_of(e);
    sn_part_change *changes = sn_alloc((size_t)e->count, sizeof *changes);
    int count = 0;
    for (int i = 0; i < e->count && changes; ++i) {
        const double *values = settings[i].values;
        if (model_value(e->base, i, SN_PART_RIGID) == 0 && has_value(&settings[i], SN_PART_RIGID)) {
            changes[count++] = (sn_part_change){.name = sn_part_editor_name(e, i),
                                                .amplitude = fmax(values[SN_PART_AMPLITUDE], 0),
                                                .frequency = fmax(values[SN_PART_FREQUENCY], 0),
                                                .settling_time = fmax(values[SN_PART_SETTLING_TIME], 0)};
        }
    }
    if (count > 0) {
        start_job(e, type, changes, count);
    } else {
        sn_free(changes, (size_t)e->count, sizeof *changes);
    }
    return count > 0;
}

static void adopt_cook(sn_part_editor *e, owned_model made)
{
    const sn_model_counts *old = &e->base->counts, *new = &made.model->counts;
    const bool has_same_motions = old->bone_count == new->bone_count &&
                                  old->clip_count == new->clip_count &&sn_model_flesh_part_count(made.model) > 0;
    if (!has_same_motions || start(e, made.model) != SN_OK) { /* the file has changed since it was loaded */
        say(e, "saved, but the file has other bones or clips now: open it again");
        release(&made);
        return;
    }
    retire(e, &e->tuned);
    retire(e, &e->cooked);
    e->cooked = made;
    say(e, "saved and cooked");
}

/* The name of a part that is to become rigid or soft, or null. */
static const char *part_to_cook(const sn_part_editor *e)
{
    for (int i = 0; i < e->count; ++i) {
        if (settings_of(e)[i].values[SN_PART_RIGID] != NOT_SET) {
            return sn_part_editor_name(e, i);
        }
    }
    return NULL;
}

static void say_saved(sn_part_editor *e)
{
    const char *part = part_to_cook(e), *slash = strrchr(e->sidecar, '/');
    sn_log(SN_LOG_INFO, "%s: the parts are saved", e->sidecar);
    if (part) {
        say(e, "saved; '%s' changes when the character is cooked again", part);
    } else {
        say(e, "saved to %s%s", slash ? slash + 1 : e->sidecar, e->desc.cook ? "" : " and to the model");
    }
}

static void adopt(sn_part_editor *e)
{
    const part_job_type type = e->job.type;
    owned_model made = finish_job(e);
    if (e->job.log.is_captured) {
        sn_log(e->job.log.level, "%s", e->job.log.line);
    }
    if (e->job.result != SN_OK) {
        say(e, "%s: see the terminal", type == PART_JOB_SAVE ? "not saved" : "the flesh cannot be changed");
        release(&made);
    } else if (type == PART_JOB_SAVE) {
        say_saved(e);
    } else if (type == PART_JOB_COOK) {
        adopt_cook(e, made);
    } else {
        retire(e, &e->tuned);
        e->tuned = made;
    }
}

/* ---- saving ---- */

/* Fills the sidecar's entries (count); returns their number. */
static int list_settings(const sn_part_editor *e, sn_named_part *entries)
{
    int count = 0;
    for (int i = 0; i < e->count; ++i) {
        const part_setting *setting = &settings_of(e)[i];
        const double rigid = setting->values[SN_PART_RIGID];
        if (has_value(setting, SN_PART_VALUE_COUNT)) {
            entries[count++] = (sn_named_part){.name = sn_part_editor_name(e, i),
                                               .kind = rigid == NOT_SET ? NULL
                                                       : rigid > 0      ? "rigid"
                                                                        : "soft",
                                               .amplitude = setting->values[SN_PART_AMPLITUDE],
                                               .frequency = fmax(setting->values[SN_PART_FREQUENCY], 0),
                                               .settling_time = fmax(setting->values[SN_PART_SETTLING_TIME], 0)};
        }
    }
    return count;
}

static sn_result write_sidecar(sn_part_editor *e)
{
    sn_named_part *entries = sn_alloc((size_t)e->count, sizeof *entries);
    if (!entries) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result =
        sn_sidecar_write_parts(e->path, entries, list_settings(e, entries), e->sidecar, sizeof e->sidecar);
    sn_free(entries, (size_t)e->count, sizeof *entries);
    return result;
}

static void save(sn_part_editor *e)
{
    e->is_save_requested = false;
    if (write_sidecar(e) != SN_OK) {
        say(e, "not saved: see the terminal");
    } else if (e->desc.cook && part_to_cook(e)) {
        say(e, "saved; cooking ...");
        start_job(e, PART_JOB_COOK, NULL, 0);
    } else if (e->desc.cook || !start_tuning(e, PART_JOB_SAVE)) {
        say_saved(e);
    }
}

void sn_part_editor_save(sn_part_editor *e)
{
    if (sn_part_editor_has_changes(e)) {
        e->is_save_requested = true;
    } else {
        say(e, "nothing has changed");
    }
}

/* ---- a frame ---- */

bool sn_part_editor_is_busy(const sn_part_editor *e)
{
    return e->job.is_running || e->version != e->started || e->is_save_requested;
}

const sn_model *sn_part_editor_update(sn_part_editor *e)
{
    for (int i = 0; i < 2; ++i) {
        release(&e->retired[i]);
    }
    if (e->job.is_running && atomic_load(&e->job.is_done)) {
        adopt(e);
    }
    if (!e->job.is_running && e->version != e->started) {
        e->started = e->version;
        if (!start_tuning(e, PART_JOB_TUNE)) {
            retire(e, &e->tuned);
        }
    }
    if (!e->job.is_running && e->is_save_requested) {
        save(e);
    }
    return e->tuned.model && !e->is_comparing ? e->tuned.model : e->base;
}

void sn_part_editor_compare(sn_part_editor *e, bool is_comparing)
{
    e->is_comparing = is_comparing;
}

bool sn_part_editor_is_comparing(const sn_part_editor *e)
{
    return e->is_comparing;
}

const char *sn_part_editor_message(sn_part_editor *e)
{
    const bool has_message = e->has_message;
    e->has_message = false;
    return has_message ? e->message : NULL;
}
