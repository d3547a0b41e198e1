/* SPDX-License-Identifier: MIT */
/* Buffers, descriptor set and pipeline of embedded surfaces. */
#include <string.h>

#include "compute/core/buffer_set.h"
#include "compute/core/shared.h"
#include "compute/xpbd/embedded_private.h"

static const uint32_t embed_shader[] =
#include "shaders/xpbd/embed.comp.inc"
    ;
static const uint32_t single_embed_shader[] =
#include "shaders/xpbd/embed_single.comp.inc"
    ;

static const sn_gpu_buffer_desc buffer_descs[SN_EMBEDDED_BINDING_COUNT] = {
    [SN_EMBEDDED_TABLES] = {"embedded tables", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_NUMBERS] = {"embedded numbers", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_RECORDS] = {"embedded records", SN_GPU_MEMORY_STREAM},
    [SN_EMBEDDED_BONES] = {"embedded bones", SN_GPU_MEMORY_STREAM},
    [SN_EMBEDDED_ROWS] = {"embedded rows", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_STATUSES] = {"embedded statuses", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_MATRICES] = {"embedded matrices", SN_GPU_MEMORY_DEVICE},
};

/* ---- buffers ---- */

sn_result sn_gpu_embedded_enlarge(sn_gpu_embedded *e, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(e->device, &buffer_descs[binding], size, &e->buffers[binding], &e->set);
}

sn_result sn_gpu_embedded_append(sn_gpu_embedded *e, int binding, const void *items, size_t count, uint32_t *used,
                                 uint32_t *first)
{
    *first = *used;
    return sn_gpu_buffer_set_append(e->device, &buffer_descs[binding], items, (uint32_t)count, sizeof(uint32_t), used,
                                    &e->buffers[binding], &e->set);
}

sn_result sn_gpu_embedded_reserve(sn_gpu_embedded *e, int binding, uint32_t count, size_t size, uint32_t *capacity)
{
    return sn_gpu_buffer_set_reserve(e->device, &buffer_descs[binding], e->recording_limit, count, size, capacity,
                                     &e->buffers[binding], &e->set);
}

static sn_result bind(sn_gpu_embedded *e)
{
    sn_gpu_buffer buffers[SN_EMBEDDED_BINDING_COUNT];
    memcpy(buffers, e->buffers, sizeof buffers);
    if (e->bones) {
        buffers[SN_EMBEDDED_BONES].handle = e->bones;
    }
    return sn_gpu_buffer_set_bind(e->device, "embedded", e->set_layout, buffers, SN_EMBEDDED_BINDING_COUNT, &e->set);
}

sn_result sn_gpu_embedded_bind_after_change(sn_gpu_embedded *e, sn_result result)
{
    const sn_result bound = bind(e);
    return result == SN_OK ? bound : result;
}

sn_result sn_gpu_embedded_set_bones(sn_gpu_embedded *e, VkBuffer bones)
{
    if (bones == e->bones && e->set.handle) {
        return SN_OK;
    }
    sn_gpu_device_wait(e->device);
    e->bones = bones;
    sn_gpu_set_destroy(e->device, &e->set);
    return bind(e);
}

/* ---- creation ---- */

static sn_result init(sn_gpu_embedded *e)
{
    SN_TRY(sn_gpu_shared_set_layout(e->device, SN_EMBEDDED_BINDING_COUNT, &e->set_layout));
    const VkDescriptorSetLayout sets[] = {e->xpbd->set_layout, e->set_layout};
    SN_TRY(sn_gpu_shared_pipeline_layout(e->device, "embedded", sets, 2, sizeof(sn_gpu_xpbd_constants), &e->layout));
    for (int i = 0; i < SN_EMBEDDED_BINDING_COUNT; ++i) {
        SN_TRY(sn_gpu_embedded_enlarge(e, i, 0));
    }
    return SN_OK;
}

sn_result sn_gpu_embedded_create(sn_gpu_device *device, sn_gpu_xpbd *xpbd, int recording_limit,
                                 sn_gpu_embedded **embedded)
{
    *embedded = NULL;
    sn_gpu_embedded *e = sn_alloc(1, sizeof *e);
    if (!e) {
        return SN_ERROR_MEMORY;
    }
    *e = (sn_gpu_embedded){.device = device, .xpbd = xpbd, .recording_limit = recording_limit};
    const sn_result result = init(e);
    if (result != SN_OK) {
        sn_gpu_embedded_destroy(&e);
    }
    *embedded = e;
    return result;
}

void sn_gpu_embedded_destroy(sn_gpu_embedded **embedded)
{
    sn_gpu_embedded *e = *embedded;
    *embedded = NULL;
    if (!e) {
        return;
    }
    sn_gpu_device_wait(e->device);
    sn_gpu_set_destroy(e->device, &e->set);
    for (int i = 0; i < SN_EMBEDDED_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(e->device, &e->buffers[i]);
    }
    sn_free(e->surfaces, (size_t)e->surface_capacity, sizeof *e->surfaces);
    sn_free(e->bodies, (size_t)e->body_capacity, sizeof *e->bodies);
    sn_free(e->copies, (size_t)e->copy_capacity, sizeof *e->copies);
    sn_free(e, 1, sizeof *e);
}

sn_result sn_gpu_embedded_create_pipeline(sn_gpu_embedded *e)
{
    const sn_gpu_shader in_double = SN_GPU_SHADER(embed_shader), single = SN_GPU_SHADER(single_embed_shader);
    const uint32_t constants[] = {SN_XPBD_ALL, false, 1, 0};
    return e->pipeline ? SN_OK
                       : sn_gpu_shared_compute_pipeline(e->device, "embedded matrices", e->layout,
                                                        e->xpbd->desc.is_single_precision ? single : in_double,
                                                        constants, 4, &e->pipeline);
}
