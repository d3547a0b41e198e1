/* SPDX-License-Identifier: MIT */
/* Capacity of the buffers for impulses, colliders and contacts. */
#include "compute/reduced/private.h"
#include "host/reduced/contacts.h"

/* Reserves `count` items per recording in a stream buffer; growing waits for the device. */
static sn_result reserve(sn_gpu_reduced *r, int binding, uint32_t count, size_t item_bytes, uint32_t *capacity)
{
    const VkDeviceSize recordings = (VkDeviceSize)r->desc.recording_limit;
    sn_result result = sn_gpu_reduced_enlarge(r, binding, recordings * count * item_bytes);
    if (result == SN_OK) {
        *capacity = (uint32_t)(r->buffers[binding].size / (recordings * item_bytes));
        result = r->body_count > 0 ? sn_gpu_reduced_bind(r) : SN_OK; /* the other buffers exist once there is a body */
    }
    return result;
}

sn_result sn_gpu_reduced_reserve_impulse(sn_gpu_reduced *r)
{
    const size_t bytes = SN_REDUCED_IMPULSE_ROWS * SN_REDUCED_VEC4_BYTES;
    return reserve(r, SN_REDUCED_IMPULSES, r->impulse_count + r->grab_count + 1, bytes, &r->impulse_capacity);
}

uint32_t sn_gpu_reduced_count_listed_colliders(const sn_gpu_reduced *r)
{
    uint32_t total = 0;
    for (int i = 0; i < r->list_count; ++i) {
        total += r->lists[i].user_count > 0 ? (uint32_t)r->lists[i].count : 0;
    }
    return total;
}

sn_result sn_gpu_reduced_reserve_collider_rows(sn_gpu_reduced *r, uint32_t count)
{
    if (count > r->collider_capacity && r->rejected_collider_count > 0 && count >= r->rejected_collider_count) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result =
        reserve(r, SN_REDUCED_COLLIDERS, count, SN_GPU_REDUCED_COLLIDER_FLOATS * sizeof(float), &r->collider_capacity);
    r->rejected_collider_count = result == SN_OK ? r->rejected_collider_count : count;
    return result;
}

int sn_gpu_reduced_contact_body_limit(const sn_gpu_device *device)
{
    const size_t limit_bytes = device->properties.limits.maxStorageBufferRange;
    return (int)(limit_bytes / (sn_reduced_contacts_layout_of().size * sizeof(float)));
}

/* Called at the body's first collider or grab. */
sn_result sn_gpu_reduced_allocate_contacts(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    const VkDeviceSize bytes = sn_reduced_contacts_layout_of().size * sizeof(float);
    if (body->has_contacts || r->is_contact_memory_exhausted) {
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
    r->is_contact_memory_exhausted = result != SN_OK;
    return result;
}
