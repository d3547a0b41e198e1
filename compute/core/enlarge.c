/* SPDX-License-Identifier: MIT */
/* Buffers that grow. */
#include "compute/core/commands.h"

/* Twice the old size, as long as the device can bind that much. */
static VkDeviceSize enlarged_size(const sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize size)
{
    const VkDeviceSize doubled = 2 * buffer->size;
    return doubled > size && doubled <= device->properties.limits.maxStorageBufferRange ? doubled : size;
}

static sn_result copy_buffer(sn_gpu_device *device, const sn_gpu_buffer *from, const sn_gpu_buffer *to)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = sn_gpu_begin(device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(commands, from->handle, to->handle, 1, &(VkBufferCopy){.size = from->size});
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_WRITE);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_WRITE);
    result = sn_gpu_submit(device, commands, &value);
    return result == SN_OK ? sn_gpu_wait(device, value) : result;
}

sn_result sn_gpu_buffer_enlarge(sn_gpu_device *device, const char *name, VkDeviceSize size, VkBufferUsageFlags usage,
                                sn_gpu_memory_class memory_class, sn_gpu_buffer *buffer)
{
    sn_gpu_buffer larger;
    if (buffer->handle && buffer->size >= size) {
        return SN_OK;
    }
    sn_result result =
        sn_gpu_buffer_create(device, name, enlarged_size(device, buffer, size), usage, memory_class, &larger);
    if (result == SN_OK && buffer->handle && memory_class == SN_GPU_MEMORY_DEVICE) {
        result = copy_buffer(device, buffer, &larger);
    }
    if (result != SN_OK) {
        sn_gpu_buffer_destroy(device, &larger);
        return result;
    }
    sn_gpu_device_wait(device);
    sn_gpu_buffer_destroy(device, buffer);
    *buffer = larger;
    return SN_OK;
}
