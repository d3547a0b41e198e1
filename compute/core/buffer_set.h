/* SPDX-License-Identifier: MIT */
/* The storage buffers of a solver. Each grows separately; one descriptor set binds them all. */
#ifndef SN_COMPUTE_CORE_BUFFER_SET_H
#define SN_COMPUTE_CORE_BUFFER_SET_H

#include "compute/core/memory.h"
#include "compute/core/pipeline.h"

typedef struct sn_gpu_buffer_desc {
    const char *name;
    sn_gpu_memory_class memory_class;
} sn_gpu_buffer_desc;

/* Grows the buffer to at least `size` bytes. The contents of device memory are preserved. When the buffer is
 * reallocated, the function waits for the device and destroys the descriptor set, which must then be bound again. */
sn_result sn_gpu_buffer_set_enlarge(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, VkDeviceSize size,
                                    sn_gpu_buffer *buffer, sn_gpu_set *set);
/* Appends items to a buffer in device memory. *used is the item count and is advanced. Waits for the device. */
sn_result sn_gpu_buffer_set_append(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, const void *items,
                                   uint32_t count, size_t size, uint32_t *used, sn_gpu_buffer *buffer, sn_gpu_set *set);
/* Reserves space for `count` items for each of `recordings` in a stream buffer. *capacity receives the capacity per
 * recording. */
sn_result sn_gpu_buffer_set_reserve(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, int recordings,
                                    uint32_t count, size_t size, uint32_t *capacity, sn_gpu_buffer *buffer,
                                    sn_gpu_set *set);
/* Creates the descriptor set of the buffers (count) if it does not exist. */
sn_result sn_gpu_buffer_set_bind(sn_gpu_device *device, const char *name, VkDescriptorSetLayout layout,
                                 const sn_gpu_buffer *buffers, int count, sn_gpu_set *set);

#endif
