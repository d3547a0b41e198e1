/* SPDX-License-Identifier: MIT */
/* Colliders on a body's own bones. The host transforms them with the pose when a step is recorded. The clearances of
 * the samples are data of the model, on the device. */
#include <string.h>

#include "compute/reduced/private.h"
#include "host/contact/bone_collider.h"

static uint32_t listed_of(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body)
{
    return body->list >= 0 ? (uint32_t)r->lists[body->list].count : 0;
}

static bool has_own_colliders(const sn_gpu_reduced_body *body)
{
    return body->is_used && body->record.clearance_count > 0 && !body->is_without_bone_colliders;
}

uint32_t sn_gpu_reduced_count_own_colliders(const sn_gpu_reduced *r, uint32_t list_count)
{
    uint32_t total = 0;
    for (int i = 0; i < r->body_count && r->own_collider_count > 0; ++i) {
        const uint32_t own = r->bodies[i].record.clearance_count, listed = listed_of(r, &r->bodies[i]);
        total += has_own_colliders(&r->bodies[i]) ? own + (listed > list_count ? listed : list_count) : 0;
    }
    return total;
}

void sn_gpu_reduced_update_own_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    const uint32_t own = has_own_colliders(body) ? body->record.clearance_count + listed_of(r, body) : 0;
    r->own_collider_count += own - body->own_collider_count;
    body->own_collider_count = own;
}

void sn_gpu_reduced_reserve_own_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    sn_gpu_reduced_update_own_colliders(r, body);
    if (body->own_collider_count > 0 && sn_gpu_reduced_allocate_contacts(r, body) == SN_OK) {
        const uint32_t count = sn_gpu_reduced_count_listed_colliders(r) + r->own_collider_count;
        if (count > r->collider_capacity) {
            sn_gpu_reduced_reserve_collider_rows(
                r, count); /* without memory, the own colliders of some bodies are left out when recording */
        }
    }
}

uint32_t sn_gpu_reduced_write_own_colliders(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, uint32_t next,
                                            float *rows, struct sn_reduced_record *record)
{
    const sn_model *retained = &sn_gpu_reduced_model_of(r, body)->retained;
    const uint32_t own = record->clearance_count, listed = listed_of(r, body);
    if (own == 0 || body->is_without_bone_colliders || !body->has_contacts ||
        next + own + listed > r->collider_capacity) {
        return next;
    }
    record->collider = next * SN_REDUCED_COLLIDER_ROWS;
    record->collider_count = own + listed;
    record->own_collider_count = own;
    rows += SN_GPU_REDUCED_COLLIDER_FLOATS * (size_t)next;
    for (uint32_t i = 0; i < own; ++i, rows += SN_GPU_REDUCED_COLLIDER_FLOATS) {
        const size_t bone = (size_t)retained->bone_colliders[i].bone;
        sn_collider posed;
        sn_bone_collider_pose(&retained->bone_colliders[i], body->previous_pose + 12 * bone, body->pose + 12 * bone,
                              &posed);
        sn_gpu_reduced_pack_collider(r, &posed, body->pose, rows);
    }
    if (listed > 0) {
        memcpy(rows, r->lists[body->list].rows, SN_GPU_REDUCED_COLLIDER_FLOATS * (size_t)listed * sizeof *rows);
    }
    return next + own + listed;
}
