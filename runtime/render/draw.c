/* SPDX-License-Identifier: MIT */
/* Records the command buffer of a frame: shadow map, contact map, picture, and the copy to the host or the output. */
#include <stddef.h>

#include "runtime/render/private.h"

/* State of the recording. */
typedef struct sn_recording {
    const sn_renderer *renderer;
    const sn_render_scene *scene;
    const sn_render_frame *frame;
    VkCommandBuffer commands;
    VkPipeline bound;
    VkDescriptorSet bound_frame;
} sn_recording;

static void set_area(VkCommandBuffer commands, const sn_gpu_image *image)
{
    const VkViewport viewport = {.width = (float)image->desc.width, .height = (float)image->desc.height, .maxDepth = 1};
    const VkRect2D scissor = {.extent = {image->desc.width, image->desc.height}};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
}

static void bind_pipeline(sn_recording *r, VkPipeline pipeline)
{
    if (r->bound != pipeline) {
        vkCmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        r->bound = pipeline;
    }
}

static void bind_set(const sn_recording *r, uint32_t index, VkDescriptorSet set)
{
    vkCmdBindDescriptorSets(r->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, r->renderer->pipelines.layout, index, 1, &set,
                            0, NULL);
}

static void bind_frame(sn_recording *r, VkDescriptorSet set)
{
    if (r->bound_frame != set) {
        bind_set(r, 0, set);
        r->bound_frame = set;
    }
}

/* Offsets of a body's data in the frame's buffers. */
typedef struct sn_body_offsets {
    uint32_t transform, morph;
} sn_body_offsets;

static void skip_body(const sn_render_body *body, sn_body_offsets *offsets)
{
    const sn_gpu_surface *surface = &body->model->surface;
    offsets->transform += body->is_on_device ? 0 : (uint32_t)(surface->bone_count + surface->mode_count);
    offsets->morph += (uint32_t)surface->morph_count;
}

static void bind_body(sn_recording *r, const sn_render_body *body, sn_body_offsets offsets)
{
    const sn_gpu_surface *surface = &body->model->surface;
    const sn_body_constants constants = {body->is_on_device ? body->first_matrix : offsets.transform,
                                         (uint32_t)surface->bone_count,
                                         (uint32_t)(body->mode_count > 0 ? body->mode_count : surface->mode_count),
                                         offsets.morph,
                                         (uint32_t)surface->morph_count,
                                         surface->diagonal,
                                         1,
                                         (uint32_t)surface->mode_count};
    vkCmdPushConstants(r->commands, r->renderer->pipelines.layout, VK_SHADER_STAGE_ALL, 0, sizeof constants,
                       &constants);
    vkCmdBindVertexBuffers(r->commands, 0, 1, &surface->vertices.handle, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(r->commands, surface->indices.handle, 0, VK_INDEX_TYPE_UINT32);
    bind_frame(r, body->is_on_device ? r->frame->device_sets[body->matrices].handle : r->frame->set.handle);
    bind_set(r, 1, surface->weights.handle);
}

static void draw_part(const sn_recording *r, const sn_render_part *part, VkCullModeFlags cull)
{
    vkCmdSetCullMode(r->commands, cull);
    vkCmdDrawIndexed(r->commands, part->index_count, 1, part->first_index, 0, 0);
}

/* True if the part's heaviest bone mirrors it. A part that only some bones mirror shows its back faces. */
static bool is_mirrored(const sn_render_body *body, const sn_render_part *part)
{
    if (part->bone < 0) {
        return false;
    }
    const float *m = body->transforms + 12 * part->bone;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
               m[2] * (m[4] * m[9] - m[5] * m[8]) <
           0;
}

/* Draws a part with a cull mode, which is swapped if the part is mirrored. */
static void draw_sides(const sn_recording *r, const sn_render_body *body, const sn_render_part *part,
                       VkCullModeFlags cull)
{
    const bool mirrors = is_mirrored(body, part);
    const float orientation = mirrors ? -1 : 1;
    vkCmdPushConstants(r->commands, r->renderer->pipelines.layout, VK_SHADER_STAGE_ALL,
                       offsetof(sn_body_constants, orientation), sizeof orientation, &orientation);
    draw_part(r, part, mirrors && cull != VK_CULL_MODE_NONE ? cull ^ VK_CULL_MODE_FRONT_AND_BACK : cull);
}

static void draw_depth(sn_recording *r, const VkPipeline *pipelines)
{
    sn_body_offsets offsets = {0};
    for (int b = 0; b < r->scene->body_count; ++b) {
        const sn_render_body *body = &r->scene->bodies[b];
        bind_body(r, body, offsets);
        skip_body(body, &offsets);
        for (int p = 0; p < body->model->part_count; ++p) {
            const sn_render_material *material = &body->model->materials[body->model->parts[p].material];
            const bool is_cut = material->alpha_mode != SN_ALPHA_OPAQUE;
            bind_pipeline(r, pipelines[is_cut]);
            if (is_cut) {
                bind_set(r, 2, material->set.handle);
            }
            draw_part(r, &body->model->parts[p],
                      VK_CULL_MODE_NONE); /* an open surface casts a shadow from both sides */
        }
    }
}

/* Renders the bodies to a depth map that shaders sample. */
static void record_depth(sn_recording *r, const sn_gpu_image *map, const VkPipeline *pipelines)
{
    const VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = map->view,
                                             .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .clearValue.depthStencil.depth = 1};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea.extent = {map->desc.width, map->desc.height},
                                  .layerCount = 1,
                                  .pDepthAttachment = &depth};
    sn_gpu_barrier_image(r->commands, map, SN_GPU_SHADER_READ, SN_GPU_DEPTH_WRITE);
    vkCmdBeginRendering(r->commands, &info);
    set_area(r->commands, map);
    draw_depth(r, pipelines);
    vkCmdEndRendering(r->commands);
    sn_gpu_barrier_image(r->commands, map, SN_GPU_DEPTH_WRITE, SN_GPU_SHADER_READ);
}

