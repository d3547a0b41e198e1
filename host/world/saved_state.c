/* SPDX-License-Identifier: MIT */
/* States of bodies and worlds for rollback. A state is a header and values; the header's checksum covers the values. A
 * world's values begin with its time, then those of its bodies, each a state, and of its colliders. */
#include "host/base/hash.h"
#include "host/model/model.h"
#include "host/world/store.h"

#define STATE_VERSION 1
#define BODY_MAGIC 0x42534e53u  /* "SNSB" */
#define WORLD_MAGIC 0x57534e53u /* "SNSW" */

typedef struct state_header {
    uint32_t magic, version;
    uint64_t size; /* in bytes, with the header */
    uint64_t checksum;
    uint64_t model;                     /* of a body: fingerprint of its model */
    int32_t used_mode_count;            /* of a body */
    int32_t body_count, collider_count; /* of a world */
    int32_t reserved;
} state_header;

/* Counts, scalars and stiffnesses of a model, since hashing all of it would take as long as a step. */
static uint64_t fingerprint(const sn_model *model)
{
    uint64_t hash = sn_hash(SN_HASH_SEED, &model->counts, sizeof model->counts);
#define SN_SCALAR(name) hash = sn_hash(hash, &model->name, sizeof model->name);
    SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
    return sn_hash(hash, model->coordinate_stiffness,
                   (size_t)model->counts.coordinate_count * sizeof *model->coordinate_stiffness);
}

static bool can_save(const sn_world *w, const sn_body_slot *slot)
{
    return !w->backend_world && slot->table->body_visit_state;
}

static void visit_body(sn_body_slot *slot, sn_state_visitor *visitor)
{
    const size_t pose = 12 * (size_t)slot->bone_count * sizeof(double);
    const size_t morphs = (size_t)slot->morph_count * sizeof(float);
    sn_state_visit(visitor, &slot->has_refused_pose, sizeof slot->has_refused_pose);
    sn_state_visit(visitor, &slot->is_refusal_logged, sizeof slot->is_refusal_logged);
    sn_state_visit(visitor, &slot->is_recovered, sizeof slot->is_recovered);
    sn_state_visit(visitor, slot->pose_before, pose);
    sn_state_visit(visitor, slot->pose_now, pose);
    sn_state_visit(visitor, slot->matrices,
                   12 * ((size_t)slot->bone_count + (size_t)slot->mode_count) * sizeof *slot->matrices);
    sn_state_visit(visitor, slot->morphs, morphs);
    sn_state_visit(visitor, slot->morphs_before, morphs);
    sn_springs_visit_state(slot->springs, visitor);
    slot->table->body_visit_state(slot->body, visitor);
}

static size_t body_size(const sn_world *w, sn_body_slot *slot)
{
    sn_state_visitor visitor = {.pass = SN_STATE_MEASURE, .position = sizeof(state_header)};
    if (!can_save(w, slot)) {
        return 0;
    }
    visit_body(slot, &visitor);
    return visitor.position;
}

/* Writes the header before values of which all but the header are in place. */
static void finish_state(state_header header, uint8_t *bytes)
{
    header.version = STATE_VERSION;
    header.checksum = sn_hash(SN_HASH_SEED, bytes + sizeof header, (size_t)header.size - sizeof header);
    memcpy(bytes, &header, sizeof header);
}

static sn_result read_header(const char *kind, int number, uint32_t magic, const uint8_t *bytes, size_t capacity,
                             state_header *header)
{
    if (!bytes || capacity < sizeof *header) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s %d: the saved state is null or has only %zu bytes", kind, number,
                       capacity);
    }
    memcpy(header, bytes, sizeof *header);
    if (header->magic != magic || header->version != STATE_VERSION) {
        return sn_fail(SN_ERROR_FORMAT, "%s %d: not the saved state of a %s of this version", kind, number, kind);
    }
    return SN_OK;
}

/* Checks the values of a state that needs `size` bytes. */
static sn_result check_values(const char *kind, int number, const state_header *header, size_t size,
                              const uint8_t *bytes, size_t capacity)
{
    if (header->size != size || capacity < size) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s %d: its state has %zu bytes; the saved one has %llu, of which %zu are given", kind, number,
                       size, (unsigned long long)header->size, capacity);
    }
    if (header->checksum != sn_hash(SN_HASH_SEED, bytes + sizeof *header, size - sizeof *header)) {
        return sn_fail(SN_ERROR_FORMAT, "%s %d: the saved state is damaged", kind, number);
    }
    return SN_OK;
}

