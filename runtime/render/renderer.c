/* SPDX-License-Identifier: MIT */
/* Lifetime and frames of the renderer. */
#include <string.h>

#include "runtime/render/private.h"

sn_renderer_desc sn_default_renderer_desc(void)
{
    return (sn_renderer_desc){.width = 1280, .height = 720, .shadow_size = 2048, .matrix_limit = 256};
}

static sn_result check_size(const char *what, int value, uint32_t limit)
{
    if (value < 1 || (uint32_t)value > limit) {
        return sn_fail(SN_ERROR_ARGUMENT, "renderer: %s is %d; the limit of this device is 1 to %u", what, value,
                       limit);
    }
    return SN_OK;
}

static sn_result check_desc(const sn_gpu_device *device, const sn_renderer_desc *desc)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    const uint32_t image = limits->maxImageDimension2D < 16384 ? limits->maxImageDimension2D : 16384;
    const uint32_t width = limits->maxFramebufferWidth < image ? limits->maxFramebufferWidth : image;
    const uint32_t height = limits->maxFramebufferHeight < image ? limits->maxFramebufferHeight : image;
    const uint32_t square = width < height ? width : height;
    SN_TRY(check_size("width", desc->width, width));
    SN_TRY(check_size("height", desc->height, height));
    SN_TRY(check_size("shadow_size", desc->shadow_size, square));
    return check_size("matrix_limit", desc->matrix_limit, (uint32_t)(limits->maxStorageBufferRange / SN_MATRIX_BYTES));
}

/* Buffer sizes that the scene's bodies need. */
typedef struct body_counts {
    int64_t matrices, morphs;
} body_counts;

typedef struct item_count {
    int64_t count;
    size_t size; /* bytes */
} item_count;

/* Replaces the buffer if it is smaller than `items`; the frame must not be in flight. */
static sn_result reserve(sn_gpu_device *device, const char *name, VkBufferUsageFlags usage, const item_count *items,
                         int *capacity, sn_gpu_buffer *buffer)
{
    const int64_t count = items->count;
    const int limit = (int)fmin((double)(device->properties.limits.maxStorageBufferRange / items->size), INT32_MAX);
    if (buffer->handle && count <= *capacity) {
        return SN_OK;
    }
    if (count > limit) {
        return sn_fail(SN_ERROR_ARGUMENT, "renderer: %lld %s in a frame; the limit of this device is %d",
                       (long long)count, name, limit);
    }
    const int doubled = *capacity < limit / 2 ? 2 * *capacity : limit;
    const int new_capacity = count > doubled ? (int)count : doubled;
    *capacity = 0;
    sn_gpu_buffer_destroy(device, buffer);
    const sn_result result = sn_gpu_buffer_create(device, name, (VkDeviceSize)new_capacity * items->size, usage,
                                                  SN_GPU_MEMORY_STREAM, buffer);
    *capacity = result ? 0 : new_capacity;
    return result;
}

static sn_result create_set(sn_renderer *renderer, const sn_render_frame *frame, VkBuffer transforms, sn_gpu_set *set)
{
    const sn_render_targets *targets = &renderer->targets;
    const sn_gpu_binding bindings[SN_FRAME_BINDING_COUNT] = {
        [SN_FRAME_CONSTANTS] = {.buffer = frame->constants.handle},
        [SN_FRAME_TRANSFORMS] = {.buffer = transforms},
        [SN_FRAME_SHADOW] = {.view = targets->shadow.view, .sampler = targets->compare_sampler},
        [SN_FRAME_SHADOW_DEPTH] = {.view = targets->shadow.view, .sampler = targets->depth_sampler},
        [SN_FRAME_CONTACT] = {.view = targets->contact.view, .sampler = targets->depth_sampler},
        [SN_FRAME_COVER] = {.view = targets->cover.view, .sampler = targets->cover_sampler},
        [SN_FRAME_MORPHS] = {.buffer = frame->morphs.handle},
    };
    return sn_gpu_set_create(renderer->device, "render frame", renderer->pipelines.frame_set, sn_frame_binding_types,
                             bindings, SN_FRAME_BINDING_COUNT, set);
}

