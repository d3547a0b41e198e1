/* SPDX-License-Identifier: MIT */
#include "compute/core/pipeline.h"

#include "compute/core/spirv.h"

sn_result sn_gpu_set_layout_create(sn_gpu_device *device, const char *name, VkShaderStageFlags stages,
                                   const VkDescriptorType *types, int count, VkDescriptorSetLayout *layout)
{
    SN_ASSERT(count >= 0 && count <= SN_GPU_BINDING_LIMIT);
    VkDescriptorSetLayoutBinding bindings[SN_GPU_BINDING_LIMIT];
    for (int i = 0; i < count; ++i) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = (uint32_t)i, .descriptorType = types[i], .descriptorCount = 1, .stageFlags = stages};
    }
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .bindingCount = (uint32_t)count,
                                                  .pBindings = bindings};
    sn_result result = SN_OK;
    *layout = VK_NULL_HANDLE;
    SN_VK_OF(name, vkCreateDescriptorSetLayout(device->handle, &info, NULL, layout));
    sn_gpu_name(device, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, (uint64_t)*layout, name);
done:
    return result;
}

static sn_result create_pool(sn_gpu_device *device, const char *name, const VkDescriptorType *types, int count,
                             VkDescriptorPool *pool)
{
    VkDescriptorPoolSize sizes[SN_GPU_BINDING_LIMIT];
    for (int i = 0; i < count; ++i) {
        sizes[i] = (VkDescriptorPoolSize){types[i], 1};
    }
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = (uint32_t)count,
                                             .pPoolSizes = sizes};
    sn_result result = SN_OK;
    SN_VK_OF(name, vkCreateDescriptorPool(device->handle, &info, NULL, pool));
    sn_gpu_name(device, VK_OBJECT_TYPE_DESCRIPTOR_POOL, (uint64_t)*pool, name);
done:
    return result;
}

/* Vulkan reads the member that matches the descriptor type, so both are filled. */
static void write_set(sn_gpu_device *device, VkDescriptorSet set, const VkDescriptorType *types,
                      const sn_gpu_binding *bindings, int count)
{
    VkDescriptorBufferInfo buffers[SN_GPU_BINDING_LIMIT];
    VkDescriptorImageInfo images[SN_GPU_BINDING_LIMIT];
    VkWriteDescriptorSet writes[SN_GPU_BINDING_LIMIT];
    for (int i = 0; i < count; ++i) {
        const sn_gpu_binding *b = &bindings[i];
        const bool is_storage_image = types[i] == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        buffers[i] = (VkDescriptorBufferInfo){b->buffer, b->offset, b->size > 0 ? b->size : VK_WHOLE_SIZE};
        images[i] = (VkDescriptorImageInfo){
            b->sampler, b->view, is_storage_image ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = (uint32_t)i,
                                           .descriptorCount = 1,
                                           .descriptorType = types[i],
                                           .pImageInfo = &images[i],
                                           .pBufferInfo = &buffers[i]};
    }
    vkUpdateDescriptorSets(device->handle, (uint32_t)count, writes, 0, NULL);
}

sn_result sn_gpu_set_create(sn_gpu_device *device, const char *name, VkDescriptorSetLayout layout,
                            const VkDescriptorType *types, const sn_gpu_binding *bindings, int count, sn_gpu_set *set)
{
    SN_ASSERT(count > 0 && count <= SN_GPU_BINDING_LIMIT);
    *set = (sn_gpu_set){0};
    sn_result result = create_pool(device, name, types, count, &set->pool);
    if (result != SN_OK) {
        return result;
    }
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = set->pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &layout};
    SN_VK_OF(name, vkAllocateDescriptorSets(device->handle, &info, &set->handle));
    sn_gpu_name(device, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)set->handle, name);
    write_set(device, set->handle, types, bindings, count);
done:
    if (result != SN_OK) {
        sn_gpu_set_destroy(device, set);
    }
    return result;
}

/* Destroying the pool frees its set. */
void sn_gpu_set_destroy(sn_gpu_device *device, sn_gpu_set *set)
{
    vkDestroyDescriptorPool(device->handle, set->pool, NULL);
    *set = (sn_gpu_set){0};
}

