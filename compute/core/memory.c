/* SPDX-License-Identifier: MIT */
#include "compute/core/memory.h"

#include <string.h>

#include "compute/core/commands.h"

enum { SN_CHOICE_LIMIT = 3 };

/* A memory type has all of `flags` and, if possible, none of `avoided`. */
typedef struct memory_choice {
    VkMemoryPropertyFlags flags, avoided;
} memory_choice;

enum {
    SN_DEVICE_LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    SN_VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
    SN_COHERENT = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    SN_CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT
};

/* Best first. Memory that is both device local and mappable may be scarce (256 MiB): it is for stream buffers only. */
static const memory_choice choices_of_class[][SN_CHOICE_LIMIT] = {
    [SN_GPU_MEMORY_DEVICE] = {{SN_DEVICE_LOCAL, SN_VISIBLE}, {SN_DEVICE_LOCAL, 0}, {0, 0}}, /* or host memory */
    [SN_GPU_MEMORY_STREAM] = {{SN_VISIBLE | SN_COHERENT | SN_DEVICE_LOCAL, 0},
                              {SN_VISIBLE | SN_COHERENT, 0},
                              {SN_VISIBLE | SN_COHERENT, 0}},
    [SN_GPU_MEMORY_READBACK] = {{SN_VISIBLE | SN_CACHED | SN_COHERENT, 0},
                                {SN_VISIBLE | SN_CACHED, 0},
                                {SN_VISIBLE | SN_COHERENT, 0}},
    [SN_GPU_MEMORY_STAGING] = {{SN_VISIBLE | SN_COHERENT, SN_DEVICE_LOCAL},
                               {SN_VISIBLE | SN_COHERENT, 0},
                               {SN_VISIBLE | SN_COHERENT, 0}},
};

uint32_t sn_gpu_find_memory_type(const sn_gpu_device *device, uint32_t type_bits, sn_gpu_memory_class memory_class,
                                 int choice)
{
    const memory_choice requested = choices_of_class[memory_class][choice];
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
        if ((type_bits >> i & 1) && (flags & requested.flags) == requested.flags && !(flags & requested.avoided)) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* Tries the next choice when a heap is full. */
static sn_result allocate(sn_gpu_device *device, const char *name, const VkMemoryRequirements *needs,
                          sn_gpu_memory_class memory_class, bool is_alone, sn_gpu_memory *memory)
{
    VkResult code = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (int i = 0; i < SN_CHOICE_LIMIT && code < 0 && code != VK_ERROR_OUT_OF_HOST_MEMORY; ++i) {
        const uint32_t type = sn_gpu_find_memory_type(device, needs->memoryTypeBits, memory_class, i);
        if (type != UINT32_MAX) {
            code = sn_gpu_memory_allocate(device, type, needs, is_alone, memory);
        }
    }
    if (code == VK_ERROR_OUT_OF_HOST_MEMORY) {
        return SN_ERROR_MEMORY; /* it is logged */
    }
    return code < 0 ? sn_gpu_fail(code, name) : SN_OK;
}

/* Storage buffers are bound as a whole. Their size depends on files, so an excessive size is an error of the input. */
static sn_result check_buffer(const sn_gpu_device *device, const char *name, VkDeviceSize size,
                              VkBufferUsageFlags usage)
{
    const uint32_t limit = device->properties.limits.maxStorageBufferRange;
    if ((usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) && size > limit) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: a storage buffer of %llu bytes exceeds the device's limit of %u",
                       name, (unsigned long long)size, limit);
    }
    return SN_OK;
}

sn_result sn_gpu_buffer_create(sn_gpu_device *device, const char *name, VkDeviceSize size, VkBufferUsageFlags usage,
                               sn_gpu_memory_class memory_class, sn_gpu_buffer *buffer)
{
    const bool is_device = memory_class == SN_GPU_MEMORY_DEVICE;
    const VkBufferUsageFlags transfer_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size > 0 ? size : 16,
                                     .usage = usage | (is_device ? transfer_usage : 0)};
    VkMemoryRequirements needs;
    *buffer = (sn_gpu_buffer){.size = info.size};
    sn_result result = check_buffer(device, name, info.size, usage);
    if (result != SN_OK) {
        goto done;
    }
    SN_VK_OF(name, vkCreateBuffer(device->handle, &info, NULL, &buffer->handle));
    sn_gpu_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, name);
    vkGetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    result = allocate(device, name, &needs, memory_class, false, &buffer->memory);
    if (result != SN_OK) {
        goto done;
    }
    SN_VK_OF(name, vkBindBufferMemory(device->handle, buffer->handle, buffer->memory.handle, buffer->memory.offset));
    buffer->is_coherent = (buffer->memory.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    buffer->mapped = is_device ? NULL : buffer->memory.mapped;
    if (device->messenger && buffer->is_coherent) { /* NaNs show reads of uninitialised memory */
        memset(buffer->memory.mapped, 0xff, buffer->size);
    }
done:
    if (result != SN_OK) {
        sn_gpu_buffer_destroy(device, buffer);
    }
    return result;
}

