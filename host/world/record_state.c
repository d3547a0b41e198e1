/* SPDX-License-Identifier: MIT */
/* Hashes and names by which recordings identify world states, models and devices. */
#include <stdio.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/model/model.h"
#include "host/world/record.h"

size_t sn_world_scratch_size(const sn_world *w)
{
    size_t max_size = 0;
    for (int i = 0; i < w->slot_count; ++i) {
        const sn_body_slot *slot = w->slots[i];
        if (slot->is_used && slot->table->body_tet_positions) {
            const size_t size = 3 * (size_t)sn_model_vertex_count(slot->desc.model);
            max_size = size > max_size ? size : max_size;
        }
    }
    return max_size;
}

static uint64_t add_body(uint64_t hash, const sn_body_slot *slot, double *scratch)
{
    const size_t matrices = (size_t)slot->bone_count + (size_t)slot->mode_count;
    hash = sn_hash(hash, slot->matrices, 12 * matrices * sizeof *slot->matrices);
    if (slot->table->body_tet_positions && scratch) {
        slot->table->body_tet_positions(slot->body, scratch);
        hash = sn_hash(hash, scratch, 3 * (size_t)sn_model_vertex_count(slot->desc.model) * sizeof *scratch);
    }
    return hash;
}

uint64_t sn_world_state_hash(const sn_world *w, double *scratch)
{
    uint64_t hash = sn_hash(SN_HASH_SEED, &w->leftover, sizeof w->leftover);
    for (int i = 0; i < w->slot_count; ++i) {
        if (w->slots[i]->is_used) {
            hash = add_body(hash, w->slots[i], scratch);
        }
    }
    return hash;
}

sn_result sn_model_identify(const sn_model *model, sn_arena *arena, uint64_t *checksum, uint8_t **bytes, size_t *size)
{
    SN_TRY(sn_model_write(model, arena, bytes, size));
    *checksum = sn_hash(SN_HASH_SEED, *bytes, *size);
    return SN_OK;
}

void sn_backend_describe(const sn_backend *backend, char name[SN_BACKEND_NAME])
{
    name[0] = 0;
    if (backend) {
        backend->describe(backend, name, SN_BACKEND_NAME);
    }
}
