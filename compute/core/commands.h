/* SPDX-License-Identifier: MIT */
/* Command buffers on one timeline semaphore: submission n signals n, and a command buffer is reused once its n is
 * reached. Barriers are described by one access enum. */
#ifndef SN_COMPUTE_CORE_COMMANDS_H
#define SN_COMPUTE_CORE_COMMANDS_H

#include "compute/core/memory.h"

/* Begins a command buffer for one submission. */
sn_result sn_gpu_begin(sn_gpu_device *device, VkCommandBuffer *commands);
/* Ends and submits a command buffer of sn_gpu_begin. *value is the argument for sn_gpu_wait (may be null). On failure
 * the command buffer is released as well. */
sn_result sn_gpu_submit(sn_gpu_device *device, VkCommandBuffer commands, uint64_t *value);
/* As sn_gpu_submit, and waits for one binary semaphore and signals another, for presentation. Each may be null. */
sn_result sn_gpu_submit_between(sn_gpu_device *device, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal,
                                uint64_t *value);
/* Releases a begun command buffer without submitting it. */
void sn_gpu_discard(sn_gpu_device *device, VkCommandBuffer commands);
/* Waits until the submission with this value, and all earlier ones, have completed. */
sn_result sn_gpu_wait(sn_gpu_device *device, uint64_t value);

/* The timeline and the list of command buffers; called by the device only. */
sn_result sn_gpu_commands_init(sn_gpu_device *device);
void sn_gpu_commands_finish(sn_gpu_device *device);

/* How a resource is used; each value maps to stages, accesses and, for images, a layout. */
typedef enum sn_gpu_access {
    SN_GPU_NONE, /* only as `before`: discards the contents, after all earlier work */
    SN_GPU_TRANSFER_READ,
    SN_GPU_TRANSFER_WRITE,
    SN_GPU_SHADER_READ,  /* sampled images, uniform and storage buffers, vertex and index input; every stage */
    SN_GPU_SHADER_WRITE, /* storage; every stage; also reads */
    SN_GPU_COLOR_WRITE,  /* attachment, also as the target of a resolve */
    SN_GPU_DEPTH_WRITE,  /* attachment, including tests; VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL */
    SN_GPU_HOST_READ,
    SN_GPU_PRESENT,
    SN_GPU_ACCESS_COUNT
} sn_gpu_access;

/* All mips. */
void sn_gpu_barrier_image(VkCommandBuffer commands, const sn_gpu_image *image, sn_gpu_access before,
                          sn_gpu_access after);
void sn_gpu_barrier_mips(VkCommandBuffer commands, const sn_gpu_image *image, uint32_t first_mip, uint32_t mip_count,
                         sn_gpu_access before, sn_gpu_access after);
/* Copies one image to another of the same size, byte by byte or with format conversion. Both have one mip and are in
 * the transfer access. */
void sn_gpu_copy_image(VkCommandBuffer commands, const sn_gpu_image *from, const sn_gpu_image *to);
void sn_gpu_blit_image(VkCommandBuffer commands, const sn_gpu_image *from, const sn_gpu_image *to);
/* A global memory barrier, for buffers. */
void sn_gpu_barrier(VkCommandBuffer commands, sn_gpu_access before, sn_gpu_access after);

#endif
