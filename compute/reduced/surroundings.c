/* SPDX-License-Identifier: MIT */
/* Wind and colliders of bodies. They reach the device with the next recording. Bodies with equal colliders share one
 * upload. */
#include <string.h>

#include "compute/reduced/private.h"

/* Packs into the spare list; its count stays 0 when memory is exhausted. */
static sn_gpu_reduced_colliders *pack_colliders(sn_gpu_reduced *r, const sn_surroundings *surroundings)
{
    sn_gpu_reduced_colliders *packed = &r->packed;
    const int count = surroundings ? surroundings->collider_count : 0;
    packed->count = 0;
    while (packed->capacity < count) {
        float *grown =
            sn_grow(packed->rows, packed->capacity, &packed->capacity, SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float));
        if (!grown) {
            return packed;
        }
        packed->rows = grown;
    }
    for (int i = 0; i < count; ++i) {
        sn_gpu_reduced_pack_collider(r, &surroundings->colliders[i], NULL,
                                     packed->rows + SN_GPU_REDUCED_COLLIDER_FLOATS * packed->count++);
    }
    return packed;
}

static bool are_equal(const sn_gpu_reduced_colliders *a, const sn_gpu_reduced_colliders *b)
{
    return a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->rows, b->rows, (size_t)a->count * SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float)) == 0);
}

static int find_unused(const sn_gpu_reduced *r)
{
    int list = 0;
    while (list < r->list_count && r->lists[list].user_count > 0) {
        ++list;
    }
    return list;
}

/* Adds the spare list to the lists; its memory is swapped with an unused one. */
static int append_list(sn_gpu_reduced *r)
{
    const int list = find_unused(r);
    if (list == r->list_count) {
        sn_gpu_reduced_colliders *grown = sn_grow(r->lists, r->list_count, &r->list_capacity, sizeof *grown);
        if (!grown) {
            return -1;
        }
        r->lists = grown;
        r->lists[r->list_count++] = (sn_gpu_reduced_colliders){.rows = NULL};
    }
    const uint32_t listed = (uint32_t)r->packed.count, count = sn_gpu_reduced_count_listed_colliders(r) + listed;
    if (sn_gpu_reduced_reserve_collider_rows(r, count + sn_gpu_reduced_count_own_colliders(r, listed)) != SN_OK &&
        sn_gpu_reduced_reserve_collider_rows(r, count) != SN_OK) {
        return -1;
    }
    const sn_gpu_reduced_colliders before = r->lists[list];
    r->lists[list] = r->packed;
    r->packed = before;
    r->lists[list].user_count = 0;
    return list;
}

void sn_gpu_reduced_release_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    if (body->list >= 0) {
        --r->lists[body->list].user_count;
    }
    body->list = -1;
    sn_gpu_reduced_update_own_colliders(r, body);
}

static bool is_last_used(const sn_gpu_reduced *r)
{
    return r->last_list < r->list_count && r->lists[r->last_list].user_count > 0;
}

/* Usually all bodies have the same colliders, so that only the first needs packing. */
static bool matches_last_list(const sn_gpu_reduced *r, const sn_surroundings *surroundings)
{
    return is_last_used(r) && surroundings && r->last_collider_count > 0 &&
           surroundings->collider_count == r->last_collider_count &&
           memcmp(surroundings->colliders, r->last_colliders,
                  (size_t)r->last_collider_count * sizeof *r->last_colliders) == 0;
}

/* When memory is exhausted, every body packs its colliders. */
static void store_last_list(sn_gpu_reduced *r, const sn_surroundings *surroundings)
{
    const int count = surroundings->collider_count;
    if (r->last_collider_capacity < count) {
        sn_free(r->last_colliders, (size_t)r->last_collider_capacity, sizeof *r->last_colliders);
        r->last_colliders = sn_alloc((size_t)count, sizeof *r->last_colliders);
        r->last_collider_capacity = r->last_colliders ? count : 0;
    }
    r->last_collider_count = r->last_collider_capacity >= count ? count : 0;
    if (r->last_collider_count > 0) {
        memcpy(r->last_colliders, surroundings->colliders, (size_t)count * sizeof *r->last_colliders);
    }
}

