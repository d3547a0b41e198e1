/* SPDX-License-Identifier: MIT */
#include "compute/core/buffer_set.h"

sn_result sn_gpu_buffer_set_enlarge(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, VkDeviceSize size,
                                    sn_gpu_buffer *buffer, sn_gpu_set *set)
{
    const VkBuffer before = buffer->handle;
    const sn_result result =
        sn_gpu_buffer_enlarge(device, desc->name, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, desc->memory_class, buffer);
    if (buffer->handle != before) {
        sn_gpu_set_destroy(device, set);
    }
    return result;
}

sn_result sn_gpu_buffer_set_append(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, const void *items,
                                   uint32_t count, size_t size, uint32_t *used, sn_gpu_buffer *buffer, sn_gpu_set *set)
{
    sn_result result = sn_gpu_buffer_set_enlarge(device, desc, (*used + (VkDeviceSize)count) * size, buffer, set);
    if (result == SN_OK && count > 0) {
        result = sn_gpu_upload_range(device, buffer, *used * size, items, count * size);
    }
    *used += result == SN_OK ? count : 0;
    return result;
}

sn_result sn_gpu_buffer_set_reserve(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, int recordings,
                                    uint32_t count, size_t size, uint32_t *capacity, sn_gpu_buffer *buffer,
                                    sn_gpu_set *set)
{
    const VkDeviceSize all = (VkDeviceSize)recordings;
    SN_TRY(sn_gpu_buffer_set_enlarge(device, desc, all * count * size, buffer, set));
    *capacity = (uint32_t)(buffer->size / (all * size));
    return SN_OK;
}

sn_result sn_gpu_buffer_set_bind(sn_gpu_device *device, const char *name, VkDescriptorSetLayout layout,
                                 const sn_gpu_buffer *buffers, int count, sn_gpu_set *set)
{
    sn_gpu_binding bindings[SN_GPU_BINDING_LIMIT];
    VkDescriptorType types[SN_GPU_BINDING_LIMIT];
    if (set->pool) {
        return SN_OK;
    }
    for (int i = 0; i < count; ++i) {
        types[i] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i] = (sn_gpu_binding){.buffer = buffers[i].handle};
    }
    return sn_gpu_set_create(device, name, layout, types, bindings, count, set);
}