static void destroy_sets(sn_gpu_device *device, sn_render_frame *frame)
{
    sn_gpu_set_destroy(device, &frame->set);
    for (int i = 0; i < SN_RENDER_MATRICES_LIMIT; ++i) {
        sn_gpu_set_destroy(device, &frame->device_sets[i]);
    }
}

/* Ensures capacity for transforms and morph weights; the frame must not be in flight. */
static sn_result reserve_bodies(sn_renderer *renderer, sn_render_frame *frame, const body_counts *counts)
{
    sn_gpu_device *device = renderer->device;
    if (frame->set.handle && counts->matrices <= frame->matrix_capacity && counts->morphs <= frame->morph_capacity) {
        return SN_OK;
    }
    destroy_sets(device, frame); /* all sets bind the morph weights */
    sn_result result =
        reserve(device, "transforms", VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                &(item_count){counts->matrices, SN_MATRIX_BYTES}, &frame->matrix_capacity, &frame->transforms);
    result = result ? result
                    : reserve(device, "morph weights", VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                              &(item_count){counts->morphs, sizeof(float)}, &frame->morph_capacity, &frame->morphs);
    return result ? result : create_set(renderer, frame, frame->transforms.handle, &frame->set);
}

/* Updates the descriptor set of a device matrix buffer if that has changed. */
static sn_result bind_matrices(sn_renderer *renderer, const sn_render_scene *scene, int index, sn_render_frame *frame)
{
    const sn_render_matrices current = scene->matrices[index], previous = frame->matrices[index];
    sn_gpu_set *set = &frame->device_sets[index];
    if (!current.buffer || (current.buffer == previous.buffer && current.version == previous.version && set->handle)) {
        return SN_OK;
    }
    sn_gpu_set_destroy(renderer->device, set);
    frame->matrices[index] = current;
    return create_set(renderer, frame, current.buffer, set);
}

static sn_result init_frame(sn_renderer *renderer, sn_render_frame *frame)
{
    sn_gpu_device *device = renderer->device;
    const sn_result result =
        sn_gpu_buffer_create(device, "render constants", sizeof(sn_frame_constants), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                             SN_GPU_MEMORY_STREAM, &frame->constants);
    return result ? result : reserve_bodies(renderer, frame, &(body_counts){.matrices = renderer->desc.matrix_limit});
}

/* Allocates the readback buffer on first use. */
static sn_result reserve_pixels(sn_renderer *renderer, sn_render_frame *frame)
{
    const VkDeviceSize size = (VkDeviceSize)renderer->desc.width * (VkDeviceSize)renderer->desc.height * 4;
    return frame->pixels.handle
               ? SN_OK
               : sn_gpu_buffer_create(renderer->device, "render pixels", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      SN_GPU_MEMORY_READBACK, &frame->pixels);
}

sn_result sn_renderer_create(sn_gpu_device *device, const sn_renderer_desc *desc, sn_renderer **renderer)
{
    SN_ASSERT(device && desc && renderer);
    *renderer = NULL;
    sn_result result = check_desc(device, desc);
    if (result) {
        return result;
    }
    sn_renderer *r = sn_alloc(1, sizeof *r);
    if (!r) {
        return SN_ERROR_MEMORY;
    }
    r->device = device;
    r->desc = *desc;
    result = sn_render_targets_init(device, desc, &r->targets);
    result = result ? result : sn_render_pipelines_init(device, r->targets.sample_count, &r->pipelines);
    result = result ? result : sn_render_palette_init(device, &r->palette);
    result = result ? result : sn_gpu_timer_create(device, "render timer", SN_FRAMES_IN_FLIGHT, &r->timer);
    for (int i = 0; !result && i < SN_FRAMES_IN_FLIGHT; ++i) {
        result = init_frame(r, &r->frames[i]);
    }
    if (result) {
        sn_renderer_destroy(&r);
    }
    *renderer = r;
    return result;
}

