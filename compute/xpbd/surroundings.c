/* SPDX-License-Identifier: MIT */
/* Colliders around bodies. Where they are during each substep is computed here, in double, once for all bodies that
 * have the same ones and as many substeps. */
#include <string.h>

#include "compute/xpbd/solver.h"

static bool take_shape(const sn_collider *c, struct sn_xpbd_collider_record *record)
{
    static const uint32_t shapes[SN_COLLIDER_SHAPE_COUNT] = {[SN_COLLIDER_PLANE] = SN_XPBD_PLANE,
                                                             [SN_COLLIDER_SPHERE] = SN_XPBD_SPHERE,
                                                             [SN_COLLIDER_CAPSULE] = SN_XPBD_CAPSULE,
                                                             [SN_COLLIDER_BOX] = SN_XPBD_BOX};
    *record = (struct sn_xpbd_collider_record){
        .radius = c->radius, .half_height = c->half_height, .friction = c->friction, .shape = shapes[c->shape]};
    memcpy(record->half_extents, c->half_extents, sizeof record->half_extents);
    return c->shape == SN_COLLIDER_PLANE || record->shape != SN_XPBD_PLANE;
}

static bool is_same(const sn_collider *a, const sn_collider *b)
{
    return a->shape == b->shape && a->radius == b->radius && a->half_height == b->half_height &&
           a->friction == b->friction && memcmp(a->half_extents, b->half_extents, sizeof a->half_extents) == 0 &&
           memcmp(a->transform, b->transform, sizeof a->transform) == 0 &&
           memcmp(a->transform_before, b->transform_before, sizeof a->transform_before) == 0;
}

static bool is_list(const sn_gpu_xpbd_colliders *list, const sn_collider *colliders, int count, int substep_count)
{
    bool is_it = list->user_count > 0 && list->count == count && list->substep_count == substep_count;
    for (int i = 0; i < count && is_it; ++i) {
        is_it = is_same(&list->colliders[i], &colliders[i]);
    }
    return is_it;
}

/* The last one that was made, or any. */
static int find_list(const sn_gpu_xpbd *x, const sn_collider *colliders, int count, int substep_count)
{
    if (x->last_list < x->list_count && is_list(&x->lists[x->last_list], colliders, count, substep_count)) {
        return x->last_list;
    }
    for (int i = 0; i < x->list_count; ++i) {
        if (is_list(&x->lists[i], colliders, count, substep_count)) {
            return i;
        }
    }
    return -1;
}

static int find_unused(sn_gpu_xpbd *x)
{
    int list = 0;
    while (list < x->list_count && x->lists[list].user_count > 0) {
        ++list;
    }
    if (list == x->list_count) {
        sn_gpu_xpbd_colliders *grown = sn_grow(x->lists, x->list_count, &x->list_room, sizeof *grown);
        if (!grown) {
            return -1;
        }
        x->lists = grown;
        x->lists[x->list_count++] = (sn_gpu_xpbd_colliders){.colliders = NULL};
    }
    return list;
}

static bool reserve(sn_gpu_xpbd_colliders *list, int count, int substep_count)
{
    const size_t records = (size_t)count * (size_t)substep_count;
    if (count > list->room) {
        sn_free(list->colliders, (size_t)list->room, sizeof *list->colliders);
        list->colliders = sn_alloc((size_t)count, sizeof *list->colliders);
        list->room = list->colliders ? count : 0;
    }
    if (records > list->record_count) {
        sn_free(list->records, list->record_count, sizeof *list->records);
        list->records = sn_alloc(records, sizeof *list->records);
        list->record_count = list->records ? records : 0;
    }
    return list->room >= count && list->record_count >= records;
}

/* As host/xpbd/contacts.c has them during a substep. */
static void fill(sn_gpu_xpbd_colliders *list)
{
    struct sn_xpbd_collider_record *record = list->records;
    for (int substep = 0; substep < list->substep_count; ++substep) {
        const double from = (double)substep / list->substep_count, to = (substep + 1.0) / list->substep_count;
        for (int i = 0; i < list->count; ++i, ++record) {
            const sn_collider *c = &list->colliders[i];
            take_shape(c, record);
            sn_collider_blend(c->transform_before, c->transform, from, record->transform_before);
            sn_collider_blend(c->transform_before, c->transform, to, record->transform);
        }
    }
}

static uint32_t count_records(const sn_gpu_xpbd *x)
{
    uint32_t sum = 0;
    for (int i = 0; i < x->list_count; ++i) {
        sum += x->lists[i].user_count > 0 ? (uint32_t)(x->lists[i].count * x->lists[i].substep_count) : 0;
    }
    return sum;
}

