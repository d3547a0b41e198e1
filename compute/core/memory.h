/* SPDX-License-Identifier: MIT */
/* Buffers, which share memory (arena.h), and images, which have their own. */
#ifndef SN_COMPUTE_CORE_MEMORY_H
#define SN_COMPUTE_CORE_MEMORY_H

#include "compute/core/arena.h"

typedef enum sn_gpu_memory_class {
    SN_GPU_MEMORY_DEVICE,   /* device local; filled by sn_gpu_upload_* */
    SN_GPU_MEMORY_STREAM,   /* mapped, coherent, written by the host every frame; device local where possible */
    SN_GPU_MEMORY_READBACK, /* mapped, cached: written by the device, read by the host */
    SN_GPU_MEMORY_STAGING   /* mapped, coherent, written by the host, copied once by the device; in host memory */
} sn_gpu_memory_class;

typedef struct sn_gpu_buffer {
    VkBuffer handle;
    sn_gpu_memory memory;
    VkDeviceSize size;
    void *mapped;     /* null for SN_GPU_MEMORY_DEVICE */
    bool is_coherent; /* else call sn_gpu_buffer_invalidate before reading readback memory */
} sn_gpu_buffer;

/* The memory type that a class prefers among those of `type_bits`; `choice`: 0 is the best, then fallbacks. UINT32_MAX
 * if there is none. */
uint32_t sn_gpu_find_memory_type(const sn_gpu_device *device, uint32_t type_bits, sn_gpu_memory_class memory_class,
                                 int choice);

/* A size of 0 creates a buffer of 16 bytes, so that it can be bound. Transfer usage is added for SN_GPU_MEMORY_DEVICE.
 * Errors: SN_ERROR_UNSUPPORTED (the storage buffer exceeds maxStorageBufferRange), SN_ERROR_MEMORY. */
sn_result sn_gpu_buffer_create(sn_gpu_device *device, const char *name, VkDeviceSize size, VkBufferUsageFlags usage,
                               sn_gpu_memory_class memory_class, sn_gpu_buffer *buffer);
/* Accepts a zeroed buffer; zeroes it. The device must not be using it. */
void sn_gpu_buffer_destroy(sn_gpu_device *device, sn_gpu_buffer *buffer);
/* Grows a buffer (or creates it if zeroed) to at least `size` bytes: doubles its size where the device limit allows.
 * The contents of device memory are copied. Waits for the device. */
sn_result sn_gpu_buffer_enlarge(sn_gpu_device *device, const char *name, VkDeviceSize size, VkBufferUsageFlags usage,
                                sn_gpu_memory_class memory_class, sn_gpu_buffer *buffer);
/* Makes device writes visible to the host. */
sn_result sn_gpu_buffer_invalidate(sn_gpu_device *device, const sn_gpu_buffer *buffer);

typedef struct sn_gpu_image_desc {
    const char *name;
    VkFormat format;
    uint32_t width, height;
    uint32_t mip_count;                 /* 0: the full chain */
    VkSampleCountFlagBits sample_count; /* 0: one sample */
    VkImageUsageFlags usage;
    VkImageAspectFlags aspect;
} sn_gpu_image_desc;

typedef struct sn_gpu_image {
    VkImage handle;
    sn_gpu_memory memory;
    VkImageView view;       /* all mips; null for an image that is used for transfers only */
    sn_gpu_image_desc desc; /* with defaults filled in; the name is not retained */
    uint64_t number;        /* unique among the images of the device, unlike handles */
} sn_gpu_image;

sn_result sn_gpu_image_create(sn_gpu_device *device, const sn_gpu_image_desc *desc, sn_gpu_image *image);
void sn_gpu_image_destroy(sn_gpu_device *device, sn_gpu_image *image);

/* Copies through a staging buffer and waits; for load time. */
sn_result sn_gpu_upload_buffer(sn_gpu_device *device, const sn_gpu_buffer *buffer, const void *bytes, size_t size);
sn_result sn_gpu_upload_range(sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize offset,
                              const void *bytes, size_t size);
/* Reads buffer contents written by earlier submissions. Waits for the device. */
sn_result sn_gpu_read_back(sn_gpu_device *device, const sn_gpu_buffer *buffer, VkDeviceSize offset, VkDeviceSize size,
                           void *bytes);
/* Creates a device buffer of `size` bytes and uploads them. */
sn_result sn_gpu_buffer_create_filled(sn_gpu_device *device, const char *name, const void *bytes, size_t size,
                                      VkBufferUsageFlags usage, sn_gpu_buffer *buffer);
/* Uploads mip 0 (RGBA8, width x height x 4 bytes), generates the smaller mips by linear blits (in linear light for sRGB
 * formats) and leaves the image ready for sampling. The image needs transfer source and destination usage. */
sn_result sn_gpu_upload_image(sn_gpu_device *device, const sn_gpu_image *image, const void *pixels);

#endif