void sn_renderer_destroy(sn_renderer **renderer)
{
    sn_renderer *r = *renderer;
    *renderer = NULL;
    if (!r) {
        return;
    }
    sn_gpu_device *device = r->device;
    sn_gpu_device_wait(device);
    for (int i = 0; i < SN_FRAMES_IN_FLIGHT; ++i) {
        destroy_sets(device, &r->frames[i]);
        sn_gpu_buffer_destroy(device, &r->frames[i].constants);
        sn_gpu_buffer_destroy(device, &r->frames[i].transforms);
        sn_gpu_buffer_destroy(device, &r->frames[i].morphs);
        sn_gpu_buffer_destroy(device, &r->frames[i].markers);
        sn_gpu_buffer_destroy(device, &r->frames[i].pixels);
    }
    sn_gpu_timer_destroy(device, &r->timer);
    sn_render_palette_finish(device, &r->palette);
    sn_render_pipelines_finish(device, &r->pipelines);
    sn_render_targets_finish(device, &r->targets);
    sn_free(r->blends, (size_t)r->blend_capacity, sizeof *r->blends);
    sn_free(r, 1, sizeof *r);
}

sn_result sn_renderer_resize(sn_renderer *renderer, int width, int height)
{
    sn_renderer_desc desc = renderer->desc;
    desc.width = width;
    desc.height = height;
    const sn_result result = check_desc(renderer->device, &desc);
    if (result) {
        return result;
    }
    sn_gpu_device_wait(renderer->device);
    renderer->desc = desc;
    renderer->read_count = renderer->drawn_count;
    for (int i = 0; i < SN_FRAMES_IN_FLIGHT; ++i) {
        sn_gpu_buffer_destroy(renderer->device, &renderer->frames[i].pixels);
    }
    return sn_render_targets_resize(renderer->device, &desc, &renderer->targets);
}

void sn_renderer_size(const sn_renderer *renderer, int size[2])
{
    size[0] = renderer->desc.width;
    size[1] = renderer->desc.height;
}

/* Ensures capacity for the scene's blended parts. */
static sn_result reserve_blends(sn_renderer *renderer, const sn_render_scene *scene)
{
    int count = 0;
    for (int b = 0; b < scene->body_count; ++b) {
        count += scene->bodies[b].model->blend_part_count;
    }
    if (count > renderer->blend_capacity) {
        sn_free(renderer->blends, (size_t)renderer->blend_capacity, sizeof *renderer->blends);
        renderer->blends = sn_alloc((size_t)count, sizeof *renderer->blends);
        renderer->blend_capacity = renderer->blends ? count : 0;
    }
    return count > renderer->blend_capacity ? SN_ERROR_MEMORY : SN_OK;
}

static body_counts count_bodies(const sn_render_scene *scene)
{
    body_counts counts = {0};
    for (int b = 0; b < scene->body_count; ++b) {
        const sn_render_body *body = &scene->bodies[b];
        const sn_gpu_surface *surface = &body->model->surface;
        SN_ASSERT(!body->is_on_device || scene->matrices[body->matrices].buffer);
        counts.matrices += body->is_on_device ? 0 : surface->bone_count + surface->mode_count;
        counts.morphs += surface->morph_count;
    }
    return counts;
}

/* Writes the overlay's markers; allocates their buffer on first use. */
static sn_result write_markers(sn_renderer *renderer, const sn_render_overlay *overlay, sn_render_frame *frame)
{
    const item_count markers = {overlay->marker_count, sizeof(sn_render_marker)};
    SN_ASSERT(overlay->marker_count >= 0 && (overlay->marker_count == 0 || overlay->scale > 0));
    SN_TRY(overlay->marker_count == 0 ? SN_OK
                                      : reserve(renderer->device, "marks", VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &markers,
                                                &frame->marker_capacity, &frame->markers));
    if (overlay->marker_count > 0) {
        memcpy(frame->markers.mapped, overlay->markers, (size_t)overlay->marker_count * sizeof *overlay->markers);
    }
    return SN_OK;
}

