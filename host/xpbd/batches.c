/* SPDX-License-Identifier: MIT */
#include "host/xpbd/batches.h"

#include <string.h>

#define OPEN_LIMIT 64 /* batches open for filling at a time */
#define MIN_FILL 13   /* of a strip's batches: emptier ones cost more than the strip saves */

void sn_batches_init(sn_xpbd_batches *b, int corner_count, int value_count, int32_t spare)
{
    *b = (sn_xpbd_batches){.corner_count = corner_count, .value_count = value_count, .spare = spare};
}

void sn_batches_finish(sn_xpbd_batches *b)
{
    const size_t lanes = SN_BATCH * (size_t)b->batch_capacity;
    sn_free(b->corners, lanes * (size_t)b->corner_count, sizeof *b->corners);
    sn_free(b->values, lanes * (size_t)b->value_count, sizeof *b->values);
    sn_free(b->fill, (size_t)b->batch_capacity, sizeof *b->fill);
    sn_free(b->changed_corners, (size_t)b->batch_capacity, sizeof *b->changed_corners);
    sn_free(b->owners, lanes, sizeof *b->owners);
    sn_free(b->slots, (size_t)b->slot_capacity, sizeof *b->slots);
    *b = (sn_xpbd_batches){0};
}

static bool reserve_batches(sn_xpbd_batches *b, int count)
{
    if (count <= b->batch_capacity) {
        return true;
    }
    const int capacity = count > 2 * b->batch_capacity ? count : 2 * b->batch_capacity;
    const size_t corners = SN_BATCH * (size_t)b->corner_count, values = SN_BATCH * (size_t)b->value_count;
    const size_t old = (size_t)b->batch_capacity, now = (size_t)capacity;
    sn_xpbd_batches grown = {.corners = sn_alloc(now * corners, sizeof *b->corners),
                             .values = sn_alloc(now * values, sizeof *b->values),
                             .fill = sn_alloc(now, sizeof *b->fill),
                             .changed_corners = sn_alloc(now, sizeof *b->changed_corners),
                             .owners = sn_alloc(now * SN_BATCH, sizeof *b->owners)};
    const bool is_ok = grown.corners && grown.values && grown.fill && grown.changed_corners && grown.owners;
    sn_xpbd_batches to_free = is_ok ? *b : grown; /* arrays to free */
    if (is_ok && old > 0) {
        memcpy(grown.corners, b->corners, old * corners * sizeof *b->corners);
        memcpy(grown.values, b->values, old * values * sizeof *b->values);
        memcpy(grown.fill, b->fill, old * sizeof *b->fill);
        memcpy(grown.changed_corners, b->changed_corners, old * sizeof *b->changed_corners);
        memcpy(grown.owners, b->owners, old * SN_BATCH * sizeof *b->owners);
    }
    if (is_ok) {
        b->corners = grown.corners, b->values = grown.values, b->owners = grown.owners;
        b->fill = grown.fill, b->changed_corners = grown.changed_corners;
        b->batch_capacity = capacity;
    }
    const size_t freed = is_ok ? old : now;
    sn_free(to_free.corners, freed * corners, sizeof *b->corners);
    sn_free(to_free.values, freed * values, sizeof *b->values);
    sn_free(to_free.fill, freed, sizeof *b->fill);
    sn_free(to_free.changed_corners, freed, sizeof *b->changed_corners);
    sn_free(to_free.owners, freed * SN_BATCH, sizeof *b->owners);
    return is_ok;
}

static bool reserve_slots(sn_xpbd_batches *b, int count)
{
    if (count <= b->slot_capacity) {
        return true;
    }
    const int capacity = count > 2 * b->slot_capacity ? count : 2 * b->slot_capacity;
    int32_t *slots = sn_alloc((size_t)capacity, sizeof *slots);
    if (!slots) {
        return false;
    }
    if (b->slot_count > 0) {
        memcpy(slots, b->slots, (size_t)b->slot_count * sizeof *slots);
    }
    sn_free(b->slots, (size_t)b->slot_capacity, sizeof *slots);
    b->slots = slots;
    b->slot_capacity = capacity;
    return true;
}

