/* SPDX-License-Identifier: MIT */
#include "host/world/embedded_flesh.h"

#include <string.h>

#include "host/world/record.h"

/* Null if the flesh is on a device. */
static sn_embedded_flesh *host_flesh(const sn_body_slot *slot)
{
    return slot->embedded && !slot->embedded->backend ? slot->embedded : NULL;
}

void sn_body_slot_save_flesh_before(sn_body_slot *slot)
{
    const sn_embedded_flesh *e = host_flesh(slot);
    if (e) {
        slot->table->body_tet_positions(slot->body, e->flesh[0]);
    }
}

void sn_body_slot_save_flesh_after(sn_body_slot *slot)
{
    const sn_embedded_flesh *e = host_flesh(slot);
    if (slot->is_recovered) { /* do not interpolate across a recovery */
        sn_body_slot_reset_flesh(slot);
    } else if (e) {
        slot->table->body_tet_positions(slot->body, e->flesh[1]);
    }
}

void sn_body_slot_reset_flesh(sn_body_slot *slot)
{
    const sn_embedded_flesh *e = host_flesh(slot);
    for (int i = 0; e && i < 2; ++i) {
        slot->table->body_tet_positions(slot->body, e->flesh[i]);
    }
}

void sn_body_slot_transform_flesh(sn_body_slot *slot, const double *m)
{
    const sn_embedded_flesh *e = host_flesh(slot);
    const size_t count = e ? (size_t)sn_model_vertex_count(slot->desc.model) : 0;
    for (size_t v = 0; v < count; ++v) {
        double *at = e->flesh[0] + 3 * v;
        const double x[3] = {at[0], at[1], at[2]};
        for (size_t d = 0; d < 3; ++d) {
            at[d] = m[4 * d] * x[0] + m[4 * d + 1] * x[1] + m[4 * d + 2] * x[2] + m[4 * d + 3];
        }
    }
    if (e) {
        slot->table->body_tet_positions(slot->body, e->flesh[1]);
    }
}

void sn_body_slot_update_embedding(sn_body_slot *slot, double fraction)
{
    const sn_embedded_flesh *e = host_flesh(slot);
    if (!e) {
        return;
    }
    float *matrices = e->matrices->m[0];
    const size_t bone_numbers = 12 * (size_t)slot->bone_count;
    memcpy(matrices, slot->matrices, bone_numbers * sizeof *matrices);
    for (size_t i = 0; i < 3 * (size_t)sn_model_vertex_count(slot->desc.model); ++i) {
        e->interpolated[i] = e->flesh[0][i] + fraction * (e->flesh[1][i] - e->flesh[0][i]);
    }
    sn_embedding_matrices(e->embedding, e->interpolated, matrices + bone_numbers);
}

static void free_embedded(const sn_body_slot *slot, sn_embedded_flesh *e)
{
    const size_t flesh = 3 * (size_t)sn_model_vertex_count(slot->desc.model);
    sn_free(e->flesh[0], flesh, sizeof(double));
    sn_free(e->flesh[1], flesh, sizeof(double));
    sn_free(e->interpolated, flesh, sizeof(double));
    sn_free(e->matrices, (size_t)(slot->bone_count + sn_embedding_matrix_count(e->embedding)), sizeof *e->matrices);
    sn_free(e, 1, sizeof *e);
}

void sn_body_slot_remove_embedding(sn_body_slot *slot)
{
    if (slot->embedded) {
        free_embedded(slot, slot->embedded);
        slot->embedded = NULL;
    }
}

static sn_embedded_flesh *create_embedded(const sn_body_slot *slot, const sn_embedding *embedding,
                                          const sn_backend *backend)
{
    const size_t flesh = 3 * (size_t)sn_model_vertex_count(slot->desc.model);
    sn_embedded_flesh *e = sn_alloc(1, sizeof *e);
    if (!e) {
        return NULL;
    }
    e->embedding = embedding; /* allocate in sequence, so that a failure logs one line */
    e->backend = backend;
    e->matrices = sn_alloc((size_t)(slot->bone_count + sn_embedding_matrix_count(embedding)), sizeof *e->matrices);
    for (int i = 0; i < 2 && e->matrices && !backend; ++i) {
        e->flesh[i] = sn_alloc(flesh, sizeof(double));
    }
    e->interpolated = e->flesh[1] ? sn_alloc(flesh, sizeof(double)) : NULL;
    if (!e->matrices || (!backend && (!e->flesh[0] || !e->interpolated))) {
        free_embedded(slot, e);
        return NULL;
    }
    return e;
}

sn_result sn_body_slot_add_embedding(sn_body_slot *slot, const sn_embedding *embedding)
{
    slot->embedded = create_embedded(slot, embedding, NULL);
    sn_body_slot_reset_flesh(slot);
    return slot->embedded ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_body_set_embedding(sn_body_id id, const sn_embedding *embedding)
{
    sn_body_slot *slot = sn_body_get(id);
    const sn_world *w = sn_world_by_index(id.world0);
    sn_embedded_flesh *created = NULL;
    if (embedding) {
        SN_ASSERT(embedding->model == slot->desc.model);
        if (!slot->table->body_tet_positions) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "body %d: a reduced body has no flesh of its own to display",
                           id.index1);
        }
        created = create_embedded(slot, embedding, w->desc.backend);
        if (!created) {
            return SN_ERROR_MEMORY;
        }
    }
    if (w->backend_world && slot->table->body_tet_positions) {
        const sn_result result = w->desc.backend->body_set_embedding(slot->body, embedding);
        if (result != SN_OK) {
            if (created) {
                free_embedded(slot, created);
            }
            return result;
        }
    }
    sn_body_slot_remove_embedding(slot);
    slot->embedded = created;
    sn_body_slot_reset_flesh(slot);
    sn_body_slot_update_embedding(slot, 1);
    SN_RECORD(slot->recorder, EMBEDDING, .body = id.index1, .index = embedding != NULL);
    return SN_OK;
}

const sn_embedding *sn_body_embedding(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_get(id);
    return slot->embedded ? slot->embedded->embedding : NULL;
}

sn_body_matrices sn_body_embedded_output(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_get(id);
    SN_ASSERT(slot->embedded);
    const int count = slot->bone_count + sn_embedding_matrix_count(slot->embedded->embedding);
    if (slot->embedded->backend) { /* read back only on request */
        slot->embedded->backend->body_read_embedded(slot->body, count, slot->embedded->matrices->m[0]);
    }
    return (sn_body_matrices){.matrices = slot->embedded->matrices,
                              .bone_count = count,
                              .morphs = slot->morphs,
                              .morph_count = slot->morph_count};
}
