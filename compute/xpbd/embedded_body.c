/* SPDX-License-Identifier: MIT */
/* Bodies with embedded surfaces and their ranges in the buffers. */
#include "compute/xpbd/embedded_private.h"

/* Appends a range of floats if the current one is too small. */
static sn_result reserve_matrices(sn_gpu_embedded *e, uint32_t matrices, sn_gpu_xpbd_range *range)
{
    const uint32_t count = 12 * matrices;
    if (count <= range->capacity) {
        return SN_OK;
    }
    const VkDeviceSize size = (e->used_floats + (VkDeviceSize)count) * sizeof(float);
    SN_TRY(sn_gpu_embedded_enlarge(e, SN_EMBEDDED_MATRICES, size));
    *range = (sn_gpu_xpbd_range){e->used_floats, count};
    e->used_floats += count;
    return SN_OK;
}

static sn_result reserve(sn_gpu_embedded *e, int body)
{
    while (body >= e->body_count) {
        sn_gpu_embedded_body *grown = sn_grow(e->bodies, e->body_count, &e->body_capacity, sizeof *grown);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        e->bodies = grown;
        e->bodies[e->body_count++] = (sn_gpu_embedded_body){.surface = -1};
    }
    if (e->copy_capacity < e->body_capacity) {
        VkBufferCopy *copies = sn_alloc((size_t)e->body_capacity, sizeof *copies);
        if (!copies) {
            return SN_ERROR_MEMORY;
        }
        sn_free(e->copies, (size_t)e->copy_capacity, sizeof *copies);
        e->copies = copies;
        e->copy_capacity = e->body_capacity;
    }
    return sn_gpu_embedded_reserve(e, SN_EMBEDDED_RECORDS, (uint32_t)e->body_count, sizeof(struct sn_embedded_record),
                                   &e->record_capacity);
}

/* Reserves input and output space for the bone matrices. */
static sn_result reserve_bones(sn_gpu_embedded *e, sn_gpu_embedded_body *b)
{
    const uint32_t floats = 12 * (uint32_t)b->desc.bone_count;
    if (e->bones) {
        b->bones.first = b->desc.bones;
        b->bones.capacity = 0;
        return SN_OK;
    }
    if (floats > b->bones.capacity) {
        b->bones = (sn_gpu_xpbd_range){e->used_bones, floats};
        e->used_bones += floats;
    }
    return sn_gpu_embedded_reserve(e, SN_EMBEDDED_BONES, e->used_bones, sizeof(float), &e->bone_capacity);
}

sn_result sn_gpu_embedded_set_body(sn_gpu_embedded *e, int body, const sn_gpu_embedded_desc *desc)
{
    sn_result result = reserve(e, body);
    if (result != SN_OK) {
        return sn_gpu_embedded_bind_after_change(e, result);
    }
    sn_gpu_embedded_body *b = &e->bodies[body];
    b->desc = *desc;
    b->surface = -1;
    b->is_used = b->skips_interpolation = true;
    result = reserve_bones(e, b);
    if (result == SN_OK && desc->writes_bones) {
        result = reserve_matrices(e, (uint32_t)(desc->bone_count + desc->empty_count), &b->bone_matrices);
    }
    if (result == SN_OK && desc->writes_bones) {
        result = sn_gpu_embedded_create_pipeline(e);
    }
    return sn_gpu_embedded_bind_after_change(e, result);
}

void sn_gpu_embedded_remove_body(sn_gpu_embedded *e, int body)
{
    if (body < e->body_count) {
        e->bodies[body].is_used = false;
        e->bodies[body].surface = -1;
    }
}

sn_result sn_gpu_embedded_set_surface(sn_gpu_embedded *e, int body, int surface)
{
    sn_gpu_embedded_body *b = sn_gpu_embedded_find(e, body);
    if (surface < 0) {
        b->surface = -1;
        return SN_OK;
    }
    const uint32_t matrices = (uint32_t)b->desc.bone_count + e->surfaces[surface].node_count;
    sn_result result = reserve_matrices(e, matrices, &b->matrix);
    if (result == SN_OK) {
        result = sn_gpu_embedded_enlarge(e, SN_EMBEDDED_ROWS, e->xpbd->buffers[SN_XPBD_DISPLACEMENTS].size);
    }
    if (result == SN_OK) {
        result = sn_gpu_embedded_enlarge(e, SN_EMBEDDED_STATUSES, e->xpbd->buffers[SN_XPBD_STATUSES].size);
    }
    result = sn_gpu_embedded_bind_after_change(e, result);
    b->surface = result == SN_OK ? surface : b->surface;
    b->skips_interpolation = true;
    return result;
}

int sn_gpu_embedded_surface(const sn_gpu_embedded *e, int body)
{
    return sn_gpu_embedded_find(e, body)->surface;
}

void sn_gpu_embedded_skip_interpolation(sn_gpu_embedded *e, int body)
{
    sn_gpu_embedded_find(e, body)->skips_interpolation = true;
}
