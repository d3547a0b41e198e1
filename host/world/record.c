/* SPDX-License-Identifier: MIT */
/* The recorder: encodes calls as consecutive records and passes them to the user's function. */
#include "host/world/record.h"

#include <string.h>

#include "host/base/hash.h"
#include "host/contact/grid.h"
#include "host/model/model.h"

typedef struct recorded_model {
    const sn_model *model; /* the address is valid only while a body uses the model */
    uint64_t checksum;
} recorded_model;

struct sn_recorder {
    sn_recorder_desc desc;
    sn_world *world; /* world being recorded, or null */
    sn_record_coder coder;
    recorded_model *models; /* (model_count) */
    uint64_t *grids;        /* (grid_count) hashes */
    int model_count, model_capacity, grid_count, grid_capacity;
    double *scratch; /* (scratch_size) */
    size_t scratch_size;
    uint64_t hash, step_count;
    bool is_finished;
    sn_result failure;
};

/* ---- bytes ---- */

static void set_failure(sn_recorder *r, sn_result result)
{
    r->failure = r->failure ? r->failure : result;
}

/* size must be a multiple of 8 unless this is the last write. */
static void write(sn_recorder *r, const void *bytes, size_t size)
{
    if (r->failure == SN_OK && !r->desc.write(bytes, size, r->desc.user)) {
        set_failure(r, sn_fail(SN_ERROR_FILE, "recording: could not be written"));
    }
    r->hash = sn_hash(r->hash, bytes, size);
}

static void write_record(sn_recorder *r, uint32_t type, const void *bytes, size_t size)
{
    const uint32_t head[2] = {type, (uint32_t)size};
    const size_t aligned_size = size / 8 * 8;
    uint8_t last[8] = {0};
    if (size > UINT32_MAX) {
        set_failure(r, sn_fail(SN_ERROR_UNSUPPORTED, "recording: a model or grid of %zu bytes is too large", size));
        return;
    }
    write(r, head, sizeof head);
    if (aligned_size > 0) {
        write(r, bytes, aligned_size);
    }
    if (size > aligned_size) {
        memcpy(last, (const uint8_t *)bytes + aligned_size, size - aligned_size);
        write(r, last, sizeof last);
    }
}

void sn_recorder_record_call(sn_recorder *r, const sn_record_call *call)
{
    sn_record_call coded = *call;
    if (r->is_finished || r->failure) {
        return;
    }
    r->coder.size = 0;
    if (sn_record_code(&r->coder, &coded)) {
        write_record(r, call->type, r->coder.bytes, r->coder.size);
    } else {
        set_failure(r, SN_ERROR_MEMORY);
    }
}

/* ---- lifetime ---- */

sn_result sn_recorder_create(const sn_recorder_desc *desc, sn_recorder **result)
{
    sn_record_head head = {.magic = SN_RECORD_MAGIC, .version = SN_RECORD_VERSION, .library = SN_VERSION_STRING};
    sn_recorder *r = sn_alloc(1, sizeof *r);
    *result = r;
    if (!r) {
        return SN_ERROR_MEMORY;
    }
    r->desc = *desc;
    r->hash = SN_HASH_SEED;
    write(r, &head, sizeof head);
    SN_RECORD(r, NOTE, .text = desc->note);
    const sn_result failure = r->failure;
    r->desc.note = NULL; /* the string belongs to the caller */
    if (failure != SN_OK) {
        sn_recorder_destroy(result);
    }
    return failure;
}

sn_result sn_recorder_finish(sn_recorder *r)
{
    if (!r->is_finished && r->failure == SN_OK) {
        const uint32_t head[2] = {SN_RECORD_END, 16};
        write(r, head, sizeof head);
        write(r, &r->step_count, sizeof r->step_count);
        const uint64_t hash = r->hash;
        write(r, &hash, sizeof hash);
    }
    r->is_finished = true;
    return r->failure;
}

