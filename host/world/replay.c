/* SPDX-License-Identifier: MIT */
/* Replays a recording: checks each record against the assertions of its call, then makes the call. */
#include <stdio.h>
#include <string.h>

#include "host/world/replay_private.h"

/* ---- errors ---- */

sn_result sn_replay_report_damage(const sn_replay *r, const char *what)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: byte %zu: %s; the file is damaged", r->file.name, r->record_offset, what);
}

void sn_replay_report_difference(sn_replay *r, const char *what)
{
    if (r->first_difference < 0) {
        r->first_difference = r->step;
        sn_log(SN_LOG_ERROR, "%s: step %d (byte %zu): %s differs from the recording (by version %s; this is %s)",
               r->file.name, r->step, r->record_offset, what, r->file.library, SN_VERSION_STRING);
    }
}

/* ---- lifetime ---- */

static sn_result compute_input_checksums(sn_replay *r)
{
    sn_result result = SN_OK;
    r->input_checksums = sn_alloc((size_t)r->desc.model_count, sizeof *r->input_checksums);
    for (int i = 0; i < r->desc.model_count && r->input_checksums && result == SN_OK; ++i) {
        sn_arena arena = {0};
        uint8_t *bytes = NULL;
        size_t size = 0;
        result = sn_model_identify(r->desc.models[i], &arena, &r->input_checksums[i], &bytes, &size);
        sn_arena_finish(&arena);
    }
    return r->input_checksums ? result : SN_ERROR_MEMORY;
}

static sn_result load_model(sn_replay *r, const sn_record_call *call)
{
    replayed_model *m = &r->models[r->model_count++];
    for (int i = 0; i < r->desc.model_count && !m->model; ++i) {
        m->model = r->input_checksums[i] == call->hash ? r->desc.models[i] : NULL;
    }
    if (m->model || !call->bytes) {
        return SN_OK;
    }
    char name[512];
    snprintf(name, sizeof name, "%.400s: model %d", r->file.name, r->model_count - 1);
    const sn_result result = sn_model_load_named(name, call->bytes, (size_t)call->byte_count, &m->own);
    m->model = m->own;
    return result;
}

/* Loads all models and grids before the first call. */
static sn_result load_contents(sn_replay *r)
{
    sn_record_call call;
    sn_result result = SN_OK;
    size_t offset = SN_REPLAY_FIRST;
    r->record_offset = offset;
    while (result == SN_OK && sn_replay_file_next(&r->file, &offset, &call)) {
        if (call.type == SN_RECORD_MODEL) {
            result = load_model(r, &call);
        } else if (call.type == SN_RECORD_GRID) {
            result = sn_grid_create(&call.desc.grid, &r->grids[r->grid_count]);
            r->grid_count += result == SN_OK;
        }
    }
    return result;
}

sn_result sn_replay_create(const sn_replay_desc *desc, sn_replay **replay)
{
    sn_replay *r = sn_alloc(1, sizeof *r);
    *replay = r;
    if (!r) {
        return SN_ERROR_MEMORY;
    }
    r->desc = *desc;
    r->desc.world.recorder = NULL;
    r->offset = SN_REPLAY_FIRST;
    r->first_difference = -1;
    sn_result result = sn_replay_file_open(desc->name ? desc->name : "recording", desc->bytes, desc->size, &r->file);
    if (result == SN_OK) {
        r->models = sn_alloc((size_t)r->file.model_count, sizeof *r->models);
        r->grids = sn_alloc((size_t)r->file.grid_count, sizeof(sn_grid *));
        result = r->models && r->grids ? compute_input_checksums(r) : SN_ERROR_MEMORY;
    }
    result = result ? result : load_contents(r);
    if (result != SN_OK) {
        sn_replay_destroy(replay);
    }
    return result;
}

static void destroy_world(sn_replay *r)
{
    sn_world_destroy(r->world);
    r->world = (sn_world_id){0};
    r->body_count = r->collider_count = 0;
}