static void use_list(sn_gpu_reduced *r, sn_gpu_reduced_body *body, int list)
{
    ++r->lists[list].user_count;
    body->list = r->last_list = list;
    sn_gpu_reduced_reserve_own_colliders(r, body);
}

static void set_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body, const sn_surroundings *surroundings)
{
    if (matches_last_list(r, surroundings)) {
        if (body->list != r->last_list && sn_gpu_reduced_allocate_contacts(r, body) == SN_OK) {
            const int list = r->last_list;
            sn_gpu_reduced_release_colliders(r, body);
            use_list(r, body, list);
        }
        return;
    }
    const sn_gpu_reduced_colliders *packed = pack_colliders(r, surroundings);
    if (body->list >= 0 && are_equal(&r->lists[body->list], packed)) {
        return;
    }
    sn_gpu_reduced_release_colliders(r, body);
    if (packed->count == 0 || sn_gpu_reduced_allocate_contacts(r, body) != SN_OK) {
        return;
    }
    const bool is_last = is_last_used(r) && are_equal(&r->lists[r->last_list], packed);
    const int list = is_last ? r->last_list : append_list(r);
    if (list >= 0) {
        use_list(r, body, list);
        store_last_list(r, surroundings);
    }
}

void sn_gpu_reduced_set_surroundings(sn_gpu_reduced *r, int index, const sn_surroundings *surroundings)
{
    static const double no_wind[3] = {0, 0, 0};
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    const double *wind = surroundings && sn_gpu_reduced_is_finite(surroundings->wind) ? surroundings->wind : no_wind;
    body->has_wind = wind[0] != 0 || wind[1] != 0 || wind[2] != 0;
    for (int d = 0; d < 3; ++d) {
        body->record.wind[d] = (float)wind[d];
    }
    set_colliders(r, body, surroundings);
}

sn_result sn_gpu_reduced_reserve_colliders(sn_gpu_reduced *r, int collider_count)
{
    const uint32_t count = (uint32_t)collider_count;
    if (count == 0) {
        return SN_OK;
    }
    r->rejected_collider_count = 0; /* memory may be available again */
    const sn_result result =
        sn_gpu_reduced_reserve_collider_rows(r, 2 * count + sn_gpu_reduced_count_own_colliders(r, count));
    for (int i = 0; i < r->body_count && result == SN_OK; ++i) {
        sn_gpu_reduced_allocate_contacts(r, &r->bodies[i]); /* a failure is logged; the body then ignores colliders */
    }
    return result;
}

uint32_t sn_gpu_reduced_write_colliders(sn_gpu_reduced *r, float *rows)
{
    uint32_t next = 0;
    for (int i = 0; i < r->list_count; ++i) {
        sn_gpu_reduced_colliders *list = &r->lists[i];
        if (list->user_count > 0) {
            memcpy(rows + SN_GPU_REDUCED_COLLIDER_FLOATS * (size_t)next, list->rows,
                   (size_t)list->count * SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float));
            list->first = next * SN_REDUCED_COLLIDER_ROWS;
            next += (uint32_t)list->count;
        }
    }
    return next;
}

void sn_gpu_reduced_free_surroundings(sn_gpu_reduced *r)
{
    for (int i = 0; i < r->list_count; ++i) {
        sn_free(r->lists[i].rows, (size_t)r->lists[i].capacity, SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float));
    }
    for (int i = 0; i < r->body_count; ++i) {
        sn_free(r->bodies[i].impulses, (size_t)r->bodies[i].impulse_capacity, sizeof *r->bodies[i].impulses);
    }
    sn_free(r->last_colliders, (size_t)r->last_collider_capacity, sizeof *r->last_colliders);
    sn_free(r->packed.rows, (size_t)r->packed.capacity, SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float));
    sn_free(r->lists, (size_t)r->list_capacity, sizeof *r->lists);
}
