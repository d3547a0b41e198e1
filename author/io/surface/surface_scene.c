/* SPDX-License-Identifier: MIT */
#include "author/io/surface/surface_scene.h"

#include <math.h>
#include <string.h>

#include "host/math/srgb.h"

void sn_colors_linearize(float *colors, size_t count)
{
    for (size_t i = 0; i < count * 4; i++) {
        colors[i] = i % 4 < 3 ? (float)sn_srgb_to_linear((double)colors[i]) : colors[i];
    }
}

void sn_colors_normalize(float *colors, size_t count)
{
    float max_value = 0;
    for (size_t i = 0; i < count * 4; i++) {
        max_value = colors[i] > max_value ? colors[i] : max_value;
    }
    const float scale = max_value > 1 ? 1.0F / 255.0F : 1.0F;
    for (size_t i = 0; i < count * 4; i++) {
        const float value = colors[i] == SN_NO_COLOR ? 1.0F : colors[i] * scale;
        colors[i] = value < 0 ? 0 : value > 1 ? 1 : value;
    }
    sn_colors_linearize(colors, count);
}

void sn_normals_normalize(float *normals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float *normal = normals + i * 3;
        const double x = normal[0];
        const double y = normal[1];
        const double z = normal[2];
        const double length = sqrt(x * x + y * y + z * z);
        for (int k = 0; k < 3 && length > 0; k++) {
            normal[k] = (float)((double)normal[k] / length);
        }
    }
}

/* ---- scenes ---- */

const char *sn_copy_text(sn_arena *arena, sn_token text)
{
    char *copy = SN_NEW(arena, char, text.size + 1);
    if (copy && text.size > 0) {
        memcpy(copy, text.text, text.size);
    }
    return copy;
}

sn_token sn_source_stem(const sn_source *source)
{
    const char *slash = strrchr(source->name, '/');
    const char *stem = slash ? slash + 1 : source->name;
    const char *dot = strrchr(stem, '.');
    return (sn_token){.text = stem, .size = dot && dot > stem ? (size_t)(dot - stem) : strlen(stem)};
}

sn_result sn_surface_scene_create(const sn_source *source, int primitive_count, const double origin[3], sn_arena *arena,
                                  sn_scene_file *scene)
{
    const char *name = sn_copy_text(arena, sn_source_stem(source));
    sn_scene_node *node =
        name ? SN_NEW(arena, sn_scene_node, 1) : NULL; /* stops at the first failure, which is logged */
    sn_scene_mesh *mesh = node ? SN_NEW(arena, sn_scene_mesh, 1) : NULL;
    sn_scene_primitive *primitives = mesh ? SN_NEW(arena, sn_scene_primitive, primitive_count) : NULL;
    if (!primitives) {
        return SN_ERROR_MEMORY;
    }
    *node = (sn_scene_node){.name = name,
                            .parent = -1,
                            .skin = -1,
                            .translation = {origin[0], origin[1], origin[2]},
                            .rotation = {0, 0, 0, 1},
                            .scale = {1, 1, 1},
                            .local = {1, 0, 0, origin[0], 0, 1, 0, origin[1], 0, 0, 1, origin[2]},
                            .is_in_scene = true};
    *mesh = (sn_scene_mesh){.name = name, .primitive_count = primitive_count};
    for (int i = 0; i < primitive_count; i++) {
        primitives[i].material = -1;
    }
    *scene = (sn_scene_file){.node_count = 1,
                             .mesh_count = 1,
                             .primitive_count = primitive_count,
                             .nodes = node,
                             .meshes = mesh,
                             .primitives = primitives};
    return SN_OK;
}

sn_result sn_surface_scene_from_mesh(const sn_source *source, const sn_scene_primitive *mesh,
                                     const sn_polygons *polygons, const double origin[3], sn_arena *arena,
                                     sn_scene_file *scene)
{
    int32_t *triangles = sn_list_copy(&polygons->triangles, sizeof(int32_t[3]), arena);
    SN_TRY(triangles ? sn_surface_scene_create(source, 1, origin, arena, scene) : SN_ERROR_MEMORY);
    scene->primitives[0] = *mesh;
    scene->primitives[0].triangles = triangles;
    scene->primitives[0].triangle_count = (int)polygons->triangles.count;
    scene->primitives[0].material = -1;
    return SN_OK;
}
