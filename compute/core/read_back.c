/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compute/core/commands.h"

static sn_result copy(sn_gpu_device *device, const sn_gpu_buffer *from, VkDeviceSize offset, const sn_gpu_buffer *to)
{
    const VkBufferCopy region = {.srcOffset = offset, .size = to->size};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = sn_gpu_begin(device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(commands, from->handle, to->handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
    result = sn_gpu_submit(device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(device, value);
    }
    return result == SN_OK ? sn_gpu_buffer_invalidate(device, to) : result;
}

sn_result sn_gpu_read_back(sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize offset, VkDeviceSize size,
                           void *bytes)
{
    sn_gpu_buffer readback = {0};
    sn_result result = sn_gpu_buffer_create(device, "read back", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                            SN_GPU_MEMORY_READBACK, &readback);
    if (result == SN_OK) {
        result = copy(device, buffer, offset, &readback);
    }
    if (result == SN_OK) {
        memcpy(bytes, readback.mapped, size);
    }
    sn_gpu_buffer_destroy(device, &readback);
    return result;
}