void sn_recorder_destroy(sn_recorder **recorder)
{
    sn_recorder *r = *recorder;
    *recorder = NULL;
    if (r) {
        SN_ASSERT(!r->world);
        sn_record_coder_finish(&r->coder);
        sn_free(r->models, (size_t)r->model_capacity, sizeof *r->models);
        sn_free(r->grids, (size_t)r->grid_capacity, sizeof *r->grids);
        sn_free(r->scratch, r->scratch_size, sizeof *r->scratch);
        sn_free(r, 1, sizeof *r);
    }
}

/* ---- models and grids ---- */

/* Whether a body uses the model, so that its address still identifies the recorded model. */
static bool is_in_world(const sn_world *w, const sn_model *model, int but_number)
{
    for (int i = 0; i < w->slot_count; ++i) {
        if (w->slots[i]->is_used && i + 1 != but_number && w->slots[i]->desc.model == model) {
            return true;
        }
    }
    return false;
}

static int add_model(sn_recorder *r, const sn_model *model)
{
    sn_arena arena = {0};
    uint64_t checksum = 0;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int index = 0;
    sn_result result = sn_model_identify(model, &arena, &checksum, &bytes, &size);
    while (result == SN_OK && index < r->model_count && r->models[index].checksum != checksum) {
        ++index;
    }
    if (result == SN_OK && index == r->model_count) {
        recorded_model *models = sn_grow(r->models, r->model_count, &r->model_capacity, sizeof *models);
        result = models ? SN_OK : SN_ERROR_MEMORY;
        if (models) {
            r->models = models;
            r->models[r->model_count++].checksum = checksum;
            SN_RECORD(r, MODEL, .hash = checksum, .byte_count = size,
                      .bytes = r->desc.is_without_models ? NULL : bytes);
        }
    }
    sn_arena_finish(&arena);
    if (result != SN_OK) {
        set_failure(r, result);
        return -1;
    }
    for (int i = 0; i < r->model_count; ++i) { /* a released model may have had this address */
        r->models[i].model = i == index ? model : r->models[i].model == model ? NULL : r->models[i].model;
    }
    return index;
}

/* but_number: the body that now gets the model; it is ignored. */
static int find_model(sn_recorder *r, const sn_model *model, int but_number)
{
    for (int i = 0; i < r->model_count && is_in_world(r->world, model, but_number); ++i) {
        if (r->models[i].model == model) {
            return i;
        }
    }
    return add_model(r, model);
}

static int find_grid(sn_recorder *r, const sn_grid *grid)
{
    const sn_grid_desc desc = {.counts = {grid->counts[0], grid->counts[1], grid->counts[2]},
                               .origin = {grid->origin[0], grid->origin[1], grid->origin[2]},
                               .spacing = grid->spacing};
    uint64_t hash = sn_hash(SN_HASH_SEED, grid->origin, sizeof grid->origin);
    hash = sn_hash(hash, &grid->spacing, sizeof grid->spacing);
    hash = sn_hash(hash, (const int64_t[2]){grid->counts[0], grid->counts[1]}, 16);
    hash = sn_hash(hash, grid->distances, grid->node_count * sizeof *grid->distances);
    for (int i = 0; i < r->grid_count; ++i) {
        if (r->grids[i] == hash) {
            return i;
        }
    }
    uint64_t *grids = sn_grow(r->grids, r->grid_count, &r->grid_capacity, sizeof *grids);
    if (!grids) {
        set_failure(r, SN_ERROR_MEMORY);
        return -1;
    }
    r->grids = grids;
    r->grids[r->grid_count] = hash;
    SN_RECORD(r, GRID, .desc.grid = desc, .floats = grid->distances, .count = (int32_t)grid->node_count);
    return r->grid_count++;
}

/* ---- worlds ---- */

