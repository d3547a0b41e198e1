/* SPDX-License-Identifier: MIT */
/* Command buffers on one timeline: submission n signals n, and a command buffer is used again once its n is reached.
 * Barriers: one access enum, one function for images and one for memory. */
#ifndef SN_COMPUTE_CORE_COMMANDS_H
#define SN_COMPUTE_CORE_COMMANDS_H

#include "compute/core/memory.h"

/* Begins a command buffer for one submission. */
sn_result sn_gpu_begin(sn_gpu_device *device, VkCommandBuffer *commands);
/* Ends and submits what sn_gpu_begin began; *value is what sn_gpu_wait takes (may be null). On failure the command
 * buffer is given back all the same. */
sn_result sn_gpu_submit(sn_gpu_device *device, VkCommandBuffer commands, uint64_t *value);
/* The same for what a presentation engine takes part in: waits for one binary semaphore, signals another; each may be
 * null. */
sn_result sn_gpu_submit_between(sn_gpu_device *device, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal,
                                uint64_t *value);
/* Gives a begun command buffer back without running it. */
void sn_gpu_discard(sn_gpu_device *device, VkCommandBuffer commands);
/* Returns once the submission with this value, and all before it, are done. */
sn_result sn_gpu_wait(sn_gpu_device *device, uint64_t value);

/* The timeline and the list of command buffers; the device calls these. */
sn_result sn_gpu_commands_init(sn_gpu_device *device);
void sn_gpu_commands_finish(sn_gpu_device *device);

/* What a resource is used for; each maps to stages, accesses and, for images, a layout. */
typedef enum sn_gpu_access {
    SN_GPU_NONE, /* only before: contents are thrown away, after all earlier work is done with them */
    SN_GPU_TRANSFER_READ,
    SN_GPU_TRANSFER_WRITE,
    SN_GPU_SHADER_READ,  /* sampled images, uniform and storage buffers, vertex and index input; every stage */
    SN_GPU_SHADER_WRITE, /* storage; every stage; also reads */
    SN_GPU_COLOR_WRITE,  /* attachment, also as the target of a resolve */
    SN_GPU_DEPTH_WRITE,  /* attachment, tests included; VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL */
    SN_GPU_HOST_READ,
    SN_GPU_PRESENT,
    SN_GPU_ACCESS_COUNT
} sn_gpu_access;

/* All mips. */
void sn_gpu_barrier_image(VkCommandBuffer commands, const sn_gpu_image *image, sn_gpu_access before,
                          sn_gpu_access after);
void sn_gpu_barrier_mips(VkCommandBuffer commands, const sn_gpu_image *image, uint32_t first_mip, uint32_t mip_count,
                         sn_gpu_access before, sn_gpu_access after);
/* The whole of one image to another of its size, both without more mips and in the access of transfers: byte by byte,
 * or as colours. */
void sn_gpu_copy_image(VkCommandBuffer commands, const sn_gpu_image *from, const sn_gpu_image *to);
void sn_gpu_blit_image(VkCommandBuffer commands, const sn_gpu_image *from, const sn_gpu_image *to);
/* For buffers: a memory barrier. */
void sn_gpu_barrier(VkCommandBuffer commands, sn_gpu_access before, sn_gpu_access after);

#endif
