/* SPDX-License-Identifier: MIT */
/* Runs the vertex stage without rasterization, one instance per body, or the compute shader, a row of workgroups per
 * body. The results of one body are read back on request. */
#include <string.h>

#include "compute/core/commands.h"
#include "compute/core/timer.h"
#include "compute/skin/skin.h"
#include "shaders/shared/skin.h"

static const uint32_t vertex_shader[] =
#include "shaders/skin/capture.vert.inc"
    ;
static const uint32_t compute_shader[] =
#include "shaders/skin/capture.comp.inc"
    ;

typedef struct capture_constants {
    uint32_t bone_count, mode_count, morph_count, vertex_count;
    float diagonal;
} capture_constants;

#define FRAME_BINDING_COUNT 4
static const VkDescriptorType frame_types[FRAME_BINDING_COUNT] = {
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

struct sn_gpu_capture {
    sn_gpu_device *device;
    sn_gpu_capture_stage stage;
    VkDescriptorSetLayout frame_layout, weight_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    sn_gpu_timer timer;
    sn_gpu_surface surface;
    int body_count;
    sn_gpu_buffer transforms, morphs, captured, readback; /* readback: one body */
    sn_gpu_set frame;
};

static sn_result create_vertex_pipeline(sn_gpu_capture *c)
{
    const sn_gpu_graphics_desc desc = {.name = "capture",
                                       .layout = c->layout,
                                       .vertex = SN_GPU_SHADER(vertex_shader),
                                       .vertex_bindings = &sn_gpu_vertex_binding,
                                       .vertex_binding_count = 1,
                                       .vertex_attributes = sn_gpu_vertex_attributes,
                                       .vertex_attribute_count = 3,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                       .is_rasterizer_discarded = true};
    return sn_gpu_graphics_create(c->device, &desc, &c->pipeline);
}

static sn_result create_pipeline(sn_gpu_capture *c)
{
    sn_gpu_device *device = c->device;
    SN_TRY(sn_gpu_set_layout_create(device, "capture frame", VK_SHADER_STAGE_ALL, frame_types, FRAME_BINDING_COUNT,
                                    &c->frame_layout));
    SN_TRY(sn_gpu_skin_layout_create(device, &c->weight_layout));
    const VkDescriptorSetLayout sets[] = {c->frame_layout, c->weight_layout};
    SN_TRY(sn_gpu_pipeline_layout_create(device, "capture", VK_SHADER_STAGE_ALL, sets, 2, sizeof(capture_constants),
                                         &c->layout));
    return c->stage == SN_GPU_CAPTURE_COMPUTE
               ? sn_gpu_compute_create(device, "capture", c->layout, SN_GPU_SHADER(compute_shader), NULL, 0,
                                       &c->pipeline)
               : create_vertex_pipeline(c);
}

static size_t captured_bytes(int vertex_count)
{
    return (size_t)vertex_count * SN_CAPTURE_FLOATS * sizeof(float);
}

static sn_result create_buffers(sn_gpu_capture *c, const sn_model *model)
{
    sn_gpu_device *device = c->device;
    const size_t matrices = (size_t)model->counts.bone_count + (size_t)model->counts.mode_count;
    const size_t bodies = (size_t)c->body_count, body_bytes = captured_bytes(model->counts.surface_vertex_count);
    const sn_surface surface = sn_model_surface(model);
    SN_TRY(sn_gpu_surface_create(device, c->weight_layout, &surface, model->counts.bone_count, &c->surface));
    SN_TRY(sn_gpu_buffer_create(device, "capture transforms", bodies * matrices * 12 * sizeof(float),
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SN_GPU_MEMORY_STREAM, &c->transforms));
    SN_TRY(sn_gpu_buffer_create(device, "capture morphs", bodies * (size_t)model->counts.morph_count * sizeof(float),
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SN_GPU_MEMORY_STREAM, &c->morphs));
    SN_TRY(sn_gpu_buffer_create(device, "captured", bodies * body_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                SN_GPU_MEMORY_DEVICE, &c->captured));
    SN_TRY(sn_gpu_buffer_create(device, "captured body", body_bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                SN_GPU_MEMORY_READBACK, &c->readback));
    const sn_gpu_binding bindings[FRAME_BINDING_COUNT] = {{.buffer = c->captured.handle},
                                                          {.buffer = c->transforms.handle},
                                                          {.buffer = c->morphs.handle},
                                                          {.buffer = c->surface.vertices.handle}};
    return sn_gpu_set_create(device, "capture frame", c->frame_layout, frame_types, bindings, FRAME_BINDING_COUNT,
                             &c->frame);
}

static sn_result check_device(const sn_gpu_device *device, int body_count, sn_gpu_capture_stage stage)
{
    const uint32_t limit = device->properties.limits.maxComputeWorkGroupCount[1];
    if (stage == SN_GPU_CAPTURE_VERTEX && !device->features.vertexPipelineStoresAndAtomics) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: vertex shaders cannot write buffers", device->properties.deviceName);
    }
    if (stage == SN_GPU_CAPTURE_COMPUTE && (uint32_t)body_count > limit) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: a dispatch supports at most %u bodies, not %d",
                       device->properties.deviceName, limit, body_count);
    }
    return SN_OK;
}

