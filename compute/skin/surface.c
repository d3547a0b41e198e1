/* SPDX-License-Identifier: MIT */
/* Uploads the surface of a model. The model stores the weights in the layout of the shader, so they are uploaded
 * unchanged. */
#include <string.h>

#include "compute/skin/skin.h"
#include "compute/skin/triangle_order.h"
#include "shaders/shared/skin.h"

_Static_assert(sizeof(sn_influence) == 4 * SN_INFLUENCE_WORDS, "as the shader reads it");
_Static_assert(sizeof(sn_mode_weight) == 4 * SN_MODE_WEIGHT_WORDS, "as the shader reads it");
_Static_assert(sizeof(sn_morph_delta) == 4 * SN_MORPH_DELTA_WORDS, "as the shader reads it");
_Static_assert(sizeof(sn_gpu_vertex) == 16 * SN_VERTEX_ROWS, "no padding");

const VkDescriptorType sn_gpu_skin_binding_types[SN_GPU_SKIN_BINDING_COUNT] = {
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

const VkVertexInputBindingDescription sn_gpu_vertex_binding = {.stride = sizeof(sn_gpu_vertex)};

const VkVertexInputAttributeDescription sn_gpu_vertex_attributes[SN_GPU_VERTEX_ATTRIBUTE_COUNT] = {
    {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(sn_gpu_vertex, position)},
    {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(sn_gpu_vertex, normal)},
    {2, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(sn_gpu_vertex, tangent)},
    {3, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(sn_gpu_vertex, uv)},
    {4, 0, VK_FORMAT_R16G16B16A16_UNORM, offsetof(sn_gpu_vertex, color)},
};

sn_result sn_gpu_skin_layout_create(sn_gpu_device *device, VkDescriptorSetLayout *layout)
{
    return sn_gpu_set_layout_create(device, "skin weights", VK_SHADER_STAGE_ALL, sn_gpu_skin_binding_types,
                                    SN_GPU_SKIN_BINDING_COUNT, layout);
}

static sn_result upload_vertices(sn_gpu_device *device, const sn_surface *from, sn_gpu_surface *surface)
{
    const size_t n = (size_t)from->vertex_count;
    sn_gpu_vertex *vertices = sn_alloc(n, sizeof *vertices);
    if (!vertices) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        memcpy(vertices[v].position, from->positions + 3 * v, sizeof vertices[v].position);
        memcpy(vertices[v].normal, from->normals + 3 * v, sizeof vertices[v].normal);
        memcpy(vertices[v].tangent, from->tangents + 4 * v, sizeof vertices[v].tangent);
        memcpy(vertices[v].uv, from->uvs + 4 * v, sizeof vertices[v].uv);
        memcpy(vertices[v].color, from->colors + 4 * v, sizeof vertices[v].color);
    }
    const sn_result result = sn_gpu_buffer_create_filled(
        device, "surface vertices", vertices, n * sizeof *vertices,
        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &surface->vertices);
    sn_free(vertices, n, sizeof *vertices);
    return result;
}

/* Reorders the triangles of each part: each pass skins vertices again, so the reuse of cached vertices determines the
 * cost. */
static sn_result order_parts(const sn_surface *from, int32_t *triangles)
{
    sn_result result = SN_OK;
    int done = 0; /* number of triangles processed; overlapping parts are left unchanged */
    for (int p = 0; p < from->part_count && result == SN_OK; ++p) {
        const sn_part *part = &from->parts[p];
        if (part->first_triangle >= done) {
            result = sn_order_triangles(triangles + (size_t)3 * (size_t)part->first_triangle, part->triangle_count);
            done = part->first_triangle + part->triangle_count;
        }
    }
    return result;
}

