/* SPDX-License-Identifier: MIT */
/* What solvers of one device have in common: layouts and compute pipelines, each made once, and kept until the device
 * goes. Software Vulkan takes seconds for a pipeline. Nobody but the device destroys them. */
#ifndef SN_COMPUTE_CORE_SHARED_H
#define SN_COMPUTE_CORE_SHARED_H

#include "compute/core/pipeline.h"

/* Of a set of `count` storage buffers. */
sn_result sn_gpu_share_set_layout(sn_gpu_device *device, int count, VkDescriptorSetLayout *layout);
/* Of such sets. */
sn_result sn_gpu_share_layout(sn_gpu_device *device, const char *name, const VkDescriptorSetLayout *sets, int set_count,
                              size_t push_constant_bytes, VkPipelineLayout *layout);
/* With such a layout. The shader is known by its address: code that the build embedded. */
sn_result sn_gpu_share_compute(sn_gpu_device *device, const char *name, VkPipelineLayout layout, sn_gpu_shader shader,
                               const uint32_t *constants, int constant_count, VkPipeline *pipeline);

/* For how many of something in shared memory a pipeline is made that needs `count`, of `most` (>= count) at a time: the
 * next multiple of `step`, so that similar models share one. On software Vulkan half of `most`, or all: a pipeline
 * takes it seconds, and no workgroup waits for another's memory. */
uint32_t sn_gpu_shared_room(const sn_gpu_device *device, uint32_t count, uint32_t step, uint32_t most);

/* Destroys it all; who destroys the device calls it. */
void sn_gpu_shared_finish(sn_gpu_device *device);

#endif
