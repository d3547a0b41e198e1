/* SPDX-License-Identifier: MIT */
/* Layouts and compute pipelines that the solvers of a device share. Each is created once, since software Vulkan takes
 * seconds to compile a pipeline, and is destroyed with the device only. */
#ifndef SN_COMPUTE_CORE_SHARED_H
#define SN_COMPUTE_CORE_SHARED_H

#include "compute/core/pipeline.h"

/* Layout of a set of `count` storage buffers, visible to compute shaders. */
sn_result sn_gpu_shared_set_layout(sn_gpu_device *device, int count, VkDescriptorSetLayout *layout);
/* Layout of a pipeline that uses such sets; push constants are pushed with VK_SHADER_STAGE_COMPUTE_BIT.
 * SN_ERROR_UNSUPPORTED if the sets together have more buffers than a shader of the device can access. */
sn_result sn_gpu_shared_pipeline_layout(sn_gpu_device *device, const char *name, const VkDescriptorSetLayout *sets,
                                        int set_count, size_t push_constant_bytes, VkPipelineLayout *layout);
/* A pipeline with such a layout. Shaders are compared by address: their code is embedded by the build. */
sn_result sn_gpu_shared_compute_pipeline(sn_gpu_device *device, const char *name, VkPipelineLayout layout,
                                         sn_gpu_shader shader, const uint32_t *constants, int constant_count,
                                         VkPipeline *pipeline);

/* Storage buffers that a compute shader of the device can access. */
uint32_t sn_gpu_storage_buffer_limit(const sn_gpu_device *device);

/* Capacity, in items of workgroup shared memory, of a pipeline for a model that needs `count` of at most `max` items
 * (count <= most): `count` rounded up to a multiple of `step`, so that similar models share a pipeline. On software
 * Vulkan it is max / 2 or `max`, since compilation is slow there and shared memory does not limit occupancy. */
uint32_t sn_gpu_shared_capacity(const sn_gpu_device *device, uint32_t count, uint32_t step, uint32_t max);

/* Destroys all shared objects; called when the device is destroyed. */
void sn_gpu_shared_finish(sn_gpu_device *device);

#endif
