/* SPDX-License-Identifier: MIT */
/* A model on the device: surface, materials and parts. */
#include "runtime/render/model.h"

static size_t constants_stride(const sn_gpu_device *device)
{
    const size_t alignment = (size_t)device->properties.limits.minUniformBufferOffsetAlignment;
    return (sizeof(sn_material_constants) + alignment - 1) / alignment * alignment;
}

static sn_result create_materials(sn_renderer *renderer, const sn_model *model, sn_render_model *to)
{
    sn_gpu_device *device = renderer->device;
    const size_t stride = constants_stride(device);
    uint8_t *bytes = sn_alloc((size_t)to->material_count, stride);
    if (!bytes) {
        return SN_ERROR_MEMORY;
    }
    for (int m = 0; m < to->material_count; ++m) {
        sn_render_material_constants(&model->materials[m], model->toon_count > 0 ? &model->toons[m] : NULL,
                                     (sn_material_constants *)(bytes + (size_t)m * stride));
    }
    sn_result result =
        sn_gpu_buffer_create_filled(device, "render materials", bytes, (size_t)to->material_count * stride,
                                    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &to->constants);
    sn_free(bytes, (size_t)to->material_count, stride);
    for (int m = 0; !result && m < to->material_count; ++m) {
        const sn_gpu_binding constants = {
            .buffer = to->constants.handle, .offset = (size_t)m * stride, .size = sizeof(sn_material_constants)};
        result = sn_render_material_init(renderer, model, m, constants, to, &to->materials[m]);
    }
    return result;
}

/* Center of the part's bounding box at rest. */
static void find_center(const sn_model *model, const sn_part *from, sn_render_part *part)
{
    const int32_t *corners = model->surface_triangles + (ptrdiff_t)3 * from->first_triangle;
    for (int d = 0; d < 3; ++d) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3 * from->triangle_count; ++i) {
            const float x = model->surface_positions[3 * corners[i] + d];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        part->center[d] = low <= high ? 0.5F * (low + high) : 0;
    }
}

/* The bone with the largest weight in the part; -1: no bones. `weights`: zeroed scratch (bone_count). */
static int find_bone(const sn_model *model, const sn_part *from, double *weights)
{
    const int32_t *corners = model->surface_triangles + (ptrdiff_t)3 * from->first_triangle;
    int max_bone = model->counts.bone_count > 0 ? 0 : -1;
    for (int i = 0; i < 3 * from->triangle_count; ++i) {
        for (int k = model->influence_starts[corners[i]]; k < model->influence_starts[corners[i] + 1]; ++k) {
            weights[model->influences[k].bone] += (double)model->influences[k].weight;
        }
    }
    for (int b = 1; b < model->counts.bone_count; ++b) {
        max_bone = weights[b] > weights[max_bone] ? b : max_bone;
    }
    return max_bone;
}

static sn_result describe_parts(const sn_model *model, sn_render_model *to)
{
    const size_t bone_count = (size_t)model->counts.bone_count;
    double *weights = sn_alloc(bone_count + 1, sizeof *weights);
    if (!weights) {
        return SN_ERROR_MEMORY;
    }
    for (int p = 0; p < to->part_count; ++p) {
        const sn_part *from = &model->parts[p];
        sn_render_part *part = &to->parts[p];
        part->first_index = 3 * (uint32_t)from->first_triangle;
        part->index_count = 3 * (uint32_t)from->triangle_count;
        part->material = from->material;
        memset(weights, 0, bone_count * sizeof *weights);
        part->bone = find_bone(model, from, weights);
        find_center(model, from, part);
        to->blend_part_count += model->materials[from->material].alpha_mode == SN_ALPHA_BLEND;
    }
    sn_free(weights, bone_count + 1, sizeof *weights);
    return SN_OK;
}

/* Shares the images of `texture_source` if it has as many textures, else allocates new ones. */
static sn_result share_images(const sn_render_model *texture_source, sn_render_model *to)
{
    const size_t count = (size_t)to->texture_count * 2 + 1;
    if (texture_source && texture_source->texture_count == to->texture_count) {
        to->images = texture_source->images;
        to->image_users = texture_source->image_users;
        ++*to->image_users;
        return SN_OK;
    }
    to->image_users = sn_alloc(1, sizeof *to->image_users);
    to->images = to->image_users ? sn_alloc(count, sizeof *to->images) : NULL;
    if (!to->images) {
        sn_free(to->image_users, 1, sizeof *to->image_users);
        to->image_users = NULL;
        return SN_ERROR_MEMORY;
    }
    *to->image_users = 1;
    return SN_OK;
}

