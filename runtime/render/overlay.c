/* SPDX-License-Identifier: MIT */
/* The overlay is drawn twice: first the parts behind bodies, faded, then the visible parts. Depth is tested per sample,
 * so that lines cut by a body have smooth edges. */
#include <stddef.h>

#include "runtime/render/private.h"

static const uint32_t overlay_vert[] =
#include "shaders/draw/overlay.vert.inc"
    ;
static const uint32_t overlay_frag[] =
#include "shaders/draw/overlay.frag.inc"
    ;

#define AT(member) (uint32_t) offsetof(sn_render_marker, member)

static const VkVertexInputBindingDescription marker_binding = {
    .binding = 0, .stride = sizeof(sn_render_marker), .inputRate = VK_VERTEX_INPUT_RATE_INSTANCE};
static const VkVertexInputAttributeDescription marker_attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, AT(from)}, {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, AT(to)},
    {2, 0, VK_FORMAT_R32G32_SFLOAT, AT(offset)},     {3, 0, VK_FORMAT_R32_UINT, AT(shape)},
    {4, 0, VK_FORMAT_R8G8B8A8_UNORM, AT(fill)},      {5, 0, VK_FORMAT_R8G8B8A8_UNORM, AT(edge)},
};
_Static_assert(AT(size) == AT(from) + 12 && AT(visible_depth) == AT(to) + 12, "read as one vector");

sn_result sn_render_overlay_pipelines(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                      sn_render_pipelines *pipelines)
{
    sn_result result = SN_OK;
    for (uint32_t is_hidden = 0; is_hidden < 2; ++is_hidden) {
        const sn_gpu_graphics_desc desc = {
            .name = is_hidden ? "render overlay hidden" : "render overlay",
            .layout = pipelines->layout,
            .vertex = SN_GPU_SHADER(overlay_vert),
            .fragment = SN_GPU_SHADER(overlay_frag),
            .vertex_bindings = &marker_binding,
            .vertex_binding_count = 1,
            .vertex_attributes = marker_attributes,
            .vertex_attribute_count = sizeof marker_attributes / sizeof marker_attributes[0],
            .constants = {is_hidden},
            .constant_count = 1,
            .color_format = VK_FORMAT_R8G8B8A8_SRGB,
            .depth_format = VK_FORMAT_D32_SFLOAT,
            .sample_count = sample_count,
            .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
            .depth_compare = is_hidden ? VK_COMPARE_OP_GREATER : VK_COMPARE_OP_LESS_OR_EQUAL,
            .is_depth_tested = true,
            .blend = SN_GPU_BLEND_PREMULTIPLIED,
        };
        result = result ? result : sn_gpu_graphics_create(device, &desc, &pipelines->overlay[is_hidden]);
    }
    return result;
}

void sn_render_record_overlay(const sn_render_pipelines *pipelines, const sn_render_frame *frame, int marker_count,
                              VkCommandBuffer commands)
{
    if (marker_count == 0) {
        return;
    }
    vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
    vkCmdBindVertexBuffers(commands, 0, 1, &frame->markers.handle, &(VkDeviceSize){0});
    for (int is_hidden = 1; is_hidden >= 0; --is_hidden) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines->overlay[is_hidden]);
        vkCmdDraw(commands, 6, (uint32_t)marker_count, 0, 0);
    }
}
