/* SPDX-License-Identifier: MIT */
#include "author/import/drawing.h"

#include <math.h>
#include <string.h>

/* Minimum fill fraction of a cell, so that cells crossed by thin lines keep some mass. */
#define MIN_FILL 0.1

/* Writes vertices in the order in which triangles use them, as characters require. Triangles with a texture patch of
 * their own do not share vertices. */
static sn_result write_primitive(const sn_picture_mesh *m, const sn_drawing *drawing, const float *uvs, sn_arena *arena,
                                 sn_scene_primitive *p, int32_t *nodes)
{
    const size_t corner_count = 3 * (size_t)m->triangle_count;
    int32_t *shared = SN_NEW(arena, int32_t, m->vertex_count); /* vertex of each node outside of patches */
    p->positions = SN_NEW(arena, float, 3 * corner_count);
    p->normals = SN_NEW(arena, float, 3 * corner_count);
    p->uvs[0] = SN_NEW(arena, float, 2 * corner_count);
    p->triangles = SN_NEW(arena, int32_t, corner_count);
    if (!shared || !p->positions || !p->normals || !p->uvs[0] || !p->triangles) {
        return SN_ERROR_MEMORY;
    }
    memset(shared, -1, (size_t)m->vertex_count * sizeof *shared);
    for (size_t i = 0; i < corner_count; ++i) {
        const int32_t node = m->triangles[i];
        const bool has_patch = sn_picture_is_shared(m, (int)(i / 3));
        int32_t vertex = has_patch ? -1 : shared[node];
        if (vertex < 0) {
            vertex = p->vertex_count++;
            shared[node] = has_patch ? shared[node] : vertex;
            nodes[vertex] = node;
            const double *position = m->positions + 2 * (size_t)node;
            p->positions[3 * vertex] = (float)(position[0] * drawing->pixel_size);
            p->positions[3 * vertex + 1] = (float)(drawing->height - position[1] * drawing->pixel_size);
            p->normals[3 * vertex + 2] = 1;
            memcpy(p->uvs[0] + 2 * (size_t)vertex, uvs + 2 * i, 2 * sizeof *uvs);
        }
        p->triangles[i] = vertex;
    }
    p->triangle_count = m->triangle_count;
    return SN_OK;
}

sn_scene_material sn_picture_material(const char *name, bool is_double_sided)
{
    sn_scene_material material = {.name = name,
                                  .values = {.base_color = {1, 1, 1, 1},
                                             .roughness = 1,
                                             .normal_scale = 1,
                                             .occlusion_strength = 1,
                                             .alpha_cutoff = 0.5F,
                                             .alpha_mode = SN_ALPHA_BLEND,
                                             .is_double_sided = is_double_sided,
                                             .is_unlit = true,
                                             .textures = {0, -1, -1, -1, -1}}};
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        material.uv_transforms[use][0] = material.uv_transforms[use][4] = 1;
    }
    return material;
}

/* Builds a scene of one node that draws the picture. */
static sn_result build_scene(sn_arena *arena, const sn_drawing_texture *texture, sn_scene_primitive *primitive,
                             sn_scene_file *scene)
{
    sn_scene_node *node = SN_NEW(arena, sn_scene_node, 1);
    sn_scene_mesh *mesh = SN_NEW(arena, sn_scene_mesh, 1);
    sn_scene_material *material = SN_NEW(arena, sn_scene_material, 1);
    sn_scene_texture *picture = SN_NEW(arena, sn_scene_texture, 1);
    if (!node || !mesh || !material || !picture) {
        return SN_ERROR_MEMORY;
    }
    *node = (sn_scene_node){.name = "drawing", .parent = -1, .skin = -1, .is_in_scene = true, .rotation = {0, 0, 0, 1}};
    for (int d = 0; d < 3; ++d) {
        node->scale[d] = 1;
        node->local[5 * d] = 1;
    }
    *mesh = (sn_scene_mesh){.name = "drawing", .primitive_count = 1};
    *material = sn_picture_material("drawing", true);
    *picture = (sn_scene_texture){.width = texture->image.width,
                                  .height = texture->image.height,
                                  .pixels = texture->image.pixels,
                                  .wrap_u = SN_WRAP_CLAMP,
                                  .wrap_v = SN_WRAP_CLAMP};
    *scene = (sn_scene_file){.node_count = 1,
                             .mesh_count = 1,
                             .primitive_count = 1,
                             .material_count = 1,
                             .texture_count = 1,
                             .nodes = node,
                             .meshes = mesh,
                             .primitives = primitive,
                             .materials = material,
                             .textures = picture};
    return SN_OK;
}