void sn_gpu_buffer_destroy(sn_gpu_device *device, sn_gpu_buffer *buffer)
{
    if (buffer->handle) {
        vkDestroyBuffer(device->handle, buffer->handle, NULL);
        sn_gpu_memory_free(device, &buffer->memory);
    }
    *buffer = (sn_gpu_buffer){0};
}

sn_result sn_gpu_buffer_invalidate(sn_gpu_device *device, const sn_gpu_buffer *buffer)
{
    sn_result result = SN_OK;
    const VkDeviceSize atom = device->properties.limits.nonCoherentAtomSize;
    const VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                       .memory = buffer->memory.handle,
                                       .offset = buffer->memory.offset,
                                       .size = (buffer->size + atom - 1) / atom * atom};
    if (!buffer->is_coherent) {
        SN_VK(vkInvalidateMappedMemoryRanges(device->handle, 1, &range));
    }
done:
    return result;
}

static uint32_t full_mip_count(uint32_t width, uint32_t height)
{
    uint32_t count = 1;
    while ((width | height) >> count) {
        ++count;
    }
    return count;
}

static VkImageCreateInfo image_info(const sn_gpu_image_desc *desc)
{
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = desc->format,
                               .extent = {desc->width, desc->height, 1},
                               .mipLevels = desc->mip_count,
                               .arrayLayers = 1,
                               .samples = desc->sample_count,
                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                               .usage = desc->usage};
}

/* Sizes and formats depend on files and the command line, so an unsupported one is an error of the input. */
static sn_result check_image(const sn_gpu_device *device, const sn_gpu_image_desc *desc)
{
    SN_ASSERT(desc->width > 0 && desc->height > 0 && desc->usage != 0 && desc->aspect != 0);
    VkImageFormatProperties limits;
    const VkResult code = vkGetPhysicalDeviceImageFormatProperties(device->physical, desc->format, VK_IMAGE_TYPE_2D,
                                                                   VK_IMAGE_TILING_OPTIMAL, desc->usage, 0, &limits);
    if (code < 0 && code != VK_ERROR_FORMAT_NOT_SUPPORTED) {
        return sn_gpu_fail(code, desc->name);
    }
    if (code < 0 || desc->width > limits.maxExtent.width || desc->height > limits.maxExtent.height ||
        desc->mip_count > limits.maxMipLevels || !(desc->sample_count & limits.sampleCounts)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the device does not support images of %u x %u, format %d, %d samples",
                       desc->name, desc->width, desc->height, (int)desc->format, (int)desc->sample_count);
    }
    return SN_OK;
}

static sn_result create_view(sn_gpu_device *device, sn_gpu_image *image)
{
    const VkImageUsageFlags transfer_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image->handle,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = image->desc.format,
                                        .subresourceRange = {image->desc.aspect, 0, image->desc.mip_count, 0, 1}};
    sn_result result = SN_OK;
    if (image->desc.usage & ~transfer_usage) {
        SN_VK_OF(image->desc.name, vkCreateImageView(device->handle, &info, NULL, &image->view));
        sn_gpu_name(device, VK_OBJECT_TYPE_IMAGE_VIEW, (uint64_t)image->view, image->desc.name);
    }
done:
    return result;
}

sn_result sn_gpu_image_create(sn_gpu_device *device, const sn_gpu_image_desc *desc, sn_gpu_image *image)
{
    const char *name = desc->name;
    VkMemoryRequirements needs;
    *image = (sn_gpu_image){.desc = *desc, .number = ++device->image_count};
    image->desc.mip_count = desc->mip_count > 0 ? desc->mip_count : full_mip_count(desc->width, desc->height);
    image->desc.sample_count = desc->sample_count > 0 ? desc->sample_count : VK_SAMPLE_COUNT_1_BIT;
    const VkImageCreateInfo info = image_info(&image->desc);
    sn_result result = check_image(device, &image->desc);
    if (result != SN_OK) {
        goto done;
    }
    SN_VK_OF(name, vkCreateImage(device->handle, &info, NULL, &image->handle));
    sn_gpu_name(device, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->handle, name);
    vkGetImageMemoryRequirements(device->handle, image->handle, &needs);
    result = allocate(device, name, &needs, SN_GPU_MEMORY_DEVICE, true, &image->memory);
    if (result != SN_OK) {
        goto done;
    }
    SN_VK_OF(name, vkBindImageMemory(device->handle, image->handle, image->memory.handle, 0));
    result = create_view(device, image);
done:
    image->desc.name = NULL;
    if (result != SN_OK) {
        sn_gpu_image_destroy(device, image);
    }
    return result;
}