void sn_replay_destroy(sn_replay **replay)
{
    sn_replay *r = *replay;
    *replay = NULL;
    if (!r) {
        return;
    }
    destroy_world(r);
    for (int i = 0; i < r->model_count; ++i) {
        sn_embedding_destroy(&r->models[i].embedding);
        sn_model_release(r->models[i].own);
    }
    for (int i = 0; i < r->grid_count; ++i) {
        sn_grid_destroy(&r->grids[i]);
    }
    sn_free(r->models, (size_t)r->file.model_count, sizeof *r->models);
    sn_free(r->grids, (size_t)r->file.grid_count, sizeof(sn_grid *));
    sn_free(r->bodies, (size_t)r->body_capacity, sizeof *r->bodies);
    sn_free(r->colliders, (size_t)r->collider_capacity, sizeof *r->colliders);
    sn_free(r->input_checksums, (size_t)r->desc.model_count, sizeof *r->input_checksums);
    sn_free(r->scratch, r->scratch_size, sizeof *r->scratch);
    sn_free(r, 1, sizeof *r);
}

/* ---- the world ---- */

static sn_result create_world(sn_replay *r, const sn_record_call *call)
{
    char backend[SN_BACKEND_NAME];
    sn_world_desc desc = r->desc.world;
    desc.time_step = call->scalar;
    desc.step_limit = call->index;
    sn_backend_describe(desc.backend, backend);
    if (r->world.index1 != 0 || desc.step_limit > SN_RECORD_STEP_LIMIT) {
        return sn_replay_report_damage(r, "a second world, or too large a step limit");
    }
    if (strcmp(backend, call->text) != 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: was recorded on %s and cannot be replayed on %s", r->file.name,
                       *call->text ? call->text : "threads", *backend ? backend : "threads");
    }
    return sn_world_create(&desc, &r->world);
}

static sn_result compare_step(sn_replay *r, const sn_record_call *call, sn_replay_report *report)
{
    const sn_world *w = sn_world_try_get(r->world);
    const size_t size = sn_world_scratch_size(w);
    if (size > r->scratch_size) {
        sn_free(r->scratch, r->scratch_size, sizeof *r->scratch);
        r->scratch = sn_alloc(size, sizeof *r->scratch);
        r->scratch_size = r->scratch ? size : 0;
    }
    if (size > 0 && !r->scratch) {
        return SN_ERROR_MEMORY;
    }
    const bool has_flesh = call->number != SN_RECORD_POSES_ONLY;
    /* a device reports recoveries later, depending on its frames in flight */
    const bool has_recoveries = has_flesh && !w->backend_world;
    report->hash = sn_world_state_hash(w, has_flesh ? r->scratch : NULL);
    if (report->hash != call->hash || report->world.step_count != call->index ||
        (has_recoveries && report->world.recovery_count != call->number)) {
        sn_replay_report_difference(r, "the state");
    }
    return SN_OK;
}

static sn_result step_world(sn_replay *r, const sn_record_call *call, sn_replay_report *report)
{
    if (r->world.index1 == 0) {
        return sn_replay_report_damage(r, "a step without a world");
    }
    report->seconds = call->scalar;
    report->world = sn_world_step(r->world, call->scalar);
    const sn_result result = compare_step(r, call, report);
    ++r->step;
    return result;
}

/* ---- colliders ---- */

static sn_result find_collider_desc(sn_replay *r, const sn_record_call *call, sn_collider_desc *desc)
{
    *desc = call->desc.collider;
    desc->name = NULL;
    desc->grid = NULL;
    if (desc->shape == SN_COLLIDER_GRID) {
        if (call->index < 0 || call->index >= r->grid_count) {
            return sn_replay_report_damage(r, "reference to a missing grid");
        }
        desc->grid = r->grids[call->index];
    }
    return SN_OK;
}

static sn_result create_collider(sn_replay *r, const sn_record_call *call)
{
    sn_collider_desc desc;
    sn_collider_id id = {0};
    sn_result result =
        r->world.index1 ? find_collider_desc(r, call, &desc) : sn_replay_report_damage(r, "a collider without a world");
    result = result ? result : sn_collider_create(r->world, &desc, &id);
    if (result != SN_OK) {
        return result;
    }
    if (id.index1 != call->body) {
        return sn_replay_report_damage(r, "wrong number of colliders");
    }
    if (id.index1 > r->collider_count) {
        replayed_collider *grown =
            sn_grow(r->colliders, r->collider_count, &r->collider_capacity, sizeof *r->colliders);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        r->colliders = grown;
        r->collider_count = id.index1;
    }
    r->colliders[id.index1 - 1] = (replayed_collider){id, desc};
    return SN_OK;
}