static int32_t *corner_of(const sn_xpbd_batches *b, int batch, int corner, int lane)
{
    return b->corners + ((size_t)batch * (size_t)b->corner_count + (size_t)corner) * SN_BATCH + lane;
}

static float *value_of(const sn_xpbd_batches *b, int batch, int value, int lane)
{
    return b->values + ((size_t)batch * (size_t)b->value_count + (size_t)value) * SN_BATCH + lane;
}

static void clear_lane(sn_xpbd_batches *b, int batch, int lane)
{
    for (int k = 0; k < b->corner_count; ++k) {
        *corner_of(b, batch, k, lane) = 4 * b->spare;
    }
    for (int i = 0; i < b->value_count; ++i) {
        *value_of(b, batch, i, lane) = 0;
    }
    b->owners[SN_BATCH * (size_t)batch + (size_t)lane] = -1;
}

static int append_batch(sn_xpbd_batches *b)
{
    if (!reserve_batches(b, b->batch_count + 1)) {
        return -1;
    }
    for (int lane = 0; lane < SN_BATCH; ++lane) {
        clear_lane(b, b->batch_count, lane);
    }
    b->changed_corners[b->batch_count] = -1;
    return b->batch_count++;
}

/* Appends the batches of a strip; returns the first. */
static int append_strip(sn_xpbd_batches *b, int length)
{
    for (int i = 0; i < length; ++i) {
        const int batch = append_batch(b);
        if (batch < 0) {
            return -1;
        }
        b->changed_corners[batch] = i > 0 ? (i - 1) % b->corner_count : -1;
    }
    return b->batch_count - length;
}

/* An edited batch no longer shares its corners with its neighbours. */
static void clear_shared_corners(sn_xpbd_batches *b, int batch)
{
    b->changed_corners[batch] = -1;
    if (batch + 1 < b->batch_count) {
        b->changed_corners[batch + 1] = -1;
    }
}

static void write_lane(sn_xpbd_batches *b, int batch, int32_t number, const int32_t *vertices, const float *values)
{
    const int lane = b->fill[batch]++;
    for (int k = 0; k < b->corner_count; ++k) {
        *corner_of(b, batch, k, lane) = 4 * vertices[k];
    }
    for (int i = 0; i < b->value_count; ++i) {
        *value_of(b, batch, i, lane) = values[i];
    }
    b->owners[SN_BATCH * (size_t)batch + (size_t)lane] = number;
    b->slots[number] = SN_BATCH * batch + lane;
}

/* Open batches or strips of batches, one bit each; each vertex has the set of those that contain it. */
typedef struct window {
    uint64_t *used_slots;    /* (spare) set of slots by vertex */
    int batches[OPEN_LIMIT]; /* first batch of a slot; -1: free */
    int lengths[OPEN_LIMIT];
} window;

static void finish_batches(const sn_xpbd_batches *b, window *w, int slot)
{
    const int32_t *corners = corner_of(b, w->batches[slot], 0, 0);
    for (int i = 0; i < w->lengths[slot] * b->corner_count * SN_BATCH; ++i) {
        if (corners[i] != 4 * b->spare) {
            w->used_slots[corners[i] / 4] &= ~(UINT64_C(1) << slot);
        }
    }
    w->batches[slot] = -1;
}

/* First slot for strips of this length without these vertices; if there is none, closes the fullest one. */
static int find_slot(const sn_xpbd_batches *b, window *w, uint64_t used_slots, int length)
{
    int fullest = 0;
    for (int slot = 0; slot < OPEN_LIMIT; ++slot) {
        if (w->batches[slot] < 0 || (w->lengths[slot] == length && !(used_slots >> slot & 1))) {
            return slot;
        }
        fullest = b->fill[w->batches[slot]] > b->fill[w->batches[fullest]] ? slot : fullest;
    }
    finish_batches(b, w, fullest);
    return fullest;
}