static sn_result upload_indices(sn_gpu_device *device, const sn_surface *from, sn_gpu_surface *surface)
{
    const size_t n = (size_t)surface->index_count;
    int32_t *triangles = sn_alloc(n, sizeof *triangles);
    if (!triangles) {
        return SN_ERROR_MEMORY;
    }
    memcpy(triangles, from->triangles, n * sizeof *triangles);
    sn_result result = order_parts(from, triangles);
    if (result == SN_OK) {
        result = sn_gpu_buffer_create_filled(device, "surface indices", triangles, n * sizeof *triangles,
                                             VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &surface->indices);
    }
    sn_free(triangles, n, sizeof *triangles);
    return result;
}

static sn_result upload_weights(sn_gpu_device *device, const sn_surface *from, sn_gpu_surface *surface)
{
    const size_t n = (size_t)from->vertex_count;
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    SN_TRY(sn_gpu_buffer_create_filled(device, "influence starts", from->influence_starts, (n + 1) * sizeof(int32_t),
                                       usage, &surface->starts));
    SN_TRY(sn_gpu_buffer_create_filled(device, "influences", from->influences,
                                       (size_t)from->influence_starts[n] * sizeof(sn_influence), usage,
                                       &surface->influences));
    return sn_gpu_buffer_create_filled(device, "mode weights", from->mode_weights,
                                       n * (size_t)from->mode_count * sizeof(sn_mode_weight), usage,
                                       &surface->mode_weights);
}

static sn_result upload_morphs(sn_gpu_device *device, const sn_surface *from, sn_gpu_surface *surface)
{
    const size_t start_count = from->morph_count > 0 ? (size_t)from->vertex_count + 1 : 0;
    const size_t delta_count = start_count > 0 ? (size_t)from->morph_starts[start_count - 1] : 0;
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    SN_TRY(sn_gpu_buffer_create_filled(device, "morph starts", from->morph_starts, start_count * sizeof(int32_t), usage,
                                       &surface->morph_starts));
    return sn_gpu_buffer_create_filled(device, "morph deltas", from->morph_deltas, delta_count * sizeof(sn_morph_delta),
                                       usage, &surface->morph_deltas);
}

sn_result sn_gpu_surface_create(sn_gpu_device *device, VkDescriptorSetLayout layout, const sn_surface *from,
                                int bone_count, sn_gpu_surface *surface)
{
    *surface = (sn_gpu_surface){.vertex_count = from->vertex_count,
                                .index_count = 3 * from->triangle_count,
                                .bone_count = bone_count,
                                .mode_count = from->mode_count,
                                .morph_count = from->morph_count,
                                .diagonal = (float)from->diagonal};
    sn_result result = upload_vertices(device, from, surface);
    if (result == SN_OK) {
        result = upload_indices(device, from, surface);
    }
    if (result == SN_OK) {
        result = upload_weights(device, from, surface);
    }
    if (result == SN_OK) {
        result = upload_morphs(device, from, surface);
    }
    if (result == SN_OK) {
        const sn_gpu_binding bindings[SN_GPU_SKIN_BINDING_COUNT] = {{.buffer = surface->starts.handle},
                                                                    {.buffer = surface->influences.handle},
                                                                    {.buffer = surface->mode_weights.handle},
                                                                    {.buffer = surface->morph_starts.handle},
                                                                    {.buffer = surface->morph_deltas.handle}};
        result = sn_gpu_set_create(device, "skin weights", layout, sn_gpu_skin_binding_types, bindings,
                                   SN_GPU_SKIN_BINDING_COUNT, &surface->weights);
    }
    if (result != SN_OK) {
        sn_gpu_surface_destroy(device, surface);
    }
    return result;
}

void sn_gpu_surface_destroy(sn_gpu_device *device, sn_gpu_surface *surface)
{
    sn_gpu_set_destroy(device, &surface->weights);
    sn_gpu_buffer_destroy(device, &surface->morph_deltas);
    sn_gpu_buffer_destroy(device, &surface->morph_starts);
    sn_gpu_buffer_destroy(device, &surface->mode_weights);
    sn_gpu_buffer_destroy(device, &surface->influences);
    sn_gpu_buffer_destroy(device, &surface->starts);
    sn_gpu_buffer_destroy(device, &surface->indices);
    sn_gpu_buffer_destroy(device, &surface->vertices);
}
