/* SPDX-License-Identifier: MIT */
/* Device memory in blocks that buffers share: devices limit the number of allocations (maxMemoryAllocationCount, often
 * 4,096). A block belongs to one memory type; mappable ones stay mapped. Images, which need another granularity, have
 * blocks of their own. */
#ifndef SN_COMPUTE_CORE_ARENA_H
#define SN_COMPUTE_CORE_ARENA_H

#include "compute/core/device.h"

/* A part of a block. */
typedef struct sn_gpu_memory {
    struct sn_gpu_block *block; /* null: nothing */
    VkDeviceMemory handle;
    VkDeviceSize offset;
    void *mapped; /* null if the memory type is not mappable */
    VkMemoryPropertyFlags flags;
} sn_gpu_memory;

/* memory_type: an index of VkPhysicalDeviceMemoryProperties. is_alone: in a block of its own.
 * VK_ERROR_OUT_OF_HOST_MEMORY is logged here, other errors are the caller's to log. */
VkResult sn_gpu_memory_allocate(sn_gpu_device *device, uint32_t memory_type, const VkMemoryRequirements *needs,
                                bool is_alone, sn_gpu_memory *memory);
/* Zeroes it; accepts a zeroed one. The device must not be using it. */
void sn_gpu_memory_free(sn_gpu_device *device, sn_gpu_memory *memory);
/* Number of VkDeviceMemory objects. */
int sn_gpu_memory_block_count(const sn_gpu_device *device);
/* Frees the blocks; called when the device is destroyed. */
void sn_gpu_memory_finish(sn_gpu_device *device);

#endif