void sn_gpu_image_destroy(sn_gpu_device *device, sn_gpu_image *image)
{
    if (image->handle) {
        vkDestroyImageView(device->handle, image->view, NULL);
        vkDestroyImage(device->handle, image->handle, NULL);
        sn_gpu_memory_free(device, &image->memory);
    }
    *image = (sn_gpu_image){0};
}

/* An upload in progress: the staging buffer and the commands that read it. */
typedef struct upload {
    sn_gpu_buffer staging;
    VkCommandBuffer commands;
} upload;

static sn_result begin_upload(sn_gpu_device *device, const void *bytes, size_t size, upload *u)
{
    sn_result result = sn_gpu_buffer_create(device, "staging", size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                            SN_GPU_MEMORY_STAGING, &u->staging);
    if (result == SN_OK) {
        memcpy(u->staging.mapped, bytes, size);
        result = sn_gpu_begin(device, &u->commands);
    }
    if (result != SN_OK) {
        sn_gpu_buffer_destroy(device, &u->staging);
    }
    return result;
}

static sn_result end_upload(sn_gpu_device *device, upload *u)
{
    uint64_t value = 0;
    sn_result result = sn_gpu_submit(device, u->commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(device, value);
    }
    sn_gpu_buffer_destroy(device, &u->staging);
    return result;
}

sn_result sn_gpu_upload_buffer(sn_gpu_device *device, const sn_gpu_buffer *buffer, const void *bytes, size_t size)
{
    return sn_gpu_upload_range(device, buffer, 0, bytes, size);
}

sn_result sn_gpu_upload_range(sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize offset,
                              const void *bytes, size_t size)
{
    SN_ASSERT(offset <= buffer->size && size <= buffer->size - offset);
    upload u = {0};
    if (size == 0) {
        return SN_OK;
    }
    const sn_result result = begin_upload(device, bytes, size, &u);
    if (result != SN_OK) {
        return result;
    }
    const VkBufferCopy region = {.dstOffset = offset, .size = size};
    vkCmdCopyBuffer(u.commands, u.staging.handle, buffer->handle, 1, &region);
    /* Later submissions may use the buffer for these accesses without another barrier. */
    sn_gpu_barrier(u.commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_READ);
    sn_gpu_barrier(u.commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_WRITE);
    sn_gpu_barrier(u.commands, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_READ);
    return end_upload(device, &u);
}

sn_result sn_gpu_buffer_create_filled(sn_gpu_device *device, const char *name, const void *bytes, size_t size,
                                      VkBufferUsageFlags usage, sn_gpu_buffer *buffer)
{
    sn_result result = sn_gpu_buffer_create(device, name, size, usage, SN_GPU_MEMORY_DEVICE, buffer);
    if (result == SN_OK) {
        result = sn_gpu_upload_buffer(device, buffer, bytes, size);
        if (result != SN_OK) {
            sn_gpu_buffer_destroy(device, buffer);
        }
    }
    return result;
}

/* The exclusive end corner of a mip, as vkCmdBlitImage expects it. */
static VkOffset3D mip_corner(const sn_gpu_image *image, uint32_t mip)
{
    const uint32_t width = image->desc.width >> mip, height = image->desc.height >> mip;
    return (VkOffset3D){width > 0 ? (int32_t)width : 1, height > 0 ? (int32_t)height : 1, 1};
}

static void blit_next_mip(VkCommandBuffer commands, const sn_gpu_image *image, uint32_t mip)
{
    const VkImageBlit region = {.srcSubresource = {image->desc.aspect, mip, 0, 1},
                                .srcOffsets = {{0}, mip_corner(image, mip)},
                                .dstSubresource = {image->desc.aspect, mip + 1, 0, 1},
                                .dstOffsets = {{0}, mip_corner(image, mip + 1)}};
    vkCmdBlitImage(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->handle,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_LINEAR);
}

sn_result sn_gpu_upload_image(sn_gpu_device *device, const sn_gpu_image *image, const void *pixels)
{
    const sn_gpu_image_desc *desc = &image->desc;
    upload u = {0};
    const sn_result result = begin_upload(device, pixels, (size_t)desc->width * desc->height * 4, &u);
    if (result != SN_OK) {
        return result;
    }
    const VkBufferImageCopy region = {.imageSubresource = {desc->aspect, 0, 0, 1},
                                      .imageExtent = {desc->width, desc->height, 1}};
    sn_gpu_barrier_image(u.commands, image, SN_GPU_NONE, SN_GPU_TRANSFER_WRITE);
    vkCmdCopyBufferToImage(u.commands, u.staging.handle, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
    for (uint32_t mip = 0; mip < desc->mip_count; ++mip) {
        sn_gpu_barrier_mips(u.commands, image, mip, 1, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_READ);
        if (mip + 1 < desc->mip_count) {
            blit_next_mip(u.commands, image, mip);
        }
    }
    sn_gpu_barrier_image(u.commands, image, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_READ);
    return end_upload(device, &u);
}