static void release_images(sn_gpu_device *device, sn_render_model *model)
{
    if (!model->image_users || --*model->image_users > 0) {
        return;
    }
    for (int i = 0; i < 2 * model->texture_count; ++i) {
        sn_gpu_image_destroy(device, &model->images[i]);
    }
    sn_free(model->image_users, 1, sizeof *model->image_users);
    sn_free(model->images, (size_t)model->texture_count * 2 + 1, sizeof *model->images);
}

static sn_result allocate(const sn_model *model, const sn_render_model *texture_source, sn_render_model *to)
{
    to->material_count = model->counts.material_count;
    to->part_count = model->counts.part_count;
    to->texture_count = model->counts.texture_count;
    /* allocated in sequence, so that a failure is logged once */
    to->materials = sn_alloc((size_t)to->material_count, sizeof *to->materials);
    to->parts = to->materials ? sn_alloc((size_t)to->part_count, sizeof *to->parts) : NULL;
    return to->parts ? share_images(texture_source, to) : SN_ERROR_MEMORY;
}

sn_result sn_render_model_create(sn_renderer *renderer, const sn_model *model, sn_render_model **render_model)
{
    return sn_render_model_create_shared(renderer, model, NULL, render_model);
}

/* Creates a render model of a surface whose influences refer to bone_count matrices; the rest is taken from the model.
 */
static sn_result create(sn_renderer *renderer, const sn_model *model, const sn_surface *surface, int bone_count,
                        const sn_render_model *texture_source, sn_render_model **render_model)
{
    SN_ASSERT(renderer && model && render_model);
    SN_ASSERT(model->counts.part_count > 0 && model->counts.material_count > 0);
    *render_model = NULL;
    sn_render_model *to = sn_alloc(1, sizeof *to);
    if (!to) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = allocate(model, texture_source, to);
    result = result ? result
                    : sn_gpu_surface_create(renderer->device, renderer->pipelines.weight_set, surface, bone_count,
                                            &to->surface);
    result = result ? result : create_materials(renderer, model, to);
    result = result ? result : describe_parts(model, to);
    if (result) {
        sn_render_model_destroy(renderer, &to);
    }
    *render_model = to;
    return result;
}

sn_result sn_render_model_create_shared(sn_renderer *renderer, const sn_model *model,
                                        const sn_render_model *texture_source, sn_render_model **render_model)
{
    const sn_surface surface = sn_model_surface(model);
    return create(renderer, model, &surface, model->counts.bone_count, texture_source, render_model);
}

sn_result sn_render_model_create_embedded(sn_renderer *renderer, const sn_embedding *embedding,
                                          const sn_render_model *texture_source, sn_render_model **render_model)
{
    const sn_model *model = embedding->model;
    return create(renderer, model, &embedding->surface, model->counts.bone_count + sn_embedding_matrix_count(embedding),
                  texture_source, render_model);
}

bool sn_render_model_blends(const sn_render_model *model)
{
    return model->blend_part_count > 0;
}

void sn_render_model_destroy(sn_renderer *renderer, sn_render_model **render_model)
{
    sn_render_model *model = *render_model;
    *render_model = NULL;
    if (!model) {
        return;
    }
    sn_gpu_device *device = renderer->device;
    sn_gpu_device_wait(device);
    for (int m = 0; model->materials && m < model->material_count; ++m) {
        sn_gpu_set_destroy(device, &model->materials[m].set);
    }
    release_images(device, model);
    sn_gpu_buffer_destroy(device, &model->constants);
    sn_gpu_surface_destroy(device, &model->surface);
    sn_free(model->materials, (size_t)model->material_count, sizeof *model->materials);
    sn_free(model->parts, (size_t)model->part_count, sizeof *model->parts);
    sn_free(model, 1, sizeof *model);
}
