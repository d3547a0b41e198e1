/* SPDX-License-Identifier: MIT */
/* Capacity of the buffers for impulses, colliders and contacts. */
#include "compute/reduced/private.h"
#include "host/reduced/contacts.h"

/* Reserves `count` items per recording in a stream buffer; growing waits for the device. */
static sn_result make_room(sn_gpu_reduced *r, int binding, uint32_t count, size_t item_bytes, uint32_t *room)
{
    const VkDeviceSize recordings = (VkDeviceSize)r->desc.recording_limit;
    sn_result result = sn_gpu_reduced_enlarge(r, binding, recordings * count * item_bytes);
    if (result == SN_OK) {
        *room = (uint32_t)(r->buffers[binding].size / (recordings * item_bytes));
        result = r->body_count > 0 ? sn_gpu_reduced_bind(r) : SN_OK; /* the other buffers exist once there is a body */
    }
    return result;
}

sn_result sn_gpu_reduced_reserve_push(sn_gpu_reduced *r)
{
    const size_t bytes = SN_REDUCED_IMPULSE_ROWS * SN_REDUCED_VEC4_BYTES;
    return make_room(r, SN_REDUCED_IMPULSES, r->impulse_count + r->grab_count + 1, bytes, &r->impulse_room);
}

uint32_t sn_gpu_reduced_count_listed(const sn_gpu_reduced *r)
{
    uint32_t sum = 0;
    for (int i = 0; i < r->list_count; ++i) {
        sum += r->lists[i].user_count > 0 ? (uint32_t)r->lists[i].count : 0;
    }
    return sum;
}

sn_result sn_gpu_reduced_hold_colliders(sn_gpu_reduced *r, uint32_t count)
{
    if (count > r->collider_room && r->refused_colliders > 0 && count >= r->refused_colliders) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result =
        make_room(r, SN_REDUCED_COLLIDERS, count, SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float), &r->collider_room);
    r->refused_colliders = result == SN_OK ? r->refused_colliders : count;
    return result;
}

int sn_gpu_reduced_touching_limit(const sn_gpu_device *device)
{
    const size_t most = device->properties.limits.maxStorageBufferRange;
    return (int)(most / (sn_reduced_contacts_layout_of().size * sizeof(float)));
}

/* Called at the body's first collider or grab. */
sn_result sn_gpu_reduced_make_contacts(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    const VkDeviceSize bytes = sn_reduced_contacts_layout_of().size * sizeof(float);
    if (body->has_contacts || r->is_out_of_contacts) {
        return body->has_contacts ? SN_OK : SN_ERROR_MEMORY;
    }
    sn_result result = sn_gpu_reduced_enlarge(r, SN_REDUCED_CONTACTS, (r->contacts_count + 1) * bytes);
    if (result == SN_OK) {
        result = sn_gpu_reduced_bind(r);
    }
    if (result == SN_OK) {
        body->record.contacts = r->contacts_count++ * sn_reduced_contacts_layout_of().size;
        body->has_contacts = true;
    }
    r->is_out_of_contacts = result != SN_OK;
    return result;
}