sn_result sn_gpu_capture_create(sn_gpu_device *device, const sn_model *model, int body_count,
                                sn_gpu_capture_stage stage, sn_gpu_capture **capture)
{
    *capture = NULL;
    sn_result result = check_device(device, body_count, stage);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_capture *c = sn_alloc(1, sizeof *c);
    if (!c) {
        return SN_ERROR_MEMORY;
    }
    c->device = device;
    c->stage = stage;
    c->body_count = body_count;
    result = create_pipeline(c);
    if (result == SN_OK) {
        result = create_buffers(c, model);
    }
    if (result == SN_OK) {
        result = sn_gpu_timer_create(device, "capture", 1, &c->timer);
    }
    if (result != SN_OK) {
        sn_gpu_capture_destroy(&c);
    }
    *capture = c;
    return result;
}

void sn_gpu_capture_destroy(sn_gpu_capture **capture)
{
    sn_gpu_capture *c = *capture;
    if (!c) {
        return;
    }
    VkDevice device = c->device->handle;
    sn_gpu_set_destroy(c->device, &c->frame);
    sn_gpu_buffer_destroy(c->device, &c->readback);
    sn_gpu_buffer_destroy(c->device, &c->captured);
    sn_gpu_buffer_destroy(c->device, &c->transforms);
    sn_gpu_buffer_destroy(c->device, &c->morphs);
    sn_gpu_surface_destroy(c->device, &c->surface);
    sn_gpu_timer_destroy(c->device, &c->timer);
    vkDestroyPipeline(device, c->pipeline, NULL);
    vkDestroyPipelineLayout(device, c->layout, NULL);
    vkDestroyDescriptorSetLayout(device, c->weight_layout, NULL);
    vkDestroyDescriptorSetLayout(device, c->frame_layout, NULL);
    sn_free(c, 1, sizeof *c);
    *capture = NULL;
}

static void bind(const sn_gpu_capture *c, VkCommandBuffer commands, VkPipelineBindPoint point)
{
    const capture_constants constants = {(uint32_t)c->surface.bone_count, (uint32_t)c->surface.mode_count,
                                         (uint32_t)c->surface.morph_count, (uint32_t)c->surface.vertex_count,
                                         c->surface.diagonal};
    const VkDescriptorSet sets[] = {c->frame.handle, c->surface.weights.handle};
    vkCmdBindPipeline(commands, point, c->pipeline);
    vkCmdBindDescriptorSets(commands, point, c->layout, 0, 2, sets, 0, NULL);
    vkCmdPushConstants(commands, c->layout, VK_SHADER_STAGE_ALL, 0, sizeof constants, &constants);
}

