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

#endif
