/* SPDX-License-Identifier: MIT */
/* Colliders of a world, and their transforms in each step of a call. */
#include <string.h>

#include "host/world/inspect.h"
#include "host/world/record.h"
#include "host/world/store.h"

sn_collider_desc sn_default_collider_desc(void)
{
    return (sn_collider_desc){
        .shape = SN_COLLIDER_PLANE, .friction = 0.5, .transform = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
}

static sn_collider_slot *find_collider(sn_collider_id id)
{
    const sn_world *w = id.index1 > 0 ? sn_world_by_index(id.world0) : NULL;
    sn_collider_slot *slot = w && id.index1 <= w->collider_count ? &w->colliders[id.index1 - 1] : NULL;
    return slot && slot->is_used && slot->generation == id.generation ? slot : NULL;
}

bool sn_collider_is_valid(sn_collider_id collider)
{
    return find_collider(collider) != NULL;
}

static sn_result grow_colliders(sn_world *w)
{
    const size_t capacity = 2 * (size_t)w->collider_capacity + 8, steps = (size_t)w->desc.step_limit;
    sn_collider_slot *slots = sn_alloc(capacity, sizeof *slots);
    sn_collider *moving = sn_alloc(capacity * steps, sizeof *moving);
    if (!slots || !moving) {
        sn_free(slots, capacity, sizeof *slots);
        sn_free(moving, capacity * steps, sizeof *moving);
        return SN_ERROR_MEMORY;
    }
    if (w->collider_count > 0) {
        memcpy(slots, w->colliders, (size_t)w->collider_count * sizeof *slots);
    }
    sn_world_free_colliders(w);
    w->colliders = slots;
    w->moving = moving;
    w->collider_capacity = (int)capacity;
    return SN_OK;
}

void sn_world_free_colliders(sn_world *w)
{
    const size_t capacity = (size_t)w->collider_capacity;
    sn_free(w->colliders, capacity, sizeof *w->colliders);
    sn_free(w->moving, capacity * (size_t)w->desc.step_limit, sizeof *w->moving);
}

sn_result sn_collider_create(sn_world_id world_id, const sn_collider_desc *desc, sn_collider_id *id)
{
    *id = (sn_collider_id){0, 0, 0};
    sn_world *w = sn_world_try_get(world_id);
    SN_ASSERT(w);
    sn_collider collider;
    sn_result result = sn_collider_init(desc, &collider);
    int index = 0;
    while (index < w->collider_count &&
           (w->colliders[index].is_used || w->colliders[index].generation == SN_LAST_GENERATION)) {
        ++index;
    }
    if (result == SN_OK && index == w->collider_capacity) {
        result = grow_colliders(w);
    }
    if (result == SN_OK && w->backend_world) {
        result = w->desc.backend->reserve_colliders(w->backend_world, &collider, w->collider_count + 1);
    }
    if (result != SN_OK) {
        return result;
    }
    collider.key = ++w->collider_key;
    sn_collider_slot *slot = &w->colliders[index];
    if (index == w->collider_count) {
        *slot = (sn_collider_slot){.generation = w->min_generation};
        ++w->collider_count;
    }
    *slot = (sn_collider_slot){.generation = slot->generation + 1, .is_used = true, .collider = collider};
    memcpy(slot->last_step_transform, collider.transform, sizeof slot->last_step_transform);
    *id = (sn_collider_id){index + 1, (uint16_t)(world_id.index1 - 1), slot->generation};
    sn_recorder_collider(w->desc.recorder, SN_RECORD_COLLIDER, id->index1, desc);
    return SN_OK;
}

void sn_collider_destroy(sn_collider_id collider)
{
    if (collider.index1 != 0) {
        sn_collider_slot *slot = find_collider(collider);
        SN_ASSERT(slot);
        slot->is_used = false;
        SN_RECORD(sn_world_by_index(collider.world0)->desc.recorder, COLLIDER_DESTROYED, .body = collider.index1);
    }
}

sn_result sn_collider_set_transform(sn_collider_id collider, const sn_mat3x4 *transform)
{
    sn_collider_slot *slot = find_collider(collider);
    SN_ASSERT(slot);
    if (!sn_collider_read_transform(transform, slot->collider.transform)) {
        return sn_fail(SN_ERROR_ARGUMENT, "collider: the transform is not a rotation and a translation");
    }
    SN_RECORD(sn_world_by_index(collider.world0)->desc.recorder, COLLIDER_MOVE, .body = collider.index1,
              .matrix = *transform);
    return SN_OK;
}

static bool is_same_collider(const sn_collider *a, const sn_collider *b)
{
    return a->shape == b->shape && a->radius == b->radius && a->half_height == b->half_height &&
           memcmp(a->half_extents, b->half_extents, sizeof a->half_extents) == 0 && a->friction == b->friction &&
           a->grid == b->grid && memcmp(a->transform, b->transform, sizeof a->transform) == 0;
}

sn_result sn_collider_set_desc(sn_collider_id id, const sn_collider_desc *desc)
{
    sn_collider_slot *slot = find_collider(id);
    SN_ASSERT(slot);
    sn_world *w = sn_world_by_index(id.world0);
    sn_collider collider;
    sn_result result = sn_collider_init(desc, &collider);
    collider.key = is_same_collider(&collider, &slot->collider) ? slot->collider.key : ++w->collider_key;
    if (result == SN_OK && w->backend_world) {
        result = w->desc.backend->reserve_colliders(w->backend_world, &collider, w->collider_count);
    }
    if (result == SN_OK) {
        slot->collider = collider;
        memcpy(slot->last_step_transform, collider.transform, sizeof slot->last_step_transform);
        sn_recorder_collider(w->desc.recorder, SN_RECORD_COLLIDER_DESC, id.index1, desc);
    }
    return result;
}

void sn_world_collider_impulse(sn_collider_id id, double impulse[3])
{
    const sn_collider_slot *slot = find_collider(id);
    SN_ASSERT(slot);
    const sn_world *w = sn_world_by_index(id.world0);
    impulse[0] = impulse[1] = impulse[2] = 0;
    for (int i = 0; i < w->slot_count; ++i) {
        const sn_body_slot *body = w->slots[i];
        if (body->is_used && body->table->body_collider_impulse) {
            body->table->body_collider_impulse(body->body, slot->collider.key, impulse);
        }
    }
}

/* index: among the colliders in use. */
static void move_collider(const sn_world *w, sn_collider_slot *slot, int index)
{
    sn_collider *c = &slot->collider;
    for (int step = 0; step < w->step_count; ++step) {
        sn_collider *moving = &w->moving[(size_t)step * (size_t)w->used_count + (size_t)index];
        *moving = *c;
        memcpy(moving->transform_before, slot->last_step_transform, sizeof moving->transform_before);
        sn_collider_blend(c->transform_before, c->transform, sn_world_step_fraction(w, step), moving->transform);
        memcpy(slot->last_step_transform, moving->transform, sizeof moving->transform);
    }
    memcpy(c->transform_before, c->transform, sizeof c->transform);
}

void sn_world_move_colliders(sn_world *w)
{
    w->used_count = 0;
    for (int i = 0; i < w->collider_count; ++i) {
        w->used_count += w->colliders[i].is_used;
    }
    int index = 0;
    for (int i = 0; i < w->collider_count; ++i) {
        if (w->colliders[i].is_used) {
            move_collider(w, &w->colliders[i], index++);
        }
    }
}