sn_result sn_gpu_pipeline_layout_create(sn_gpu_device *device, const char *name, VkShaderStageFlags stages,
                                        const VkDescriptorSetLayout *sets, int set_count, size_t push_constant_bytes,
                                        VkPipelineLayout *layout)
{
    SN_ASSERT(set_count >= 0 && set_count <= SN_GPU_SET_LIMIT && push_constant_bytes <= 128);
    const VkPushConstantRange range = {stages, 0, (uint32_t)push_constant_bytes};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = (uint32_t)set_count,
                                             .pSetLayouts = sets,
                                             .pushConstantRangeCount = push_constant_bytes > 0,
                                             .pPushConstantRanges = &range};
    sn_result result = SN_OK;
    *layout = VK_NULL_HANDLE;
    SN_VK_OF(name, vkCreatePipelineLayout(device->handle, &info, NULL, layout));
    sn_gpu_name(device, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)*layout, name);
done:
    return result;
}

/* The module is needed only while the pipeline is created. */
static sn_result create_module(sn_gpu_device *device, const char *name, sn_gpu_shader shader, VkShaderModule *module)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = shader.size, .pCode = shader.code};
    sn_result result = SN_OK;
    SN_VK_OF(name, vkCreateShaderModule(device->handle, &info, NULL, module));
    sn_gpu_name(device, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)*module, name);
done:
    return result;
}

static VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, VkShaderModule module,
                                                  const VkSpecializationInfo *constants)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage,
                                             .module = module,
                                             .pName = "main",
                                             .pSpecializationInfo = constants};
}

/* Constant i lies at offset 4 i: int, uint, float and bool all have 4 bytes. */
static VkSpecializationInfo constant_info(const uint32_t *constants, int count, VkSpecializationMapEntry *entries)
{
    SN_ASSERT(count >= 0 && count <= SN_GPU_CONSTANT_LIMIT);
    for (uint32_t i = 0; i < SN_GPU_CONSTANT_LIMIT; ++i) {
        entries[i] = (VkSpecializationMapEntry){i, 4 * i, 4};
    }
    return (VkSpecializationInfo){
        .mapEntryCount = (uint32_t)count, .pMapEntries = entries, .dataSize = 4 * (size_t)count, .pData = constants};
}

static VkPipelineVertexInputStateCreateInfo vertex_input_info(const sn_gpu_graphics_desc *desc)
{
    return (VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                  .vertexBindingDescriptionCount = (uint32_t)desc->vertex_binding_count,
                                                  .pVertexBindingDescriptions = desc->vertex_bindings,
                                                  .vertexAttributeDescriptionCount =
                                                      (uint32_t)desc->vertex_attribute_count,
                                                  .pVertexAttributeDescriptions = desc->vertex_attributes};
}

static VkPipelineRasterizationStateCreateInfo rasterization_info(const sn_gpu_graphics_desc *desc)
{
    return (VkPipelineRasterizationStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                    .rasterizerDiscardEnable = desc->is_rasterizer_discarded,
                                                    .polygonMode = VK_POLYGON_MODE_FILL,
                                                    .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
                                                    .depthBiasEnable =
                                                        desc->depth_bias != 0 || desc->depth_bias_slope != 0,
                                                    .depthBiasConstantFactor = desc->depth_bias,
                                                    .depthBiasSlopeFactor = desc->depth_bias_slope,
                                                    .lineWidth = 1};
}

static VkPipelineDepthStencilStateCreateInfo depth_info(const sn_gpu_graphics_desc *desc)
{
    return (VkPipelineDepthStencilStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = desc->is_depth_tested,
                                                   .depthWriteEnable = desc->is_depth_written,
                                                   .depthCompareOp = desc->depth_compare};
}