/* The body is its first user. */
static sn_result append_list(sn_gpu_xpbd *x, const sn_collider *colliders, int count, int substep_count, int *index)
{
    const int unused = find_unused(x);
    if (unused < 0 || !reserve(&x->lists[unused], count, substep_count)) {
        return SN_ERROR_MEMORY;
    }
    sn_gpu_xpbd_colliders *list = &x->lists[unused];
    for (int i = 0; i < count; ++i) {
        list->colliders[i] = colliders[i];
    }
    list->count = count;
    list->substep_count = substep_count;
    fill(list);
    const uint32_t records = count_records(x) + (uint32_t)(count * substep_count);
    *index = x->last_list = unused;
    return sn_gpu_xpbd_make_room(x, SN_XPBD_COLLIDERS, records, sizeof *list->records, &x->collider_room);
}

void sn_gpu_xpbd_release_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body)
{
    if (body->list >= 0) {
        --x->lists[body->list].user_count;
    }
    body->list = -1;
}

static sn_result use_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body, const sn_collider *colliders, int count)
{
    const int substep_count = body->settings.substep_count;
    int list = count > 0 ? find_list(x, colliders, count, substep_count) : -1;
    sn_result result = SN_OK;
    if (list >= 0) {
        ++x->lists[list].user_count; /* before it may lose its last */
    }
    sn_gpu_xpbd_release_colliders(x, body);
    if (list < 0 && count > 0) {
        result = append_list(x, colliders, count, substep_count, &list);
        if (result == SN_OK) {
            ++x->lists[list].user_count;
        }
    }
    body->list = result == SN_OK ? list : -1;
    return result;
}

sn_result sn_gpu_xpbd_set_surroundings(sn_gpu_xpbd *x, int index, const sn_surroundings *surroundings)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const int given = surroundings ? surroundings->collider_count : 0, most = SN_GPU_XPBD_COLLIDER_LIMIT;
    const uint64_t seen = sn_xpbd_hash_surroundings(surroundings);
    const sn_collider *colliders = surroundings ? surroundings->colliders : NULL;
    sn_collider *known = NULL;
    struct sn_xpbd_collider_record ignored;
    int count = 0;
    while (count < given && count < most && take_shape(&colliders[count], &ignored)) {
        ++count;
    }
    if (count < given && count < most) { /* one that is left out, and those after it */
        known = sn_alloc((size_t)given, sizeof *known);
        count = 0;
        for (int i = 0; i < given && count < most && known; ++i) {
            known[count] = colliders[i];
            count += take_shape(&colliders[i], &ignored);
        }
        colliders = known;
    }
    body->record.flags |= seen != body->seen ? SN_XPBD_WOKEN : 0;
    body->seen = seen;
    const sn_result result = use_colliders(x, body, colliders, count);
    sn_free(known, (size_t)given, sizeof *known);
    return result;
}

sn_result sn_gpu_xpbd_renew_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body)
{
    if (body->list < 0 || x->lists[body->list].substep_count == body->settings.substep_count) {
        return SN_OK;
    }
    const int count = x->lists[body->list].count;
    sn_collider *colliders = sn_alloc((size_t)count, sizeof *colliders);
    if (!colliders) {
        return SN_ERROR_MEMORY;
    }
    memcpy(colliders, x->lists[body->list].colliders, (size_t)count * sizeof *colliders);
    const sn_result result = use_colliders(x, body, colliders, count);
    sn_free(colliders, (size_t)count, sizeof *colliders);
    return result;
}

void sn_gpu_xpbd_write_colliders(sn_gpu_xpbd *x, struct sn_xpbd_collider_record *records)
{
    uint32_t next = 0;
    for (int i = 0; i < x->list_count; ++i) {
        sn_gpu_xpbd_colliders *list = &x->lists[i];
        if (list->user_count > 0) {
            const uint32_t count = (uint32_t)(list->count * list->substep_count);
            memcpy(records + next, list->records, count * sizeof *records);
            list->first = next;
            next += count;
        }
    }
}

void sn_gpu_xpbd_free_colliders(sn_gpu_xpbd *x)
{
    for (int i = 0; i < x->list_count; ++i) {
        sn_free(x->lists[i].colliders, (size_t)x->lists[i].room, sizeof *x->lists[i].colliders);
        sn_free(x->lists[i].records, x->lists[i].record_count, sizeof *x->lists[i].records);
    }
    sn_free(x->lists, (size_t)x->list_room, sizeof *x->lists);
}
