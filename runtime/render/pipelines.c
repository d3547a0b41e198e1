/* SPDX-License-Identifier: MIT */
/* Layouts and pipelines. All pipelines share one layout: frame, weights, material, and the push constants of a body. */
#include "runtime/render/private.h"

static const uint32_t depth_vert[] =
#include "shaders/draw/depth.vert.inc"
    ;
static const uint32_t depth_mask_vert[] =
#include "shaders/draw/depth_mask.vert.inc"
    ;
static const uint32_t depth_mask_frag[] =
#include "shaders/draw/depth_mask.frag.inc"
    ;
static const uint32_t body_vert[] =
#include "shaders/draw/body.vert.inc"
    ;
static const uint32_t body_frag[] =
#include "shaders/draw/body.frag.inc"
    ;
static const uint32_t cover_frag[] =
#include "shaders/draw/cover.frag.inc"
    ;
static const uint32_t ground_vert[] =
#include "shaders/draw/ground.vert.inc"
    ;
static const uint32_t ground_frag[] =
#include "shaders/draw/ground.frag.inc"
    ;
static const uint32_t background_vert[] =
#include "shaders/draw/background.vert.inc"
    ;
static const uint32_t background_frag[] =
#include "shaders/draw/background.frag.inc"
    ;

const VkDescriptorType sn_frame_binding_types[SN_FRAME_BINDING_COUNT] = {
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
#define SN_TEXTURE_BINDING VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
const VkDescriptorType sn_material_binding_types[SN_MATERIAL_BINDING_COUNT] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING,
                                                                               SN_TEXTURE_BINDING};

static sn_result create_layouts(sn_gpu_device *device, sn_render_pipelines *p)
{
    SN_TRY(sn_gpu_set_layout_create(device, "render frame", VK_SHADER_STAGE_ALL, sn_frame_binding_types,
                                    SN_FRAME_BINDING_COUNT, &p->frame_set));
    SN_TRY(sn_gpu_skin_layout_create(device, &p->weight_set));
    SN_TRY(sn_gpu_set_layout_create(device, "render material", VK_SHADER_STAGE_ALL, sn_material_binding_types,
                                    SN_MATERIAL_BINDING_COUNT, &p->material_set));
    const VkDescriptorSetLayout sets[] = {p->frame_set, p->weight_set, p->material_set};
    return sn_gpu_pipeline_layout_create(device, "render", VK_SHADER_STAGE_ALL, sets, 3, sizeof(sn_body_constants),
                                         &p->layout);
}

/* Selects the vertex attributes that the depth passes read; the validation layer reports unused ones. */
static int depth_attributes(bool is_masked, VkVertexInputAttributeDescription *attributes)
{
    int count = 0;
    for (int i = 0; i < SN_GPU_VERTEX_ATTRIBUTE_COUNT; ++i) {
        const uint32_t location = sn_gpu_vertex_attributes[i].location;
        if (location == 0 || (is_masked && location >= 3)) {
            attributes[count++] = sn_gpu_vertex_attributes[i];
        }
    }
    return count;
}

static sn_result create_depth(sn_gpu_device *device, sn_render_pipelines *p)
{
    static const char *const names[2][2] = {{"render shadow", "render shadow mask"},
                                            {"render contact", "render contact mask"}};
    sn_result result = SN_OK;
    for (uint32_t of = 0; of < 2; ++of) {
        for (int is_masked = 0; is_masked < 2; ++is_masked) {
            VkVertexInputAttributeDescription attributes[SN_GPU_VERTEX_ATTRIBUTE_COUNT];
            const sn_gpu_graphics_desc desc = {
                .name = names[of][is_masked],
                .layout = p->layout,
                .vertex = is_masked ? SN_GPU_SHADER(depth_mask_vert) : SN_GPU_SHADER(depth_vert),
                .fragment = is_masked ? SN_GPU_SHADER(depth_mask_frag) : (sn_gpu_shader){0},
                .vertex_bindings = &sn_gpu_vertex_binding,
                .vertex_binding_count = 1,
                .vertex_attributes = attributes,
                .vertex_attribute_count = depth_attributes(is_masked, attributes),
                .constants = {of},
                .constant_count = 1,
                .depth_format = VK_FORMAT_D32_SFLOAT,
                .sample_count = VK_SAMPLE_COUNT_1_BIT,
                .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                .is_depth_tested = true,
                .is_depth_written = true,
                .depth_bias_slope = of == SN_DEPTH_OF_SHADOW ? 1.0F : 0.0F,
            };
            result = result ? result : sn_gpu_graphics_create(device, &desc, &p->depth[of][is_masked]);
        }
    }
    return result;
}

