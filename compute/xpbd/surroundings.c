/* SPDX-License-Identifier: MIT */
/* Colliders of bodies. Their transforms in each substep are computed here in double, once for all bodies with equal
 * colliders and substep counts. */
#include <math.h>
#include <string.h>

#include "compute/xpbd/private.h"

static void set_shape(const sn_gpu_xpbd *x, const sn_collider *c, struct sn_xpbd_collider_record *record)
{
    static const uint32_t shapes[SN_COLLIDER_SHAPE_COUNT] = {[SN_COLLIDER_PLANE] = SN_XPBD_PLANE,
                                                             [SN_COLLIDER_SPHERE] = SN_XPBD_SPHERE,
                                                             [SN_COLLIDER_CAPSULE] = SN_XPBD_CAPSULE,
                                                             [SN_COLLIDER_BOX] = SN_XPBD_BOX,
                                                             [SN_COLLIDER_GRID] = SN_XPBD_GRID};
    const bool is_grid = c->shape == SN_COLLIDER_GRID;
    *record = (struct sn_xpbd_collider_record){.radius = is_grid ? c->grid->spacing : c->radius,
                                               .half_height = is_grid ? c->grid->slope : c->half_height,
                                               .friction = c->friction,
                                               .shape = shapes[c->shape],
                                               .grid = is_grid ? sn_gpu_grids_first(&x->grids, c->grid) : 0};
    memcpy(record->half_extents, is_grid ? c->grid->origin : c->half_extents, sizeof record->half_extents);
}

static bool is_moving(const sn_collider *c)
{
    return memcmp(c->transform, c->transform_before, sizeof c->transform) != 0;
}

static bool are_equal(const sn_collider *a, const sn_collider *b)
{
    return a->shape == b->shape && a->grid == b->grid && a->radius == b->radius && a->half_height == b->half_height &&
           a->friction == b->friction && memcmp(a->half_extents, b->half_extents, sizeof a->half_extents) == 0 &&
           memcmp(a->transform, b->transform, sizeof a->transform) == 0 &&
           memcmp(a->transform_before, b->transform_before, sizeof a->transform_before) == 0;
}

static bool list_matches(const sn_gpu_xpbd_colliders *list, const sn_collider *colliders, int count, int substep_count)
{
    bool is_match =
        list->user_count > 0 && !list->is_outdated && list->count == count && list->substep_count == substep_count;
    for (int i = 0; i < count && is_match; ++i) {
        is_match = are_equal(&list->colliders[i], &colliders[i]);
    }
    return is_match;
}

/* Searches the list that was added last, then all others. */
static int find_list(const sn_gpu_xpbd *x, const sn_collider *colliders, int count, int substep_count)
{
    if (x->last_list < x->list_count && list_matches(&x->lists[x->last_list], colliders, count, substep_count)) {
        return x->last_list;
    }
    for (int i = 0; i < x->list_count; ++i) {
        if (list_matches(&x->lists[i], colliders, count, substep_count)) {
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
        sn_gpu_xpbd_colliders *grown = sn_grow(x->lists, x->list_count, &x->list_capacity, sizeof *grown);
        if (!grown) {
            return -1;
        }
        x->lists = grown;
        x->lists[x->list_count++] = (sn_gpu_xpbd_colliders){.colliders = NULL};
    }
    return list;
}

static size_t needed_records(const sn_collider *colliders, int count, int substep_count)
{
    size_t sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += is_moving(&colliders[i]) ? (size_t)substep_count : 1;
    }
    return sum;
}

static bool reserve(sn_gpu_xpbd_colliders *list, int count, size_t records)
{
    list->count = 0; /* on failure the list stays empty and the next attempt allocates again */
    if (count > list->capacity || !list->colliders || !list->heads) {
        sn_free(list->colliders, (size_t)list->capacity, sizeof *list->colliders);
        sn_free(list->heads, (size_t)list->capacity, sizeof *list->heads);
        list->colliders = sn_alloc((size_t)count, sizeof *list->colliders);
        list->heads = sn_alloc((size_t)count, sizeof *list->heads);
        list->capacity = count;
    }
    if (records > list->record_capacity || !list->records) {
        sn_free(list->records, list->record_capacity, sizeof *list->records);
        list->records = sn_alloc(records, sizeof *list->records);
        list->record_capacity = records;
    }
    return list->colliders && list->heads && list->records;
}

