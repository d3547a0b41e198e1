/* SPDX-License-Identifier: MIT */
/* First fit among the gaps of a type's blocks. One empty block of a type is retained, since staging buffers come and
 * go. */
#include "compute/core/arena.h"

#include <string.h>

#define BLOCK_BYTES ((VkDeviceSize)8 << 20)

typedef struct block_range {
    VkDeviceSize first, end;
} block_range;

struct sn_gpu_block {
    VkDeviceMemory memory;
    VkDeviceSize size;
    uint32_t memory_type;
    bool is_alone;
    void *mapped;
    block_range *ranges; /* (range_count) in use, ascending */
    int range_count, range_capacity;
    struct sn_gpu_block *next;
};

static VkDeviceSize round_up(VkDeviceSize size, VkDeviceSize alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

/* Flushes and invalidations of memory that is not coherent cover whole atoms. */
static VkDeviceSize alignment_of(const sn_gpu_device *device, const VkMemoryRequirements *needs)
{
    const VkDeviceSize atom = device->properties.limits.nonCoherentAtomSize;
    return needs->alignment > atom ? needs->alignment : atom; /* both are powers of two */
}

/* Index of the first range after a sufficient gap, which begins at *first; -1 if there is none. */
static int find_gap(const struct sn_gpu_block *block, VkDeviceSize size, VkDeviceSize alignment, VkDeviceSize *first)
{
    VkDeviceSize begin = 0;
    for (int i = 0; i <= block->range_count; ++i) {
        const VkDeviceSize end = i < block->range_count ? block->ranges[i].first : block->size;
        *first = round_up(begin, alignment);
        if (*first <= end && size <= end - *first) {
            return i;
        }
        begin = i < block->range_count ? block->ranges[i].end : 0;
    }
    return -1;
}

static VkResult use_gap(struct sn_gpu_block *block, int index, block_range range)
{
    block_range *grown = sn_grow(block->ranges, block->range_count, &block->range_capacity, sizeof *grown);
    if (!grown) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    block->ranges = grown;
    memmove(grown + index + 1, grown + index, (size_t)(block->range_count - index) * sizeof *grown);
    grown[index] = range;
    ++block->range_count;
    return VK_SUCCESS;
}

static void destroy_block(sn_gpu_device *device, struct sn_gpu_block *block)
{
    vkFreeMemory(device->handle, block->memory, NULL); /* unmaps */
    sn_free(block->ranges, (size_t)block->range_capacity, sizeof *block->ranges);
    sn_free(block, 1, sizeof *block);
}

static VkResult create_block(sn_gpu_device *device, uint32_t memory_type, VkDeviceSize size,
                             struct sn_gpu_block **result)
{
    struct sn_gpu_block *block = sn_alloc(1, sizeof *block);
    if (!block) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    block->ranges = sn_grow(NULL, 0, &block->range_capacity, sizeof *block->ranges);
    if (!block->ranges) {
        sn_free(block, 1, sizeof *block);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    block->size = size;
    block->memory_type = memory_type;
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size, .memoryTypeIndex = memory_type};
    VkResult code = vkAllocateMemory(device->handle, &info, NULL, &block->memory);
    const VkMemoryPropertyFlags flags = device->memory.memoryTypes[memory_type].propertyFlags;
    if (code >= 0 && flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        code = vkMapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped);
    }
    if (code == VK_ERROR_OUT_OF_HOST_MEMORY) {
        (void)sn_gpu_fail(code, "block of device memory");
    }
    if (code < 0) {
        destroy_block(device, block);
        return code;
    }
    sn_gpu_name(device, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)block->memory, "block");
    block->next = device->blocks;
    device->blocks = block;
    *result = block;
    return VK_SUCCESS;
}

VkResult sn_gpu_memory_allocate(sn_gpu_device *device, uint32_t memory_type, const VkMemoryRequirements *needs,
                                bool is_alone, sn_gpu_memory *memory)
{
    const VkDeviceSize alignment = alignment_of(device, needs), size = round_up(needs->size, alignment);
    const bool is_shared = !is_alone && size <= BLOCK_BYTES / 2;
    struct sn_gpu_block *block = is_shared ? device->blocks : NULL;
    VkDeviceSize first = 0;
    int index = 0;
    *memory = (sn_gpu_memory){.block = NULL};
    while (block && (block->is_alone || block->memory_type != memory_type ||
                     (index = find_gap(block, size, alignment, &first)) < 0)) {
        block = block->next;
    }
    if (!block) {
        /* a block for several buffers may not fit into a small heap */
        VkResult code = create_block(device, memory_type, is_shared ? BLOCK_BYTES : size, &block);
        if (code == VK_ERROR_OUT_OF_DEVICE_MEMORY && is_shared) {
            code = create_block(device, memory_type, size, &block);
        }
        if (code < 0) {
            return code;
        }
        block->is_alone = !is_shared;
        index = 0;
        first = 0;
    }
    const VkResult code = use_gap(block, index, (block_range){first, first + size});
    if (code < 0) {
        return code;
    }
    *memory = (sn_gpu_memory){.block = block,
                              .handle = block->memory,
                              .offset = first,
                              .mapped = block->mapped ? (uint8_t *)block->mapped + first : NULL,
                              .flags = device->memory.memoryTypes[memory_type].propertyFlags};
    return VK_SUCCESS;
}

/* Whether another shared block of the type is empty. */
static bool has_spare(const sn_gpu_device *device, const struct sn_gpu_block *block)
{
    for (const struct sn_gpu_block *b = device->blocks; b; b = b->next) {
        if (b != block && !b->is_alone && b->memory_type == block->memory_type && b->range_count == 0) {
            return true;
        }
    }
    return false;
}

void sn_gpu_memory_free(sn_gpu_device *device, sn_gpu_memory *memory)
{
    struct sn_gpu_block *block = memory->block;
    if (block) {
        int index = 0;
        while (block->ranges[index].first != memory->offset) {
            ++index;
        }
        --block->range_count;
        memmove(block->ranges + index, block->ranges + index + 1,
                (size_t)(block->range_count - index) * sizeof *block->ranges);
        if (block->range_count == 0 && (block->is_alone || has_spare(device, block))) {
            struct sn_gpu_block **link = &device->blocks;
            while (*link != block) {
                link = &(*link)->next;
            }
            *link = block->next;
            destroy_block(device, block);
        }
    }
    *memory = (sn_gpu_memory){.block = NULL};
}

int sn_gpu_memory_block_count(const sn_gpu_device *device)
{
    int count = 0;
    for (const struct sn_gpu_block *b = device->blocks; b; b = b->next) {
        ++count;
    }
    return count;
}

void sn_gpu_memory_finish(sn_gpu_device *device)
{
    while (device->blocks) {
        struct sn_gpu_block *next = device->blocks->next;
        destroy_block(device, device->blocks);
        device->blocks = next;
    }
}