static sn_result add_body(sn_gpu_device *device, VkSampleCountFlagBits sample_count, uint32_t mode, uint32_t style,
                          sn_render_pipelines *pipelines)
{
    static const char *const names[SN_DRAW_MODE_COUNT][SN_DRAW_STYLE_COUNT] = {
        {"render opaque", "render opaque unlit", "render opaque toon", "render opaque outline"},
        {"render mask", "render mask unlit", "render mask toon", "render mask outline"},
        {"render blend", "render blend unlit", "render blend toon", "render blend outline"},
        {"render solid", "render solid unlit", "render solid toon", "render solid outline"},
        {"render blend depth", "render blend depth unlit", "render blend depth toon", "render blend depth outline"}};
    const bool has_coverage = sample_count != VK_SAMPLE_COUNT_1_BIT;
    const bool is_blended = mode == SN_DRAW_BLEND || mode == SN_DRAW_BLEND_DEPTH;
    const sn_gpu_graphics_desc desc = {
        .name = names[mode][style],
        .layout = pipelines->layout,
        .vertex = SN_GPU_SHADER(body_vert),
        .fragment = SN_GPU_SHADER(body_frag),
        .vertex_bindings = &sn_gpu_vertex_binding,
        .vertex_binding_count = 1,
        .vertex_attributes = sn_gpu_vertex_attributes,
        .vertex_attribute_count = SN_GPU_VERTEX_ATTRIBUTE_COUNT,
        .constants = {is_blended ? SN_DRAW_BLEND : mode, style, has_coverage},
        .constant_count = 3,
        .color_format = VK_FORMAT_R8G8B8A8_SRGB,
        .depth_format = VK_FORMAT_D32_SFLOAT,
        .sample_count = sample_count,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        .depth_compare = VK_COMPARE_OP_LESS,
        .is_depth_tested = true,
        .is_depth_written = mode != SN_DRAW_BLEND,
        .has_alpha_to_coverage = mode == SN_DRAW_MASK && has_coverage,
        .blend = is_blended ? SN_GPU_BLEND_PREMULTIPLIED : SN_GPU_BLEND_NONE,
    };
    return pipelines->body[mode][style] ? SN_OK : sn_gpu_graphics_create(device, &desc, &pipelines->body[mode][style]);
}

sn_result sn_render_pipelines_add(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                  const sn_render_material *material, sn_render_pipelines *pipelines)
{
    const bool is_blended = material->alpha_mode == SN_ALPHA_BLEND;
    const uint32_t mode = is_blended ? material->blend_mode : (uint32_t)material->alpha_mode;
    sn_result result = add_body(device, sample_count, mode, material->style, pipelines);
    if (!result && is_blended) {
        result = add_body(device, sample_count, SN_DRAW_SOLID, material->style, pipelines);
    }
    return !result && material->has_outline ? add_body(device, sample_count, mode, SN_DRAW_OUTLINE, pipelines) : result;
}

static sn_result create_surroundings(sn_gpu_device *device, VkSampleCountFlagBits sample_count, sn_render_pipelines *p)
{
    sn_gpu_graphics_desc desc = {
        .name = "render ground",
        .layout = p->layout,
        .vertex = SN_GPU_SHADER(ground_vert),
        .fragment = SN_GPU_SHADER(ground_frag),
        .color_format = VK_FORMAT_R8G8B8A8_SRGB,
        .depth_format = VK_FORMAT_D32_SFLOAT,
        .sample_count = sample_count,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        .depth_compare = VK_COMPARE_OP_LESS,
        .is_depth_tested = true,
        .is_depth_written = true,
    };
    sn_result result = sn_gpu_graphics_create(device, &desc, &p->ground);
    desc.name = "render background";
    desc.vertex = SN_GPU_SHADER(background_vert);
    desc.fragment = SN_GPU_SHADER(background_frag);
    desc.depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL;
    desc.is_depth_written = false;
    result = result ? result : sn_gpu_graphics_create(device, &desc, &p->background);
    const sn_gpu_graphics_desc cover = {
        .name = "render cover",
        .layout = p->layout,
        .vertex = SN_GPU_SHADER(background_vert),
        .fragment = SN_GPU_SHADER(cover_frag),
        .color_format = SN_COVER_FORMAT,
        .sample_count = VK_SAMPLE_COUNT_1_BIT,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    };
    return result ? result : sn_gpu_graphics_create(device, &cover, &p->cover);
}

sn_result sn_render_pipelines_init(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                   sn_render_pipelines *pipelines)
{
    SN_TRY(create_layouts(device, pipelines));
    SN_TRY(create_depth(device, pipelines));
    SN_TRY(create_surroundings(device, sample_count, pipelines));
    return sn_render_overlay_pipelines(device, sample_count, pipelines);
}

void sn_render_pipelines_finish(sn_gpu_device *device, sn_render_pipelines *pipelines)
{
    for (int i = 0; i < 4; ++i) {
        vkDestroyPipeline(device->handle, pipelines->depth[i / 2][i % 2], NULL);
    }
    for (int i = 0; i < SN_DRAW_MODE_COUNT * SN_DRAW_STYLE_COUNT; ++i) {
        vkDestroyPipeline(device->handle, pipelines->body[i / SN_DRAW_STYLE_COUNT][i % SN_DRAW_STYLE_COUNT], NULL);
    }
    vkDestroyPipeline(device->handle, pipelines->cover, NULL);
    vkDestroyPipeline(device->handle, pipelines->ground, NULL);
    vkDestroyPipeline(device->handle, pipelines->background, NULL);
    vkDestroyPipeline(device->handle, pipelines->overlay[0], NULL);
    vkDestroyPipeline(device->handle, pipelines->overlay[1], NULL);
    vkDestroyPipelineLayout(device->handle, pipelines->layout, NULL);
    vkDestroyDescriptorSetLayout(device->handle, pipelines->frame_set, NULL);
    vkDestroyDescriptorSetLayout(device->handle, pipelines->weight_set, NULL);
    vkDestroyDescriptorSetLayout(device->handle, pipelines->material_set, NULL);
    *pipelines = (sn_render_pipelines){0};
}