static sn_result change_collider(sn_replay *r, const sn_record_call *call)
{
    replayed_collider *c = call->body > 0 && call->body <= r->collider_count ? &r->colliders[call->body - 1] : NULL;
    sn_collider_desc desc;
    sn_result result = SN_OK;
    if (!c || c->id.index1 == 0) {
        return sn_replay_report_damage(r, "reference to a missing collider");
    }
    if (call->type == SN_RECORD_COLLIDER_DESTROYED) {
        sn_collider_destroy(c->id);
        c->id = (sn_collider_id){0};
    } else if (call->type == SN_RECORD_COLLIDER_MOVE) {
        result = sn_collider_set_transform(c->id, &call->matrix);
        c->desc.transform = call->matrix;
    } else {
        result = find_collider_desc(r, call, &desc);
        result = result ? result : sn_collider_set_desc(c->id, &desc);
        c->desc = desc;
    }
    return result;
}

/* ---- records ---- */

static sn_result replay_call(sn_replay *r, const sn_record_call *call, sn_replay_report *report)
{
    switch (call->type) {
    case SN_RECORD_NOTE:
    case SN_RECORD_MODEL:
    case SN_RECORD_GRID:
        return SN_OK;
    case SN_RECORD_WORLD:
        return create_world(r, call);
    case SN_RECORD_WORLD_DESTROYED:
        destroy_world(r);
        return SN_OK;
    case SN_RECORD_STEP:
        return step_world(r, call, report);
    case SN_RECORD_COLLIDER:
        return create_collider(r, call);
    case SN_RECORD_COLLIDER_DESC:
    case SN_RECORD_COLLIDER_MOVE:
    case SN_RECORD_COLLIDER_DESTROYED:
        return change_collider(r, call);
    case SN_RECORD_BODY:
        return sn_replay_create_body(r, call);
    default:
        return sn_replay_change_body(r, call);
    }
}

/* A world that is destroyed after the last step remains available for inspection. */
sn_result sn_replay_step(sn_replay *r, sn_replay_report *report)
{
    sn_record_call call = {.type = SN_RECORD_END};
    *report = (sn_replay_report){.is_over = r->step == r->file.step_count};
    while (!report->is_over && call.type != SN_RECORD_STEP) {
        r->record_offset = r->offset;
        if (!sn_replay_file_next(&r->file, &r->offset, &call)) {
            return sn_replay_report_damage(r, "missing step");
        }
        SN_TRY(replay_call(r, &call, report));
    }
    return SN_OK;
}

/* ---- state ---- */

int sn_replay_first_difference(const sn_replay *r)
{
    return r->first_difference;
}

int sn_replay_step_count(const sn_replay *r)
{
    return r->file.step_count;
}

double sn_replay_seconds(const sn_replay *r)
{
    return r->file.seconds;
}

const char *sn_replay_note(const sn_replay *r)
{
    return r->file.note;
}

const char *sn_replay_version(const sn_replay *r)
{
    return r->file.library;
}

int sn_replay_model_count(const sn_replay *r)
{
    return r->model_count;
}

const sn_model *sn_replay_model(const sn_replay *r, int model)
{
    SN_ASSERT(model >= 0 && model < r->model_count);
    return r->models[model].model;
}

sn_world_id sn_replay_world(const sn_replay *r)
{
    return r->world;
}

int sn_replay_body_count(const sn_replay *r)
{
    return r->body_count;
}

sn_body_id sn_replay_body(const sn_replay *r, int number)
{
    SN_ASSERT(number >= 1 && number <= r->body_count);
    return r->bodies[number - 1].id;
}

int sn_replay_collider_count(const sn_replay *r)
{
    return r->collider_count;
}

bool sn_replay_collider(const sn_replay *r, int number, sn_collider_desc *desc)
{
    SN_ASSERT(number >= 1 && number <= r->collider_count);
    const replayed_collider *c = &r->colliders[number - 1];
    *desc = c->desc;
    return c->id.index1 != 0;
}
