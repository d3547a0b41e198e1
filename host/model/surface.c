/* SPDX-License-Identifier: MIT */
/* Implementation of sinew/surface.h for a model's own surface. */
#include <math.h>
#include <stddef.h>

#include "host/base/base.h"
#include "host/model/model.h"
#include "host/skin/skin.h"

sn_surface sn_model_surface(const sn_model *model)
{
    return (sn_surface){.vertex_count = model->counts.surface_vertex_count,
                        .triangle_count = model->counts.surface_triangle_count,
                        .mode_count = model->counts.mode_count,
                        .morph_count = model->counts.morph_count,
                        .part_count = model->counts.part_count,
                        .material_count = model->counts.material_count,
                        .texture_count = model->counts.texture_count,
                        .diagonal = model->diagonal,
                        .positions = model->surface_positions,
                        .normals = model->surface_normals,
                        .tangents = model->surface_tangents,
                        .uvs = model->surface_uvs,
                        .colors = model->surface_colors,
                        .triangles = model->surface_triangles,
                        .influence_starts = model->influence_starts,
                        .influences = model->influences,
                        .mode_weights = model->surface_modes,
                        .morph_starts = model->morph_starts,
                        .morph_deltas = model->morph_deltas,
                        .parts = model->parts,
                        .materials = model->materials,
                        .toons = model->toon_count > 0 ? model->toons : NULL,
                        .textures = model->textures,
                        .texture_pixels = model->texture_pixels};
}

void sn_surface_bounds(const sn_surface *surface, float low[3], float high[3])
{
    for (size_t d = 0; d < 3; ++d) {
        low[d] = high[d] = surface->vertex_count > 0 ? surface->positions[d] : 0;
        for (size_t v = 1; v < (size_t)surface->vertex_count; ++v) {
            low[d] = fminf(low[d], surface->positions[3 * v + d]);
            high[d] = fmaxf(high[d], surface->positions[3 * v + d]);
        }
    }
}

void sn_surface_strongest_bones(const sn_surface *surface, int vertex, int limit, int32_t *bones, float *weights)
{
    SN_ASSERT(vertex >= 0 && vertex < surface->vertex_count && limit >= 1);
    double sum = 0;
    for (int k = 0; k < limit; ++k) {
        bones[k] = 0;
        weights[k] = 0;
    }
    for (int32_t i = surface->influence_starts[vertex]; i < surface->influence_starts[vertex + 1]; ++i) {
        const sn_influence *influence = &surface->influences[i];
        if (!(influence->weight > weights[limit - 1])) {
            continue;
        }
        int slot = limit - 1;
        for (; slot > 0 && influence->weight > weights[slot - 1]; --slot) {
            bones[slot] = bones[slot - 1];
            weights[slot] = weights[slot - 1];
        }
        bones[slot] = influence->bone;
        weights[slot] = influence->weight;
    }
    for (int k = 0; k < limit; ++k) {
        sum += (double)weights[k];
    }
    for (int k = 0; k < limit && sum > 0; ++k) {
        weights[k] = (float)((double)weights[k] / sum);
    }
}

/* Stores the vector of one vertex; `to` may be null. */
static void store(const double *from, float *to, size_t vertex)
{
    for (size_t d = 0; to && d < 3; ++d) {
        to[3 * vertex + d] = (float)from[d];
    }
}

sn_result sn_surface_skin(const sn_surface *surface, const sn_body_matrices *output, float *positions, float *normals,
                          float *tangents)
{
    SN_ASSERT(output->mode_count <= surface->mode_count && output->morph_count == surface->morph_count);
    const size_t bones = (size_t)output->bone_count, modes = (size_t)output->mode_count;
    const size_t count = bones + (size_t)surface->mode_count;
    double *transforms = sn_alloc(12 * count, sizeof *transforms); /* the modes beyond the output's are zero */
    if (!transforms) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 12 * count; ++i) {
        transforms[i] = i < 12 * (bones + modes) ? (double)output->matrices[i / 12].m[i % 12 / 4][i % 4] : 0;
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        double position[3], normal[3] = {0}, tangent[3] = {0};
        sn_skin_vertex(surface, v, transforms, transforms + 12 * bones, output->morphs, position,
                       normals ? normal : NULL, tangents ? tangent : NULL);
        store(position, positions, (size_t)v);
        store(normal, normals, (size_t)v);
        store(tangent, tangents, (size_t)v);
    }
    sn_free(transforms, 12 * count, sizeof *transforms);
    return SN_OK;
}
