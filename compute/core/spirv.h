/* SPDX-License-Identifier: MIT */
/* Reads what a pipeline needs to know about a compute shader from its SPIR-V. */
#ifndef SN_COMPUTE_CORE_SPIRV_H
#define SN_COMPUTE_CORE_SPIRV_H

#include "compute/core/pipeline.h"

/* Bytes of shared memory that the shader declares with these specialization constants (0 .. constant_count - 1; others
 * have their defaults), including padding. Vulkan counts declared variables, whether they are accessed or not. Errors:
 * SN_ERROR_UNSUPPORTED (an array length is an expression that is not evaluated here), SN_ERROR_MEMORY. */
sn_result sn_gpu_shader_shared_bytes(const char *name, sn_gpu_shader shader, const uint32_t *constants,
                                     int constant_count, uint64_t *bytes);

#endif
