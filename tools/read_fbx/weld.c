/* SPDX-License-Identifier: MIT */
/* Merges bitwise equal vertices. The library gives every polygon corner a vertex of its own. */
#include "tools/read_fbx/read_fbx.h"

#include <string.h>

#include "host/base/hash.h"

#define MAX_ARRAYS 8

/* The arrays of a primitive with their bytes per vertex. */
typedef struct vertex_arrays {
    int count;
    char *items[MAX_ARRAYS];
    size_t bytes[MAX_ARRAYS];
    float **morphs[2]; /* (morph_count) of (vertex_count x 3), or null each */
    int morph_count;
} vertex_arrays;

static void add(vertex_arrays *a, void *items, size_t bytes)
{
    if (items && bytes > 0) {
        a->items[a->count] = items;
        a->bytes[a->count++] = bytes;
    }
}

static vertex_arrays list_arrays(const sn_scene_primitive *p, int morph_count)
{
    vertex_arrays a = {.morphs = {p->morph_positions, p->morph_normals}, .morph_count = morph_count};
    add(&a, p->positions, 3 * sizeof(float));
    add(&a, p->normals, 3 * sizeof(float));
    add(&a, p->uvs[0], 2 * sizeof(float));
    add(&a, p->uvs[1], 2 * sizeof(float));
    add(&a, p->colors, 4 * sizeof(float));
    add(&a, p->joints, (size_t)p->influence_count * sizeof(int32_t));
    add(&a, p->weights, (size_t)p->influence_count * sizeof(float));
    return a;
}

static bool are_equal(const vertex_arrays *a, size_t i, size_t k)
{
    for (int n = 0; n < a->count; ++n) {
        if (memcmp(a->items[n] + i * a->bytes[n], a->items[n] + k * a->bytes[n], a->bytes[n]) != 0) {
            return false;
        }
    }
    for (int m = 0; m < 2 * a->morph_count; ++m) {
        const float *offsets = a->morphs[m % 2][m / 2];
        if (offsets && memcmp(offsets + 3 * i, offsets + 3 * k, 3 * sizeof *offsets) != 0) {
            return false;
        }
    }
    return true;
}

static void move(vertex_arrays *a, size_t from, size_t to)
{
    for (int n = 0; n < a->count; ++n) {
        memmove(a->items[n] + to * a->bytes[n], a->items[n] + from * a->bytes[n], a->bytes[n]);
    }
    for (int m = 0; m < 2 * a->morph_count; ++m) {
        float *offsets = a->morphs[m % 2][m / 2];
        if (offsets) {
            memmove(offsets + 3 * to, offsets + 3 * from, 3 * sizeof *offsets);
        }
    }
}

/* The slot of an equal vertex, or a free one, in a hash table with open addressing (slot_count, a power of two) of 1 +
 * vertex. */
static size_t find_slot(const vertex_arrays *a, const int32_t *slots, size_t slot_count, size_t vertex)
{
    uint64_t hash = SN_HASH_SEED;
    for (int n = 0; n < a->count && n < 3; ++n) {
        hash = sn_hash(hash, a->items[n] + vertex * a->bytes[n], a->bytes[n]);
    }
    size_t slot = (size_t)hash & (slot_count - 1);
    while (slots[slot] != 0 && !are_equal(a, (size_t)slots[slot] - 1, vertex)) {
        slot = (slot + 1) & (slot_count - 1);
    }
    return slot;
}

sn_result fbx_weld(fbx_reader *r, sn_scene_primitive *p, int morph_count)
{
    vertex_arrays arrays = list_arrays(p, morph_count);
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)p->vertex_count) {
        slot_count *= 2;
    }
    int32_t *slots = SN_NEW(&r->arena, int32_t, slot_count), *new_indices = SN_NEW(&r->arena, int32_t, p->vertex_count);
    if (!slots || !new_indices) {
        return SN_ERROR_MEMORY;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < p->vertex_count; ++i) {
        move(&arrays, (size_t)i,
             (size_t)count); /* moves it after the retained vertices; a duplicate is overwritten by the next one */
        const size_t slot = find_slot(&arrays, slots, slot_count, (size_t)count);
        if (slots[slot] == 0) {
            slots[slot] = ++count;
        }
        new_indices[i] = slots[slot] - 1;
    }
    for (int i = 0; i < 3 * p->triangle_count; ++i) {
        p->triangles[i] = new_indices[p->triangles[i]];
    }
    p->vertex_count = count;
    return SN_OK;
}
