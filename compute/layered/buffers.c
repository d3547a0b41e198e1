/* SPDX-License-Identifier: MIT */
/* The buffers: names, growth, binding. */
#include "compute/core/buffer_set.h"
#include "compute/layered/private.h"

static const sn_gpu_buffer_desc buffer_descs[SN_LAYERED_BINDING_COUNT] = {
    [SN_LAYERED_MODELS] = {"layered models", SN_GPU_MEMORY_DEVICE},
    [SN_LAYERED_TABLES] = {"layered tables", SN_GPU_MEMORY_DEVICE},
    [SN_LAYERED_NUMBERS] = {"layered numbers", SN_GPU_MEMORY_DEVICE},
    [SN_LAYERED_RECORDS] = {"layered records", SN_GPU_MEMORY_STREAM},
    [SN_LAYERED_BONES] = {"layered bones", SN_GPU_MEMORY_STREAM},
    [SN_LAYERED_WORK] = {"layered scratch", SN_GPU_MEMORY_DEVICE},
};

sn_result sn_gpu_layered_enlarge(sn_gpu_layered *l, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(l->device, &buffer_descs[binding], size, &l->buffers[binding], &l->set);
}

sn_result sn_gpu_layered_append(sn_gpu_layered *l, int binding, const void *items, size_t count, size_t size,
                                uint32_t *used)
{
    return sn_gpu_buffer_set_append(l->device, &buffer_descs[binding], items, (uint32_t)count, size, used,
                                    &l->buffers[binding], &l->set);
}

sn_result sn_gpu_layered_reserve(sn_gpu_layered *l, int binding, uint32_t count, size_t size, uint32_t *capacity)
{
    return sn_gpu_buffer_set_reserve(l->device, &buffer_descs[binding], l->recording_limit, count, size, capacity,
                                     &l->buffers[binding], &l->set);
}

sn_result sn_gpu_layered_bind(sn_gpu_layered *l)
{
    const sn_result result = sn_gpu_buffer_set_bind(l->device, "layered", l->coupling.set_layout, l->buffers,
                                                    SN_LAYERED_BINDING_COUNT, &l->set);
    l->coupling.set = l->set.handle;
    return result;
}
