/* SPDX-License-Identifier: MIT */
/* Buffers and images, each with memory of its own: a model has some tens, devices allow thousands. */
#ifndef SN_COMPUTE_CORE_MEMORY_H
#define SN_COMPUTE_CORE_MEMORY_H

#include "compute/core/device.h"

typedef enum sn_gpu_memory_kind {
    SN_GPU_MEMORY_DEVICE, /* the device's own; filled by sn_gpu_upload_* */
    SN_GPU_MEMORY_STREAM, /* mapped, coherent, written by the host every frame, the device's own where it can be both */
    SN_GPU_MEMORY_READBACK /* mapped, cached: the device writes, the host reads */
} sn_gpu_memory_kind;

typedef struct sn_gpu_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *mapped;     /* null for SN_GPU_MEMORY_DEVICE */
    bool is_coherent; /* reads of readback memory that is not must call sn_gpu_buffer_invalidate */
} sn_gpu_buffer;

/* A size of 0 makes a buffer of 16 bytes, so that it can always be bound. Transfer usage is added for
 * SN_GPU_MEMORY_DEVICE. Errors: SN_ERROR_UNSUPPORTED (a storage buffer beyond what the device binds),
 * SN_ERROR_MEMORY. */
sn_result sn_gpu_buffer_create(sn_gpu_device *device, const char *name, VkDeviceSize size, VkBufferUsageFlags usage,
                               sn_gpu_memory_kind kind, sn_gpu_buffer *buffer);
/* Accepts a zeroed buffer; zeroes it. The device must not use it any more. */
void sn_gpu_buffer_destroy(sn_gpu_device *device, sn_gpu_buffer *buffer);
/* Sees to it that a buffer, of this kind or zeroed, has `size` bytes: else another takes its place, twice as large
 * where the device binds that much. What lies in device memory is copied. Waits for the device. */
sn_result sn_gpu_buffer_enlarge(sn_gpu_device *device, const char *name, VkDeviceSize size, VkBufferUsageFlags usage,
                                sn_gpu_memory_kind kind, sn_gpu_buffer *buffer);
/* Makes the device's writes visible to the host. */
sn_result sn_gpu_buffer_invalidate(sn_gpu_device *device, const sn_gpu_buffer *buffer);

typedef struct sn_gpu_image_desc {
    const char *name;
    VkFormat format;
    uint32_t width, height;
    uint32_t mip_count;                 /* 0: the whole chain */
    VkSampleCountFlagBits sample_count; /* 0: one sample */
    VkImageUsageFlags usage;
    VkImageAspectFlags aspect;
} sn_gpu_image_desc;

typedef struct sn_gpu_image {
    VkImage handle;
    VkDeviceMemory memory;
    VkImageView view;       /* all mips; null for an image that is only copied */
    sn_gpu_image_desc desc; /* with its defaults filled in; the name does not outlive the call */
    uint64_t number;        /* another one, another image of the device: handles come again */
} sn_gpu_image;

sn_result sn_gpu_image_create(sn_gpu_device *device, const sn_gpu_image_desc *desc, sn_gpu_image *image);
void sn_gpu_image_destroy(sn_gpu_device *device, sn_gpu_image *image);

/* Upload once, at load time: copies through a staging buffer and waits. */
sn_result sn_gpu_upload_buffer(sn_gpu_device *device, const sn_gpu_buffer *buffer, const void *bytes, size_t size);
sn_result sn_gpu_upload_range(sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize offset,
                              const void *bytes, size_t size);
/* What shaders wrote there, in commands that were submitted before. Waits for the device. */
sn_result sn_gpu_read_back(sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize offset, VkDeviceSize size,
                           void *bytes);
/* Makes a device buffer of `size` bytes and uploads them. */
sn_result sn_gpu_buffer_create_filled(sn_gpu_device *device, const char *name, const void *bytes, size_t size,
                                      VkBufferUsageFlags usage, sn_gpu_buffer *buffer);
/* Uploads mip 0 (RGBA8, width x height x 4 bytes), makes the smaller mips by linear blits (in linear light for sRGB
 * formats) and leaves the image ready for sampling. The image needs transfer source and destination usage. */
sn_result sn_gpu_upload_image(sn_gpu_device *device, const sn_gpu_image *image, const void *pixels);

#endif