static void record_dispatches(const sn_gpu_capture *c, VkCommandBuffer commands, int repeats)
{
    const uint32_t groups = ((uint32_t)c->surface.vertex_count + SN_CAPTURE_GROUP_SIZE - 1) / SN_CAPTURE_GROUP_SIZE;
    bind(c, commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    for (int i = 0; i < repeats; ++i) {
        sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE,
                       SN_GPU_SHADER_WRITE); /* software Vulkan measures up to the previous barrier */
        vkCmdDispatch(commands, groups, (uint32_t)c->body_count, 1);
    }
}

static void record_draws(const sn_gpu_capture *c, VkCommandBuffer commands, int repeats)
{
    const VkRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {.extent = {1, 1}}, .layerCount = 1};
    const VkDeviceSize offset = 0;
    vkCmdBeginRendering(commands, &rendering);
    bind(c, commands, VK_PIPELINE_BIND_POINT_GRAPHICS);
    vkCmdSetViewport(commands, 0, 1, &(VkViewport){.width = 1, .height = 1, .maxDepth = 1});
    vkCmdSetScissor(commands, 0, 1, &(VkRect2D){.extent = {1, 1}});
    vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
    vkCmdBindVertexBuffers(commands, 0, 1, &c->surface.vertices.handle, &offset);
    for (int i = 0; i < repeats; ++i) {
        vkCmdDraw(commands, (uint32_t)c->surface.vertex_count, (uint32_t)c->body_count, 0, 0);
    }
    vkCmdEndRendering(commands);
}

sn_result sn_gpu_capture_run(sn_gpu_capture *c, const float *transforms, const float *morphs, int repeats,
                             double *seconds)
{
    const size_t bodies = (size_t)c->body_count, morph_count = (size_t)c->surface.morph_count;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    memcpy(c->transforms.mapped, transforms,
           bodies * ((size_t)c->surface.bone_count + (size_t)c->surface.mode_count) * 12 * sizeof(float));
    if (morph_count > 0) {
        memcpy(c->morphs.mapped, morphs, bodies * morph_count * sizeof(float));
    }
    sn_result result = sn_gpu_begin(c->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_timer_begin(&c->timer, commands, 0);
    if (c->stage == SN_GPU_CAPTURE_COMPUTE) {
        record_dispatches(c, commands, repeats);
    } else {
        record_draws(c, commands, repeats);
    }
    sn_gpu_timer_end(&c->timer, commands, 0);
    result = sn_gpu_submit(c->device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(c->device, value);
    }
    return result == SN_OK && seconds ? sn_gpu_timer_read(c->device, &c->timer, 0, seconds) : result;
}

static sn_result copy_body(sn_gpu_capture *c, int body)
{
    const VkDeviceSize size = captured_bytes(c->surface.vertex_count);
    const VkBufferCopy region = {.srcOffset = (VkDeviceSize)body * size, .size = size};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = sn_gpu_begin(c->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(commands, c->captured.handle, c->readback.handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    result = sn_gpu_submit(c->device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(c->device, value);
    }
    return result == SN_OK ? sn_gpu_buffer_invalidate(c->device, &c->readback) : result;
}

sn_result sn_gpu_capture_read(sn_gpu_capture *c, int body, const sn_gpu_captured *captured)
{
    SN_ASSERT(body >= 0 && body < c->body_count);
    SN_TRY(copy_body(c, body));
    const float *from = c->readback.mapped;
    for (int v = 0; v < c->surface.vertex_count; ++v, from += SN_CAPTURE_FLOATS) {
        memcpy(captured->positions + 3 * (size_t)v, from, 3 * sizeof(float));
        memcpy(captured->normals + 3 * (size_t)v, from + 3, 3 * sizeof(float));
        memcpy(captured->tangents + 3 * (size_t)v, from + 6, 3 * sizeof(float));
    }
    return SN_OK;
}