/* numbers (length) of the strip's constraints. */
static sn_result add_strip(sn_xpbd_batches *b, window *w, int length, const int32_t *numbers, const int32_t *vertices,
                           const float *values)
{
    const size_t corners = (size_t)b->corner_count;
    uint64_t used_slots = 0;
    for (size_t i = 0; i < (size_t)length * corners; ++i) {
        used_slots |= w->used_slots[vertices[corners * (size_t)numbers[i / corners] + i % corners]];
    }
    const int slot = find_slot(b, w, used_slots, length);
    if (w->batches[slot] < 0) {
        w->batches[slot] = append_strip(b, length);
        w->lengths[slot] = length;
    }
    const int first = w->batches[slot];
    if (first < 0) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < length; ++i) {
        const size_t number = (size_t)numbers[i];
        write_lane(b, first + i, numbers[i], vertices + corners * number, values + (size_t)b->value_count * number);
        for (size_t k = 0; k < corners; ++k) {
            w->used_slots[vertices[corners * number + k]] |= UINT64_C(1) << slot;
        }
    }
    if (b->fill[first] == SN_BATCH) {
        finish_batches(b, w, slot);
    }
    return SN_OK;
}

static sn_result open_window(sn_xpbd_batches *b, int count, window *w)
{
    *w = (window){.used_slots = sn_alloc((size_t)b->spare, sizeof(uint64_t))};
    memset(w->batches, -1, sizeof w->batches);
    if (b->fill) {
        memset(b->fill, 0, (size_t)b->batch_capacity * sizeof *b->fill);
    }
    b->batch_count = 0;
    b->slot_count = w->used_slots && reserve_slots(b, count) ? count : 0;
    return b->slot_count == count && w->used_slots ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result fill_batches(sn_xpbd_batches *b, int count, const int32_t *vertices, const float *values,
                              const int32_t *order, const int32_t *lengths)
{
    window w;
    sn_result result = open_window(b, count, &w);
    for (int32_t i = 0; i < count && result == SN_OK;) {
        const int length = lengths ? lengths[i] : 1;
        result = add_strip(b, &w, length, order ? order + i : &i, vertices, values);
        i += length;
    }
    sn_free(w.used_slots, (size_t)b->spare, sizeof(uint64_t));
    return result;
}

/* Cuts strips that were batched with too few others; returns true if there were any. */
static bool cut_strips(const sn_xpbd_batches *b, int count, const int32_t *order, int32_t *lengths)
{
    bool is_cut = false;
    for (int i = 0; i < count; ++i) {
        if (lengths[i] > 1 && b->fill[b->slots[order[i]] / SN_BATCH] < MIN_FILL) {
            for (int k = lengths[i] - 1; k >= 0; --k) {
                lengths[i + k] = 1;
            }
            is_cut = true;
        }
    }
    return is_cut;
}

sn_result sn_batches_build(sn_xpbd_batches *b, int count, const int32_t *vertices, const float *values,
                           const int32_t *order, int32_t *lengths)
{
    SN_ASSERT(b->batch_count == 0 && b->slot_count == 0);
    sn_result result;
    do {
        result = fill_batches(b, count, vertices, values, order, lengths);
    } while (result == SN_OK && lengths && cut_strips(b, count, order, lengths));
    return result;
}

sn_result sn_batches_build_groups(sn_xpbd_batches *b, int count, const int32_t *vertices, const float *values,
                                  const int32_t *order, const int32_t *groups, int group_count, int32_t *starts)
{
    window w;
    SN_ASSERT(b->batch_count == 0 && b->slot_count == 0);
    sn_result result = open_window(b, count, &w);
    int i = 0;
    for (int group = 0; group < group_count && result == SN_OK; ++group) {
        starts[group] = b->batch_count;
        for (; i < count && groups[order[i]] == group && result == SN_OK; ++i) {
            result = add_strip(b, &w, 1, order + i, vertices, values);
        }
        for (int slot = 0; slot < OPEN_LIMIT; ++slot) {
            if (w.batches[slot] >= 0) {
                finish_batches(b, &w, slot);
            }
        }
    }
    starts[group_count] = b->batch_count;
    sn_free(w.used_slots, (size_t)b->spare, sizeof(uint64_t));
    return result;
}

sn_result sn_batches_copy(const sn_xpbd_batches *from, sn_xpbd_batches *b)
{
    const size_t count = (size_t)from->batch_count, lanes = SN_BATCH * count;
    sn_batches_init(b, from->corner_count, from->value_count, from->spare);
    if ((count > 0 && !reserve_batches(b, from->batch_count)) ||
        (from->slot_count > 0 && !reserve_slots(b, from->slot_count))) {
        sn_batches_finish(b);
        return SN_ERROR_MEMORY;
    }
    b->batch_count = from->batch_count;
    b->slot_count = from->slot_count;
    if (count > 0) {
        memcpy(b->corners, from->corners, lanes * (size_t)b->corner_count * sizeof *b->corners);
        memcpy(b->values, from->values, lanes * (size_t)b->value_count * sizeof *b->values);
        memcpy(b->fill, from->fill, count * sizeof *b->fill);
        memcpy(b->changed_corners, from->changed_corners, count * sizeof *b->changed_corners);
        memcpy(b->owners, from->owners, lanes * sizeof *b->owners);
    }
    if (b->slot_count > 0) {
        memcpy(b->slots, from->slots, (size_t)b->slot_count * sizeof *b->slots);
    }
    return SN_OK;
}

static bool is_disjoint(const sn_xpbd_batches *b, int batch, const int32_t *vertices)
{
    for (int i = 0; i < b->corner_count * SN_BATCH; ++i) {
        for (int k = 0; k < b->corner_count; ++k) {
            if (*corner_of(b, batch, 0, i) == 4 * vertices[k]) {
                return false;
            }
        }
    }
    return true;
}

sn_result sn_batches_add(sn_xpbd_batches *b, const int32_t *vertices, const float *values, int32_t *number)
{
    int target = -1;
    for (int batch = b->batch_count - 1, tried = 0; batch >= 0 && tried < SN_BATCH_SEARCH && target < 0; --batch) {
        if (b->fill[batch] < SN_BATCH) {
            ++tried;
            target = is_disjoint(b, batch, vertices) ? batch : -1;
        }
    }
    if (!reserve_slots(b, b->slot_count + 1)) {
        return SN_ERROR_MEMORY;
    }
    target = target < 0 ? append_batch(b) : target;
    if (target < 0) {
        return SN_ERROR_MEMORY;
    }
    *number = b->slot_count++;
    clear_shared_corners(b, target);
    write_lane(b, target, *number, vertices, values);
    return SN_OK;
}

void sn_batches_remove(sn_xpbd_batches *b, int32_t number)
{
    SN_ASSERT(number >= 0 && number < b->slot_count && b->slots[number] >= 0);
    const int batch = b->slots[number] / SN_BATCH, lane = b->slots[number] % SN_BATCH, last = --b->fill[batch];
    clear_shared_corners(b, batch);
    if (lane != last) {
        for (int k = 0; k < b->corner_count; ++k) {
            *corner_of(b, batch, k, lane) = *corner_of(b, batch, k, last);
        }
        for (int i = 0; i < b->value_count; ++i) {
            *value_of(b, batch, i, lane) = *value_of(b, batch, i, last);
        }
        const int32_t moved = b->owners[SN_BATCH * (size_t)batch + (size_t)last];
        b->owners[SN_BATCH * (size_t)batch + (size_t)lane] = moved;
        b->slots[moved] = b->slots[number];
    }
    clear_lane(b, batch, last);
    b->slots[number] = -1;
}

bool sn_batches_vertices(const sn_xpbd_batches *b, int32_t number, int32_t *vertices)
{
    if (number < 0 || number >= b->slot_count || b->slots[number] < 0) {
        return false;
    }
    for (int k = 0; k < b->corner_count; ++k) {
        vertices[k] = *corner_of(b, b->slots[number] / SN_BATCH, k, b->slots[number] % SN_BATCH) / 4;
    }
    return true;
}