static sn_result write_frame(sn_renderer *renderer, const sn_render_scene *scene, sn_render_frame *frame)
{
    const body_counts counts = count_bodies(scene);
    sn_result result = reserve_bodies(renderer, frame, &counts);
    for (int i = 0; i < SN_RENDER_MATRICES_LIMIT && result == SN_OK; ++i) {
        result = bind_matrices(renderer, scene, i, frame);
    }
    result = result ? result : write_markers(renderer, &scene->overlay, frame);
    if (result) {
        return result;
    }
    sn_render_frame_constants(scene, &renderer->desc, frame->constants.mapped);
    uint8_t *transforms = frame->transforms.mapped, *morphs = frame->morphs.mapped;
    for (int b = 0; b < scene->body_count; ++b) {
        const sn_render_body *body = &scene->bodies[b];
        const sn_gpu_surface *surface = &body->model->surface;
        const size_t matrix_count = (size_t)(surface->bone_count + surface->mode_count);
        const size_t size = body->is_on_device ? 0 : matrix_count * SN_MATRIX_BYTES;
        const size_t morph_size = (size_t)surface->morph_count * sizeof(float);
        if (size > 0) {
            memcpy(transforms, body->transforms, size);
            transforms += size;
        }
        SN_ASSERT(morph_size == 0 || body->morphs);
        if (morph_size > 0) {
            memcpy(morphs, body->morphs, morph_size);
            morphs += morph_size;
        }
    }
    return SN_OK;
}

/* Creates the pipelines that the scene needs and the renderer has not; another renderer may have made its models. */
static sn_result add_pipelines(sn_renderer *renderer, const sn_render_scene *scene)
{
    sn_result result = SN_OK;
    for (int b = 0; b < scene->body_count; ++b) {
        const sn_render_model *model = scene->bodies[b].model;
        for (int m = 0; m < model->material_count && !result; ++m) {
            result = sn_render_pipelines_add(renderer->device, renderer->targets.sample_count, &model->materials[m],
                                             &renderer->pipelines);
        }
    }
    return result;
}

static sn_result submit_frame(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_output *output)
{
    SN_ASSERT(renderer->drawn_count - renderer->read_count < SN_FRAMES_IN_FLIGHT);
    SN_ASSERT(scene->bounds_radius > 0 && scene->camera.near_distance > 0 && scene->light_size >= 0);
    sn_render_frame *frame = &renderer->frames[renderer->drawn_count % SN_FRAMES_IN_FLIGHT];
    VkCommandBuffer commands;
    sn_result result = add_pipelines(renderer, scene);
    result = result ? result : reserve_blends(renderer, scene);
    result = result || output ? result : reserve_pixels(renderer, frame);
    result = result ? result : write_frame(renderer, scene, frame);
    result = result ? result : sn_gpu_begin(renderer->device, &commands);
    if (result) {
        return result;
    }
    sn_render_record(renderer, scene, frame, output, commands);
    result = sn_gpu_submit_between(renderer->device, commands, output ? output->wait : VK_NULL_HANDLE,
                                   output ? output->signal : VK_NULL_HANDLE, &frame->submission);
    renderer->drawn_count += result == SN_OK;
    return result;
}

/* Waits for the oldest pending frame and returns its slot. */
static sn_result wait_for_oldest(sn_renderer *renderer, uint32_t *slot)
{
    SN_ASSERT(renderer->read_count < renderer->drawn_count);
    *slot = (uint32_t)(renderer->read_count++ % SN_FRAMES_IN_FLIGHT);
    double seconds = 0;
    sn_result result = sn_gpu_wait(renderer->device, renderer->frames[*slot].submission);
    result = result ? result : sn_gpu_timer_read(renderer->device, &renderer->timer, *slot, &seconds);
    renderer->frame_ms = result ? renderer->frame_ms : 1e3 * seconds;
    return result;
}

sn_result sn_renderer_draw(sn_renderer *renderer, const sn_render_scene *scene)
{
    return submit_frame(renderer, scene, NULL);
}

sn_result sn_renderer_read(sn_renderer *renderer, const uint8_t **pixels)
{
    uint32_t slot;
    *pixels = NULL;
    sn_result result = wait_for_oldest(renderer, &slot);
    const sn_render_frame *frame = &renderer->frames[slot];
    result = result ? result : sn_gpu_buffer_invalidate(renderer->device, &frame->pixels);
    *pixels = result ? NULL : frame->pixels.mapped;
    return result;
}

sn_result sn_renderer_draw_to(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_output *output)
{
    uint32_t slot;
    if (renderer->drawn_count - renderer->read_count == SN_FRAMES_IN_FLIGHT) {
        SN_TRY(wait_for_oldest(renderer, &slot));
    }
    return submit_frame(renderer, scene, output);
}

double sn_renderer_frame_ms(const sn_renderer *renderer)
{
    return renderer->frame_ms;
}