static void save_body(sn_body_slot *slot, size_t size, uint8_t *bytes)
{
    sn_state_visitor visitor = {
        .pass = SN_STATE_SAVE, .saved = bytes, .capacity = size, .position = sizeof(state_header)};
    visit_body(slot, &visitor);
    finish_state((state_header){.magic = BODY_MAGIC,
                                .size = size,
                                .model = fingerprint(slot->desc.model),
                                .used_mode_count = slot->used_mode_count},
                 bytes);
}

static sn_result check_body(const sn_body_slot *slot, int number, size_t size, const uint8_t *bytes, size_t capacity)
{
    state_header header;
    SN_TRY(read_header("body", number, BODY_MAGIC, bytes, capacity, &header));
    if (header.model != fingerprint(slot->desc.model)) {
        return sn_fail(SN_ERROR_ARGUMENT, "body %d: the saved state belongs to another model", number);
    }
    if (header.used_mode_count != slot->used_mode_count) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "body %d: the saved state has %d modes, the body %d; call sn_body_set_detail first", number,
                       header.used_mode_count, slot->used_mode_count);
    }
    return check_values("body", number, &header, size, bytes, capacity);
}

static void restore_body(sn_body_slot *slot, size_t size, const uint8_t *bytes)
{
    sn_state_visitor visitor = {
        .pass = SN_STATE_RESTORE, .restored = bytes, .capacity = size, .position = sizeof(state_header)};
    visit_body(slot, &visitor);
}

static sn_result fail_unsupported(const char *kind, int number)
{
    return sn_fail(SN_ERROR_UNSUPPORTED,
                   "%s %d: only states of reduced bodies on threads can be saved, and none be restored during a "
                   "recording",
                   kind, number);
}

static sn_result fail_too_small(const char *kind, int number, size_t size, size_t needed)
{
    return sn_fail(SN_ERROR_ARGUMENT, "%s %d: its state has %zu bytes; the memory is null or has only %zu", kind,
                   number, needed, size);
}

size_t sn_body_state_size(sn_body_id id)
{
    return body_size(sn_world_by_index(id.world0), sn_body_get(id));
}

sn_result sn_body_save_state(sn_body_id id, void *bytes, size_t size)
{
    const size_t needed = sn_body_state_size(id);
    if (needed == 0) {
        return fail_unsupported("body", id.index1);
    }
    if (!bytes || size < needed) {
        return fail_too_small("body", id.index1, size, needed);
    }
    save_body(sn_body_get(id), needed, bytes);
    return SN_OK;
}

sn_result sn_body_restore_state(sn_body_id id, const void *bytes, size_t size)
{
    sn_body_slot *slot = sn_body_get(id);
    const size_t needed = sn_body_state_size(id);
    if (needed == 0 || slot->recorder) {
        return fail_unsupported("body", id.index1);
    }
    SN_TRY(check_body(slot, id.index1, needed, bytes, size));
    restore_body(slot, needed, bytes);
    return SN_OK;
}

/* ---- worlds ---- */

/* A body or collider of a saved world. */
typedef struct state_id {
    int32_t index;
    uint32_t generation;
} state_id;

static void visit_time(sn_world *w, sn_state_visitor *visitor)
{
    sn_state_visit(visitor, &w->leftover, sizeof w->leftover);
    sn_state_visit(visitor, &w->display_fraction, sizeof w->display_fraction);
}

static void visit_collider(sn_collider_slot *slot, sn_state_visitor *visitor)
{
    sn_state_visit(visitor, slot->collider.transform, sizeof slot->collider.transform);
    sn_state_visit(visitor, slot->collider.transform_before, sizeof slot->collider.transform_before);
    sn_state_visit(visitor, slot->last_step_transform, sizeof slot->last_step_transform);
}

/* Whether the id comes next in a saved state; it is written if the state is being saved. */
static bool visit_id(state_id id, sn_state_visitor *visitor)
{
    state_id visited = id;
    sn_state_visit(visitor, &visited, sizeof visited);
    return visited.index == id.index && visited.generation == id.generation;
}

/* 0: a body cannot be saved. */
static size_t measure_world(sn_world *w, state_header *header)
{
    sn_state_visitor visitor = {.pass = SN_STATE_MEASURE, .position = sizeof(state_header)};
    *header = (state_header){.magic = WORLD_MAGIC};
    visit_time(w, &visitor);
    for (int i = 0; i < w->slot_count; ++i) {
        if (w->slots[i]->is_used) {
            const size_t size = body_size(w, w->slots[i]);
            if (size == 0) {
                return 0;
            }
            visitor.position += sizeof(state_id) + size;
            ++header->body_count;
        }
    }
    for (int i = 0; i < w->collider_count; ++i) {
        if (w->colliders[i].is_used) {
            visitor.position += sizeof(state_id);
            visit_collider(&w->colliders[i], &visitor);
            ++header->collider_count;
        }
    }
    header->size = visitor.position;
    return visitor.position;
}