static void fill_head(const sn_collider *c, uint32_t first, struct sn_xpbd_collider_head *head)
{
    double centre[3];
    const double bounding_radius = sn_collider_bound(c, centre);
    *head = (struct sn_xpbd_collider_head){
        .bounding_radius = fminf((float)bounding_radius, SN_XPBD_UNBOUNDED), .first = first, .stride = is_moving(c)};
    for (int d = 0; d < 3; ++d) {
        head->centre[d] = (float)centre[d];
    }
}

/* As in host/xpbd/contacts.c. A collider that does not move has one record for all substeps. */
static void fill(const sn_gpu_xpbd *x, sn_gpu_xpbd_colliders *list)
{
    list->record_count = 0;
    for (int i = 0; i < list->count; ++i) {
        const sn_collider *c = &list->colliders[i];
        const int position_count = is_moving(c) ? list->substep_count : 1;
        fill_head(c, (uint32_t)list->record_count, &list->heads[i]);
        for (int substep = 0; substep < position_count; ++substep) {
            struct sn_xpbd_collider_record *record = &list->records[list->record_count++];
            const double from = (double)substep / list->substep_count, to = (substep + 1.0) / list->substep_count;
            set_shape(x, c, record);
            sn_collider_blend(c->transform_before, c->transform, from, record->transform_before);
            sn_collider_blend(c->transform_before, c->transform, to, record->transform);
        }
    }
}

/* Total of the lists in use. */
static void count_all(const sn_gpu_xpbd *x, uint32_t *heads, uint32_t *records)
{
    *heads = *records = 0;
    for (int i = 0; i < x->list_count; ++i) {
        if (x->lists[i].user_count > 0) {
            *heads += (uint32_t)x->lists[i].count;
            *records += (uint32_t)x->lists[i].record_count;
        }
    }
}

/* Adds a list with the body as its first user. */
static sn_result append_list(sn_gpu_xpbd *x, const sn_collider *colliders, int count, int substep_count, int *index)
{
    const int unused = find_unused(x);
    uint32_t heads = 0, records = 0;
    if (unused < 0 || !reserve(&x->lists[unused], count, needed_records(colliders, count, substep_count))) {
        return SN_ERROR_MEMORY;
    }
    sn_gpu_xpbd_colliders *list = &x->lists[unused];
    for (int i = 0; i < count; ++i) {
        list->colliders[i] = colliders[i];
    }
    list->count = count;
    list->substep_count = substep_count;
    list->is_outdated = false;
    fill(x, list);
    count_all(x, &heads, &records);
    *index = x->last_list = unused;
    const sn_result result =
        sn_gpu_xpbd_reserve(x, SN_XPBD_HEADS, heads + (uint32_t)count, sizeof *list->heads, &x->head_capacity);
    return result != SN_OK ? result
                           : sn_gpu_xpbd_reserve(x, SN_XPBD_COLLIDERS, records + (uint32_t)list->record_count,
                                                 sizeof *list->records, &x->collider_capacity);
}