static VkPipelineColorBlendAttachmentState blend_info(sn_gpu_blend blend)
{
    return (VkPipelineColorBlendAttachmentState){.blendEnable = blend == SN_GPU_BLEND_PREMULTIPLIED,
                                                 .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                 .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                 .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                 .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                 .colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                                                   VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
}

static VkResult create_graphics(sn_gpu_device *device, const sn_gpu_graphics_desc *desc,
                                const VkPipelineShaderStageCreateInfo *stages, uint32_t stage_count,
                                VkPipeline *pipeline)
{
    static const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                                    VK_DYNAMIC_STATE_CULL_MODE};
    const uint32_t color_count = desc->color_format != VK_FORMAT_UNDEFINED;
    const VkPipelineVertexInputStateCreateInfo vertex_input = vertex_input_info(desc);
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = desc->topology};
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    const VkPipelineRasterizationStateCreateInfo rasterization = rasterization_info(desc);
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = desc->sample_count > 0 ? desc->sample_count : VK_SAMPLE_COUNT_1_BIT,
        .alphaToCoverageEnable = desc->has_alpha_to_coverage};
    const VkPipelineDepthStencilStateCreateInfo depth = depth_info(desc);
    const VkPipelineColorBlendAttachmentState attachment = blend_info(desc->blend);
    const VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = color_count,
                                                       .pAttachments = &attachment};
    const VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                      .dynamicStateCount =
                                                          sizeof dynamic_states / sizeof(VkDynamicState),
                                                      .pDynamicStates = dynamic_states};
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = color_count,
                                                     .pColorAttachmentFormats = &desc->color_format,
                                                     .depthAttachmentFormat = desc->depth_format};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &rendering,
                                               .stageCount = stage_count,
                                               .pStages = stages,
                                               .pVertexInputState = &vertex_input,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &viewport,
                                               .pRasterizationState = &rasterization,
                                               .pMultisampleState = &multisample,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blend,
                                               .pDynamicState = &dynamic,
                                               .layout = desc->layout};
    return vkCreateGraphicsPipelines(device->handle, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

sn_result sn_gpu_graphics_create(sn_gpu_device *device, const sn_gpu_graphics_desc *desc, VkPipeline *pipeline)
{
    VkShaderModule vertex = VK_NULL_HANDLE, fragment = VK_NULL_HANDLE;
    VkSpecializationMapEntry entries[SN_GPU_CONSTANT_LIMIT];
    const VkSpecializationInfo constants = constant_info(desc->constants, desc->constant_count, entries);
    *pipeline = VK_NULL_HANDLE;
    sn_result result = create_module(device, desc->name, desc->vertex, &vertex);
    if (result == SN_OK && desc->fragment.code) {
        result = create_module(device, desc->name, desc->fragment, &fragment);
    }
    if (result != SN_OK) {
        goto done;
    }
    const VkPipelineShaderStageCreateInfo stages[] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, vertex, &constants),
                                                      stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, fragment, &constants)};
    SN_VK_OF(desc->name, create_graphics(device, desc, stages, fragment ? 2 : 1, pipeline));
    sn_gpu_name(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)*pipeline, desc->name);
done:
    vkDestroyShaderModule(device->handle, vertex, NULL);
    vkDestroyShaderModule(device->handle, fragment, NULL);
    return result;
}

/* Drivers may accept a shader that exceeds the limit and fail later. */
static sn_result check_shared_memory(const sn_gpu_device *device, const char *name, sn_gpu_shader shader,
                                     const uint32_t *constants, int constant_count)
{
    const uint32_t limit = device->properties.limits.maxComputeSharedMemorySize;
    uint64_t bytes = 0;
    SN_TRY(sn_gpu_shader_shared_bytes(name, shader, constants, constant_count, &bytes));
    if (bytes > limit) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: needs %llu bytes of shared memory; the device has %u", name,
                       (unsigned long long)bytes, limit);
    }
    return SN_OK;
}

/* There is no VkPipelineCache: Mesa's software Vulkan leaves it empty and has its own cache on disk. Pipelines of
 * solvers are shared by shared.h. */
sn_result sn_gpu_compute_create(sn_gpu_device *device, const char *name, VkPipelineLayout layout, sn_gpu_shader shader,
                                const uint32_t *constants, int constant_count, VkPipeline *pipeline)
{
    VkShaderModule module = VK_NULL_HANDLE;
    VkSpecializationMapEntry entries[SN_GPU_CONSTANT_LIMIT];
    const VkSpecializationInfo specialization = constant_info(constants, constant_count, entries);
    *pipeline = VK_NULL_HANDLE;
    sn_result result = check_shared_memory(device, name, shader, constants, constant_count);
    if (result == SN_OK) {
        result = create_module(device, name, shader, &module);
    }
    if (result != SN_OK) {
        return result;
    }
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module, &specialization),
                                              .layout = layout};
    SN_VK_OF(name, vkCreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info, NULL, pipeline));
    sn_gpu_name(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)*pipeline, name);
done:
    vkDestroyShaderModule(device->handle, module, NULL);
    return result;
}