sn_result sn_recorder_check_world(const sn_recorder *r, const sn_world_desc *desc)
{
    if (r && r->world) {
        return sn_fail(SN_ERROR_ARGUMENT, "world: the recorder already records another world");
    }
    if (r && desc->step_limit > SN_RECORD_STEP_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "world: step limit %d: must be at most %d with a recorder", desc->step_limit,
                       SN_RECORD_STEP_LIMIT);
    }
    return SN_OK;
}

void sn_recorder_begin_world(sn_recorder *r, sn_world *w)
{
    if (r) {
        char backend[SN_BACKEND_NAME];
        sn_backend_describe(w->desc.backend, backend);
        r->world = w;
        SN_RECORD(r, WORLD, .scalar = w->desc.time_step, .index = w->desc.step_limit, .text = backend);
    }
}

void sn_recorder_end_world(sn_recorder *r)
{
    if (r) {
        r->world = NULL;
        SN_RECORD(r, WORLD_DESTROYED, .body = 0);
    }
}

static double *scratch_of(sn_recorder *r)
{
    const size_t size = sn_world_scratch_size(r->world);
    if (size > r->scratch_size) {
        sn_free(r->scratch, r->scratch_size, sizeof *r->scratch);
        r->scratch = sn_alloc(size, sizeof *r->scratch);
        r->scratch_size = r->scratch ? size : 0;
        if (!r->scratch) {
            set_failure(r, SN_ERROR_MEMORY);
        }
    }
    return r->scratch;
}

/* The flesh of a step that is not yet submitted is that of an earlier step, so it is not hashed. */
void sn_recorder_step(sn_recorder *r, double seconds, const sn_world_report *report)
{
    if (r && !r->is_finished && !r->failure) {
        const bool has_flesh = !r->world->is_submitted_by_program;
        SN_RECORD(r, STEP, .scalar = seconds, .index = report->step_count,
                  .number = has_flesh ? report->recovery_count : SN_RECORD_POSES_ONLY,
                  .hash = sn_world_state_hash(r->world, has_flesh ? scratch_of(r) : NULL));
        ++r->step_count;
    }
}

/* ---- bodies and colliders ---- */

void sn_recorder_body(sn_recorder *r, int number, const sn_body_desc *desc)
{
    if (r && !r->is_finished && !r->failure) {
        const int model = find_model(r, desc->model, number);
        SN_RECORD(r, BODY, .body = number, .index = model, .desc.body = *desc);
    }
}

void sn_recorder_body_desc(sn_recorder *r, int number, const sn_body_desc *before, const sn_body_desc *desc)
{
    sn_record_coder *c = r ? &r->coder : NULL;
    sn_record_call old = {.type = SN_RECORD_BODY_DESC, .body = number, .desc.body = *before}, now = old;
    if (!r || r->is_finished || r->failure) {
        return;
    }
    now.desc.body = *desc;
    c->size = 0;
    const bool is_coded = sn_record_code(c, &old) && sn_record_code(c, &now);
    const size_t half = c->size / 2;
    if (is_coded && memcmp(c->bytes, c->bytes + half, half) != 0) {
        write_record(r, SN_RECORD_BODY_DESC, c->bytes + half, half);
    } else if (!is_coded) {
        set_failure(r, SN_ERROR_MEMORY);
    }
}

void sn_recorder_rig(sn_recorder *r, int number, const sn_model *model)
{
    if (r && !r->is_finished && !r->failure) {
        const int index = find_model(r, model, number);
        SN_RECORD(r, RIG, .body = number, .index = index);
    }
}

void sn_recorder_collider(sn_recorder *r, sn_record_type type, int number, const sn_collider_desc *desc)
{
    if (r && !r->is_finished && !r->failure) {
        const int grid = desc->shape == SN_COLLIDER_GRID ? find_grid(r, desc->grid) : -1;
        sn_recorder_record_call(r,
                                &(sn_record_call){.type = type, .body = number, .desc.collider = *desc, .index = grid});
    }
}