/* Twice the lists, since bodies switch to a new list one after the other. */
sn_result sn_gpu_xpbd_reserve_colliders(sn_gpu_xpbd *x, int count)
{
    uint32_t lists = 0, records = 0;
    for (int i = 0; i < x->body_count; ++i) {
        bool is_first = x->bodies[i].is_used;
        for (int k = 0; k < i && is_first; ++k) {
            is_first =
                !x->bodies[k].is_used || x->bodies[k].settings.substep_count != x->bodies[i].settings.substep_count;
        }
        lists += is_first ? 2 : 0;
        records += is_first ? 2 * (uint32_t)(count * x->bodies[i].settings.substep_count) : 0;
    }
    const sn_result result = sn_gpu_xpbd_reserve(x, SN_XPBD_HEADS, lists * (uint32_t)count,
                                                 sizeof(struct sn_xpbd_collider_head), &x->head_capacity);
    return result != SN_OK ? result
                           : sn_gpu_xpbd_reserve(x, SN_XPBD_COLLIDERS, records, sizeof(struct sn_xpbd_collider_record),
                                                 &x->collider_capacity);
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
        ++x->lists[list].user_count; /* before the release below, which may remove the last user */
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

/* Marks the lists that contain the grid as outdated, since its contents may have changed. */
static void invalidate_grid(sn_gpu_xpbd *x, const sn_grid *grid)
{
    for (int i = 0; i < x->list_count; ++i) {
        sn_gpu_xpbd_colliders *list = &x->lists[i];
        for (int k = 0; k < list->count; ++k) {
            list->is_outdated |= list->colliders[k].grid == grid;
        }
    }
}

sn_result sn_gpu_xpbd_add_grid(sn_gpu_xpbd *x, const sn_grid *grid)
{
    invalidate_grid(x, grid);
    return sn_gpu_xpbd_upload_grid(x, grid);
}

/* Uploads grids and creates pipelines that support them. */
static sn_result prepare(sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, const sn_collider *colliders, int count)
{
    bool has_grids = false;
    for (int i = 0; i < count; ++i) {
        if (colliders[i].shape == SN_COLLIDER_GRID) {
            has_grids = true;
            SN_TRY(sn_gpu_grids_has(&x->grids, colliders[i].grid) ? SN_OK : sn_gpu_xpbd_add_grid(x, colliders[i].grid));
        }
    }
    if (has_grids) {
        SN_TRY(
            sn_gpu_xpbd_create_pipelines(x, sn_gpu_xpbd_model_of(x, body)->model->row_count, 1U << SN_XPBD_HAS_GRIDS));
    }
    return SN_OK;
}

sn_result sn_gpu_xpbd_set_surroundings(sn_gpu_xpbd *x, int index, const sn_surroundings *surroundings)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const int count = surroundings ? surroundings->collider_count : 0;
    const sn_collider *colliders = surroundings ? surroundings->colliders : NULL;
    const uint64_t collider_hash = sn_xpbd_hash_surroundings(surroundings);
    if (count > SN_GPU_XPBD_COLLIDER_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "xpbd body: %d colliders; the device supports at most %d", count,
                       SN_GPU_XPBD_COLLIDER_LIMIT);
    }
    SN_TRY(prepare(x, body, colliders, count));
    body->record.flags |= collider_hash != body->collider_hash ? SN_XPBD_WAKE : 0;
    body->collider_hash = collider_hash;
    return use_colliders(x, body, colliders, count);
}

sn_result sn_gpu_xpbd_update_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body)
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

void sn_gpu_xpbd_write_colliders(sn_gpu_xpbd *x, struct sn_xpbd_collider_head *heads,
                                 struct sn_xpbd_collider_record *records)
{
    uint32_t next = 0, next_record = 0;
    for (int i = 0; i < x->list_count; ++i) {
        sn_gpu_xpbd_colliders *list = &x->lists[i];
        if (list->user_count > 0) {
            list->first = next;
            memcpy(records + next_record, list->records, list->record_count * sizeof *records);
            for (int k = 0; k < list->count; ++k) {
                struct sn_xpbd_collider_head head = list->heads[k];
                head.first += next_record;
                heads[next++] = head;
            }
            next_record += (uint32_t)list->record_count;
        }
    }
}

void sn_gpu_xpbd_free_colliders(sn_gpu_xpbd *x)
{
    for (int i = 0; i < x->list_count; ++i) {
        sn_free(x->lists[i].colliders, (size_t)x->lists[i].capacity, sizeof *x->lists[i].colliders);
        sn_free(x->lists[i].heads, (size_t)x->lists[i].capacity, sizeof *x->lists[i].heads);
        sn_free(x->lists[i].records, x->lists[i].record_capacity, sizeof *x->lists[i].records);
    }
    sn_free(x->lists, (size_t)x->list_capacity, sizeof *x->lists);
}
