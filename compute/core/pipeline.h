/* SPDX-License-Identifier: MIT */
/* Pipelines and descriptor sets. */
#ifndef SN_COMPUTE_CORE_PIPELINE_H
#define SN_COMPUTE_CORE_PIPELINE_H

#include "compute/core/device.h"

/* SPIR-V that the build embedded: static const uint32_t code[] = #include "shaders/<path>.inc" */
typedef struct sn_gpu_shader {
    const uint32_t *code;
    size_t size; /* bytes */
} sn_gpu_shader;
#define SN_GPU_SHADER(array) ((sn_gpu_shader){(array), sizeof(array)})

#define SN_GPU_SET_LIMIT 4
#define SN_GPU_BINDING_LIMIT 16
#define SN_GPU_CONSTANT_LIMIT 8

/* Binding i of the set has type types[i], one descriptor each, visible to `stages`. */
sn_result sn_gpu_set_layout_create(sn_gpu_device *device, const char *name, VkShaderStageFlags stages,
                                   const VkDescriptorType *types, int count, VkDescriptorSetLayout *layout);

typedef struct sn_gpu_binding {
    VkBuffer buffer; /* for buffers; the whole buffer if size is 0 */
    VkDeviceSize offset, size;
    VkImageView view; /* for images, in the layout of SN_GPU_SHADER_READ */
    VkSampler sampler;
} sn_gpu_binding;

/* A descriptor set with its own pool, written once. */
typedef struct sn_gpu_set {
    VkDescriptorPool pool;
    VkDescriptorSet handle;
} sn_gpu_set;
sn_result sn_gpu_set_create(sn_gpu_device *device, const char *name, VkDescriptorSetLayout layout,
                            const VkDescriptorType *types, const sn_gpu_binding *bindings, int count, sn_gpu_set *set);
void sn_gpu_set_destroy(sn_gpu_device *device, sn_gpu_set *set);

/* Push constants, if any, start at offset 0 and are visible to `stages`, with which they are pushed; at most 128 bytes.
 */
sn_result sn_gpu_pipeline_layout_create(sn_gpu_device *device, const char *name, VkShaderStageFlags stages,
                                        const VkDescriptorSetLayout *sets, int set_count, size_t push_constant_bytes,
                                        VkPipelineLayout *layout);

typedef enum sn_gpu_blend { SN_GPU_BLEND_NONE, SN_GPU_BLEND_PREMULTIPLIED } sn_gpu_blend;

typedef struct sn_gpu_graphics_desc {
    const char *name;
    VkPipelineLayout layout;
    sn_gpu_shader vertex, fragment; /* code is null: no fragment shader */
    const VkVertexInputBindingDescription *vertex_bindings;
    int vertex_binding_count;
    const VkVertexInputAttributeDescription *vertex_attributes;
    int vertex_attribute_count;
    uint32_t constants[SN_GPU_CONSTANT_LIMIT]; /* specialization constants 0 .. constant_count - 1, of both stages */
    int constant_count;
    VkFormat color_format; /* VK_FORMAT_UNDEFINED: no color attachment */
    VkFormat depth_format;
    VkSampleCountFlagBits sample_count; /* 0: one sample */
    VkPrimitiveTopology topology;       /* 0 is a point list */
    /* cull mode, viewport and scissor are dynamic; front faces are counter-clockwise on screen */
    VkCompareOp depth_compare;
    bool is_depth_tested, is_depth_written, is_rasterizer_discarded, has_alpha_to_coverage;
    float depth_bias, depth_bias_slope;
    sn_gpu_blend blend;
} sn_gpu_graphics_desc;

sn_result sn_gpu_graphics_create(sn_gpu_device *device, const sn_gpu_graphics_desc *desc, VkPipeline *pipeline);

/* constants: specialization constants 0 .. constant_count - 1. SN_ERROR_UNSUPPORTED if the shader declares more shared
 * memory than the device has. */
sn_result sn_gpu_compute_create(sn_gpu_device *device, const char *name, VkPipelineLayout layout, sn_gpu_shader shader,
                                const uint32_t *constants, int constant_count, VkPipeline *pipeline);

#endif