/* Converts the contact map to ambient occlusion of the ground. */
static void record_cover(sn_recording *r)
{
    const sn_gpu_image *cover = &r->renderer->targets.cover;
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = cover->view,
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea.extent = {SN_COVER_SIZE, SN_COVER_SIZE},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color};
    sn_gpu_barrier_image(r->commands, cover, SN_GPU_SHADER_READ, SN_GPU_COLOR_WRITE);
    vkCmdBeginRendering(r->commands, &info);
    set_area(r->commands, cover);
    bind_pipeline(r, r->renderer->pipelines.cover);
    vkCmdSetCullMode(r->commands, VK_CULL_MODE_NONE);
    vkCmdDraw(r->commands, 3, 1, 0, 0);
    vkCmdEndRendering(r->commands);
    sn_gpu_barrier_image(r->commands, cover, SN_GPU_COLOR_WRITE, SN_GPU_SHADER_READ);
}

/* The back of the surface, larger by the outline's width. The material's set must be bound. */
static void draw_outline(sn_recording *r, const sn_render_body *body, const sn_render_part *part, uint32_t mode)
{
    if (body->model->materials[part->material].has_outline) {
        bind_pipeline(r, r->renderer->pipelines.body[mode][SN_DRAW_OUTLINE]);
        draw_sides(r, body, part, VK_CULL_MODE_FRONT_BIT);
    }
}

static void draw_solid(sn_recording *r)
{
    sn_body_offsets offsets = {0};
    for (int b = 0; b < r->scene->body_count; ++b) {
        const sn_render_body *body = &r->scene->bodies[b];
        bind_body(r, body, offsets);
        skip_body(body, &offsets);
        for (int p = 0; p < body->model->part_count; ++p) {
            const sn_render_material *material = &body->model->materials[body->model->parts[p].material];
            const uint32_t mode =
                material->alpha_mode == SN_ALPHA_BLEND ? SN_DRAW_SOLID : (uint32_t)material->alpha_mode;
            bind_pipeline(r, r->renderer->pipelines.body[mode][material->style]);
            bind_set(r, 2, material->set.handle);
            draw_sides(r, body, &body->model->parts[p],
                       material->is_double_sided ? VK_CULL_MODE_NONE : VK_CULL_MODE_BACK_BIT);
            if (mode != SN_DRAW_SOLID) {
                draw_outline(r, body, &body->model->parts[p], mode);
            }
        }
    }
}

static void draw_environment(sn_recording *r)
{
    if (r->scene->backdrop == SN_BACKDROP_NONE) {
        return;
    }
    if (r->scene->has_ground) {
        bind_pipeline(r, r->renderer->pipelines.ground);
        vkCmdSetCullMode(r->commands, VK_CULL_MODE_BACK_BIT); /* the ground is invisible from below */
        vkCmdDraw(r->commands, 6, 1, 0, 0);
    }
    bind_pipeline(r, r->renderer->pipelines.background);
    vkCmdSetCullMode(r->commands, VK_CULL_MODE_NONE);
    vkCmdDraw(r->commands, 3, 1, 0, 0);
}

