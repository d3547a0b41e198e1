/* SPDX-License-Identifier: MIT */
/* The storage buffers of a solver: each grows by itself, one descriptor set binds them all. */
#ifndef SN_COMPUTE_CORE_BUFFER_SET_H
#define SN_COMPUTE_CORE_BUFFER_SET_H

#include "compute/core/memory.h"
#include "compute/core/pipeline.h"

typedef struct sn_gpu_buffer_desc {
    const char *name;
    sn_gpu_memory_kind kind;
} sn_gpu_buffer_desc;

/* Sees to it that a buffer has `size` bytes; what lies in device memory stays. Where another takes its place, which
 * waits for the device, the set is destroyed: it is to be bound again. */
sn_result sn_gpu_buffer_set_enlarge(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, VkDeviceSize size,
                                    sn_gpu_buffer *buffer, sn_gpu_set *set);
/* Items at the end of device memory, of which *used are taken. Waits for the device. */
sn_result sn_gpu_buffer_set_append(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, const void *items,
                                   uint32_t count, size_t size, uint32_t *used, sn_gpu_buffer *buffer, sn_gpu_set *set);
/* Room in a stream buffer for so many items of each of `recordings`; *room: how many there are. */
sn_result sn_gpu_buffer_set_make_room(sn_gpu_device *device, const sn_gpu_buffer_desc *desc, int recordings,
                                      uint32_t count, size_t size, uint32_t *room, sn_gpu_buffer *buffer,
                                      sn_gpu_set *set);
/* The set for the buffers (count) as they are, where there is none. */
sn_result sn_gpu_buffer_set_bind(sn_gpu_device *device, const char *name, VkDescriptorSetLayout layout,
                                 const sn_gpu_buffer *buffers, int count, sn_gpu_set *set);

#endif
