/* SPDX-License-Identifier: MIT */
/* The buffers: names, growth, binding. */
#include "compute/core/buffer_set.h"
#include "compute/coupled/private.h"

static const sn_gpu_buffer_desc buffer_descs[SN_COUPLED_BINDING_COUNT] = {
    [SN_COUPLED_NUMBERS] = {"coupled numbers", SN_GPU_MEMORY_DEVICE},
    [SN_COUPLED_TABLES] = {"coupled tables", SN_GPU_MEMORY_DEVICE},
    [SN_COUPLED_RIGS] = {"coupled rigs", SN_GPU_MEMORY_DEVICE},
    [SN_COUPLED_SYSTEMS] = {"coupled systems", SN_GPU_MEMORY_DEVICE},
    [SN_COUPLED_RECORDS] = {"coupled records", SN_GPU_MEMORY_STREAM},
    [SN_COUPLED_TARGETS] = {"coupled targets", SN_GPU_MEMORY_STREAM},
    [SN_COUPLED_STATES] = {"coupled states", SN_GPU_MEMORY_DEVICE},
    [SN_COUPLED_WORK] = {"coupled scratch", SN_GPU_MEMORY_DEVICE},
    [SN_COUPLED_MATRICES] = {"coupled matrices", SN_GPU_MEMORY_DEVICE},
};

sn_result sn_gpu_coupled_enlarge(sn_gpu_coupled *c, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(c->device, &buffer_descs[binding], size, &c->buffers[binding], &c->set);
}

sn_result sn_gpu_coupled_bind(sn_gpu_coupled *c)
{
    const sn_result result = sn_gpu_buffer_set_bind(c->device, "coupled", c->coupling.set_layout, c->buffers,
                                                    SN_COUPLED_BINDING_COUNT, &c->set);
    c->coupling.set = c->set.handle;
    return result;
}

sn_result sn_gpu_coupled_append(sn_gpu_coupled *c, int binding, const void *items, uint32_t count, size_t size,
                                uint32_t *used)
{
    return sn_gpu_buffer_set_append(c->device, &buffer_descs[binding], items, count, size, used, &c->buffers[binding],
                                    &c->set);
}

sn_result sn_gpu_coupled_reserve(sn_gpu_coupled *c, int binding, uint32_t count, size_t size, uint32_t *capacity)
{
    return sn_gpu_buffer_set_reserve(c->device, &buffer_descs[binding], c->recording_limit, count, size, capacity,
                                     &c->buffers[binding], &c->set);
}