static sn_body_offsets offsets_of(const sn_render_scene *scene, int body)
{
    sn_body_offsets offsets = {0};
    for (int b = 0; b < body; ++b) {
        skip_body(&scene->bodies[b], &offsets);
    }
    return offsets;
}

static void draw_blends(sn_recording *r)
{
    const int count = sn_render_sort_blends(r->scene, r->renderer->blends);
    for (int i = 0; i < count; ++i) {
        const sn_render_blend *blend = &r->renderer->blends[i];
        const sn_render_body *body = &r->scene->bodies[blend->body];
        const sn_render_part *part = &body->model->parts[blend->part];
        const sn_render_material *material = &body->model->materials[part->material];
        bind_body(r, body, offsets_of(r->scene, blend->body));
        bind_pipeline(r, r->renderer->pipelines.body[material->blend_mode][material->style]);
        bind_set(r, 2, material->set.handle);
        if (material->is_double_sided) {
            draw_sides(r, body, part, VK_CULL_MODE_FRONT_BIT);
        }
        draw_sides(r, body, part, VK_CULL_MODE_BACK_BIT);
        draw_outline(r, body, part, material->blend_mode);
    }
}

/* Transitions the images from their state between frames to attachments and begins the main pass. */
static void begin_picture(VkCommandBuffer commands, const sn_render_targets *targets, bool is_cleared)
{
    const bool has_samples = targets->samples.handle != VK_NULL_HANDLE;
    if (has_samples) {
        sn_gpu_barrier_image(commands, &targets->samples, SN_GPU_COLOR_WRITE, SN_GPU_COLOR_WRITE);
    }
    sn_gpu_barrier_image(commands, &targets->resolved, SN_GPU_TRANSFER_READ, SN_GPU_COLOR_WRITE);
    sn_gpu_barrier_image(commands, &targets->depth, SN_GPU_DEPTH_WRITE, SN_GPU_DEPTH_WRITE);
    const VkRenderingAttachmentInfo color = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = has_samples ? targets->samples.view : targets->resolved.view,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .resolveMode = has_samples ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE,
        .resolveImageView = has_samples ? targets->resolved.view : VK_NULL_HANDLE,
        .resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        /* otherwise the background covers every remaining pixel */
        .loadOp = is_cleared ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = has_samples ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = targets->depth.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                             .clearValue.depthStencil.depth = 1};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea.extent = {targets->resolved.desc.width, targets->resolved.desc.height},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color,
                                  .pDepthAttachment = &depth};
    vkCmdBeginRendering(commands, &info);
    set_area(commands, &targets->resolved);
}

static void copy_picture(VkCommandBuffer commands, const sn_gpu_image *image, VkBuffer pixels)
{
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {image->desc.width, image->desc.height, 1}};
    vkCmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
}

void sn_render_record(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_frame *frame,
                      const sn_render_output *output, VkCommandBuffer commands)
{
    const sn_render_targets *targets = &renderer->targets;
    const uint32_t slot = (uint32_t)(renderer->drawn_count % SN_FRAMES_IN_FLIGHT);
    sn_recording r = {.renderer = renderer, .scene = scene, .frame = frame, .commands = commands};
    sn_gpu_timer_begin(&renderer->timer, commands, slot);
    bind_frame(&r, frame->set.handle);
    if (!scene->reuses_shadows) {
        record_depth(&r, &targets->shadow, renderer->pipelines.depth[SN_DEPTH_OF_SHADOW]);
    }
    if (scene->has_ground && !scene->reuses_shadows) {
        record_depth(&r, &targets->contact, renderer->pipelines.depth[SN_DEPTH_OF_CONTACT]);
        record_cover(&r);
    }
    begin_picture(commands, targets, scene->backdrop == SN_BACKDROP_NONE);
    draw_solid(&r);
    draw_environment(&r);
    draw_blends(&r);
    bind_frame(&r, frame->set.handle);
    sn_render_record_overlay(&renderer->pipelines, frame, scene->overlay.marker_count, commands);
    vkCmdEndRendering(commands);
    sn_gpu_barrier_image(commands, &targets->resolved, SN_GPU_COLOR_WRITE, SN_GPU_TRANSFER_READ);
    if (output) {
        output->record(commands, &targets->resolved, output->user);
    } else {
        copy_picture(commands, &targets->resolved, frame->pixels.handle);
    }
    sn_gpu_timer_end(&renderer->timer, commands, slot);
}