static void warn_about_mesh(const char *path, const sn_picture_mesh *mesh)
{
    if (mesh->is_full) {
        sn_log(SN_LOG_WARNING,
               "%s: every pixel is opaque, so the body is the whole rectangle; give its shape with --mask", path);
    }
    if (mesh->piece_count > 1) {
        sn_log(
            SN_LOG_WARNING,
            "%s: the drawing has %d islands and stays in %d separate pieces, since some are too far apart to be joined",
            path, mesh->island_count, mesh->piece_count);
    }
}

void sn_handles_flip_y(sn_rig_handles *handles, double height)
{
    for (int i = 0; i < handles->count; ++i) {
        for (int v = 0; v < handles->handles[i].point_count; ++v) {
            double *y = &handles->handles[i].points[3 * (size_t)v + 1];
            *y = height - *y;
        }
    }
}

/* Flips the y axis of the clips' transforms, as sn_handles_flip_y does for the handles. */
static sn_result convert_clips(const sn_drawing *drawing, sn_arena *arena, sn_character *character)
{
    const double height = drawing->height;
    character->clips = SN_NEW(arena, sn_character_clip, drawing->clip_count);
    if (!character->clips) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < drawing->clip_count; ++i) {
        const sn_drawing_clip *clip = &drawing->clips[i];
        for (size_t k = 0; k < (size_t)clip->frame_count * (size_t)drawing->handles.count; ++k) {
            double *m = clip->transforms + 12 * k;
            m[3] += m[1] * height;
            m[7] = height - m[5] * height - m[7];
            m[1] = -m[1];
            m[4] = -m[4];
        }
        character->clips[i] = (sn_character_clip){.name = clip->name,
                                                  .frame_count = clip->frame_count,
                                                  .frame_rate = clip->frame_rate,
                                                  .transforms = clip->transforms};
    }
    character->clip_count = drawing->clip_count;
    return SN_OK;
}

static sn_result build_character(const char *path, const sn_drawing *drawing, const sn_picture_mesh *mesh,
                                 sn_arena *arena, sn_drawing_body *body)
{
    const size_t t_count = (size_t)mesh->triangle_count;
    sn_drawing_texture texture;
    sn_scene_file *scene = SN_NEW(arena, sn_scene_file, 1);
    sn_scene_primitive *primitive = SN_NEW(arena, sn_scene_primitive, 1);
    body->nodes = SN_NEW(arena, int32_t, 3 * t_count);
    body->fill = SN_NEW(arena, double, t_count);
    if (!scene || !primitive || !body->nodes || !body->fill) {
        return SN_ERROR_MEMORY;
    }
    for (size_t t = 0; t < t_count; ++t) {
        body->fill[t] = fmax(mesh->fill[t], MIN_FILL);
    }
    SN_TRY(sn_drawing_texture_build(path, &drawing->image, mesh, arena, &texture));
    SN_TRY(write_primitive(mesh, drawing, texture.uvs, arena, primitive, body->nodes));
    SN_TRY(build_scene(arena, &texture, primitive, scene));
    return sn_character_build(scene, path, arena, &body->character);
}

sn_result sn_drawing_body_build(const char *path, const char *mask_path, int vertex_count, sn_arena *arena,
                                sn_drawing_body *body)
{
    sn_arena scratch = {0}; /* for data of the size of the picture */
    sn_drawing drawing;
    sn_picture_mesh mesh;
    *body = (sn_drawing_body){.nodes = NULL};
    sn_result result = sn_drawing_read(path, mask_path, arena, &scratch, &drawing);
    if (result == SN_OK) {
        const sn_picture_input input = {path, drawing.image.width, drawing.image.height, drawing.image.pixels,
                                        vertex_count};
        result = sn_picture_mesh_build(&input, &scratch, &mesh);
    }
    if (result == SN_OK) {
        warn_about_mesh(path, &mesh);
        result = build_character(path, &drawing, &mesh, arena, body);
    }
    if (result == SN_OK) {
        body->height = drawing.height;
        sn_handles_flip_y(&drawing.handles, drawing.height);
        body->handles = drawing.handles;
        result = convert_clips(&drawing, arena, &body->character);
    }
    sn_arena_finish(&scratch);
    return result;
}
