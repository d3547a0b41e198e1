/* SPDX-License-Identifier: MIT */
/* Surfaces: nodes on flesh, uploaded once. */
#include "compute/xpbd/embedded_private.h"
#include "host/base/arena.h"
#include "host/base/hash.h"

/* Converts vertices to rows and doubles to floats. */
static sn_result upload(sn_gpu_embedded *e, const sn_embedding *embedding, sn_gpu_embedded_surface_data *s,
                        sn_arena *scratch)
{
    const sn_nodal_gradients *nodal = &embedding->nodal;
    const size_t nodes = (size_t)nodal->node_count, neighbours = (size_t)nodal->starts[nodes];
    uint32_t *rows = SN_NEW(scratch, uint32_t, nodes + neighbours);
    float *numbers = SN_NEW(scratch, float, 3 * (nodes + neighbours));
    if (!rows || !numbers) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < nodes; ++i) {
        rows[i] = (uint32_t)s->flesh->rows[nodal->vertices[i]];
    }
    for (size_t i = 0; i < neighbours; ++i) {
        rows[nodes + i] = (uint32_t)s->flesh->rows[nodal->neighbours[i]];
    }
    for (size_t i = 0; i < 3 * nodes; ++i) {
        numbers[i] = (float)embedding->rest[i];
    }
    for (size_t i = 0; i < 3 * neighbours; ++i) {
        numbers[3 * nodes + i] = (float)nodal->gradients[i];
    }
    sn_result result =
        sn_gpu_embedded_append(e, SN_EMBEDDED_TABLES, rows, nodes + neighbours, &e->used_words, &s->nodes);
    if (result == SN_OK) {
        result = sn_gpu_embedded_append(e, SN_EMBEDDED_TABLES, nodal->starts, nodes + 1, &e->used_words, &s->starts);
    }
    if (result == SN_OK) {
        result = sn_gpu_embedded_append(e, SN_EMBEDDED_NUMBERS, numbers, 3 * (nodes + neighbours), &e->used_numbers,
                                        &s->rest_positions);
    }
    s->node_count = (uint32_t)nodes;
    s->neighbours = s->nodes + (uint32_t)nodes;
    s->gradients = s->rest_positions + (uint32_t)(3 * nodes);
    return result;
}

static uint64_t hash_nodes(const sn_embedding *embedding)
{
    const sn_nodal_gradients *nodal = &embedding->nodal;
    const size_t nodes = (size_t)nodal->node_count, neighbours = (size_t)nodal->starts[nodes];
    uint64_t hash = sn_hash(SN_HASH_SEED, nodal->vertices, nodes * sizeof *nodal->vertices);
    hash = sn_hash(hash, nodal->starts, (nodes + 1) * sizeof *nodal->starts);
    hash = sn_hash(hash, nodal->neighbours, neighbours * sizeof *nodal->neighbours);
    hash = sn_hash(hash, nodal->gradients, 3 * neighbours * sizeof *nodal->gradients);
    return sn_hash(hash, embedding->rest, 3 * nodes * sizeof *embedding->rest);
}

sn_result sn_gpu_embedded_add_surface(sn_gpu_embedded *e, const sn_embedding *embedding, const sn_xpbd_model *flesh,
                                      int *surface)
{
    const uint64_t hash = hash_nodes(embedding);
    for (*surface = 0; *surface < e->surface_count; ++*surface) {
        if (e->surfaces[*surface].hash == hash && e->surfaces[*surface].flesh == flesh) {
            return SN_OK;
        }
    }
    sn_gpu_embedded_surface_data *grown = sn_grow(e->surfaces, e->surface_count, &e->surface_capacity, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    e->surfaces = grown;
    grown[e->surface_count] = (sn_gpu_embedded_surface_data){.flesh = flesh, .hash = hash};
    sn_arena scratch = {0};
    sn_result result = sn_gpu_embedded_create_pipeline(e);
    if (result == SN_OK) {
        sn_gpu_device_wait(e->device);
        result = sn_gpu_embedded_bind_after_change(e, upload(e, embedding, &grown[e->surface_count], &scratch));
    }
    sn_arena_finish(&scratch);
    e->surface_count += result == SN_OK;
    return result;
}