/* Checks that the saved bodies and colliders are those of the world. */
static sn_result check_world(const sn_world *w, const uint8_t *bytes, size_t size)
{
    sn_state_visitor visitor = {.pass = SN_STATE_RESTORE, .restored = bytes, .capacity = size};
    double time[2];
    visitor.position = sizeof(state_header);
    sn_state_visit(&visitor, time, sizeof time);
    for (int i = 0; i < w->slot_count; ++i) {
        if (!w->slots[i]->is_used) {
            continue;
        }
        const size_t needed = body_size(w, w->slots[i]);
        if (!visit_id((state_id){i, w->slots[i]->generation}, &visitor)) {
            return sn_fail(SN_ERROR_ARGUMENT, "body %d: it was created after the world's state was saved", i + 1);
        }
        SN_TRY(check_body(w->slots[i], i + 1, needed, bytes + visitor.position, size - visitor.position));
        visitor.position += needed;
    }
    for (int i = 0; i < w->collider_count; ++i) {
        if (w->colliders[i].is_used) {
            if (!visit_id((state_id){i, w->colliders[i].generation}, &visitor)) {
                return sn_fail(SN_ERROR_ARGUMENT, "collider %d: it was created after the world's state was saved",
                               i + 1);
            }
            visitor.position += sizeof w->colliders[i].collider.transform +
                                sizeof w->colliders[i].collider.transform_before +
                                sizeof w->colliders[i].last_step_transform;
        }
    }
    return SN_OK;
}

/* Saves or restores everything but the header. */
static void visit_world(sn_world *w, sn_state_visitor *visitor)
{
    visit_time(w, visitor);
    for (int i = 0; i < w->slot_count; ++i) {
        if (!w->slots[i]->is_used) {
            continue;
        }
        const size_t size = body_size(w, w->slots[i]);
        visit_id((state_id){i, w->slots[i]->generation}, visitor);
        if (visitor->pass == SN_STATE_SAVE) {
            save_body(w->slots[i], size, visitor->saved + visitor->position);
        } else {
            restore_body(w->slots[i], size, visitor->restored + visitor->position);
        }
        visitor->position += size;
    }
    for (int i = 0; i < w->collider_count; ++i) {
        if (w->colliders[i].is_used) {
            visit_id((state_id){i, w->colliders[i].generation}, visitor);
            visit_collider(&w->colliders[i], visitor);
        }
    }
}

size_t sn_world_state_size(sn_world_id id)
{
    sn_world *w = sn_world_try_get(id);
    state_header header;
    SN_ASSERT(w);
    return measure_world(w, &header);
}

sn_result sn_world_save_state(sn_world_id id, void *bytes, size_t size)
{
    sn_world *w = sn_world_try_get(id);
    state_header header;
    SN_ASSERT(w);
    const size_t needed = measure_world(w, &header);
    if (needed == 0) {
        return fail_unsupported("world", id.index1);
    }
    if (!bytes || size < needed) {
        return fail_too_small("world", id.index1, size, needed);
    }
    sn_state_visitor visitor = {.pass = SN_STATE_SAVE, .saved = bytes, .capacity = needed, .position = sizeof header};
    visit_world(w, &visitor);
    finish_state(header, bytes);
    return SN_OK;
}

sn_result sn_world_restore_state(sn_world_id id, const void *bytes, size_t size)
{
    sn_world *w = sn_world_try_get(id);
    state_header now, header;
    SN_ASSERT(w);
    const size_t needed = measure_world(w, &now);
    if (needed == 0 || w->desc.recorder) {
        return fail_unsupported("world", id.index1);
    }
    SN_TRY(read_header("world", id.index1, WORLD_MAGIC, bytes, size, &header));
    if (header.body_count != now.body_count || header.collider_count != now.collider_count) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "world %d: it has %d bodies and %d colliders, and had %d and %d when its state was saved",
                       id.index1, now.body_count, now.collider_count, header.body_count, header.collider_count);
    }
    SN_TRY(check_values("world", id.index1, &header, needed, bytes, size));
    SN_TRY(check_world(w, bytes, needed));
    sn_state_visitor visitor = {
        .pass = SN_STATE_RESTORE, .restored = bytes, .capacity = needed, .position = sizeof header};
    visit_world(w, &visitor);
    return SN_OK;
}
