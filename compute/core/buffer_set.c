/* SPDX-License-Identifier: MIT */
#include "compute/core/buffer_set.h"

sn_result sn_gpu_buffer_set_enlarge(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, VkDeviceSize size,
                                    sn_gpu_buffer *buffer, sn_gpu_set *set)
{
    const VkBuffer before = buffer->handle;
    const sn_result result =
        sn_gpu_buffer_enlarge(device, desc->name, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, desc->kind, buffer);
    if (buffer->handle != before) {
        sn_gpu_set_destroy(device, set);
    }
    return result;
}

sn_result sn_gpu_buffer_set_bind(sn_gpu_device *device, const char *name, VkDescriptorSetLayout layout,
                                 const sn_gpu_buffer *buffers, int count, sn_gpu_set *set)
{
    sn_gpu_binding bindings[SN_GPU_BINDING_LIMIT];
    VkDescriptorType kinds[SN_GPU_BINDING_LIMIT];
    if (set->pool) {
        return SN_OK;
    }
    for (int i = 0; i < count; ++i) {
        kinds[i] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i] = (sn_gpu_binding){.buffer = buffers[i].handle};
    }
    return sn_gpu_set_create(device, name, layout, kinds, bindings, count, set);
}
