/* SPDX-License-Identifier: MIT */
/* Cooks from arrays: builds a scene with one mesh from a surface, as if it were read from a file. */
#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "author/cook/handles/handles.h"
#include "author/cook/stages/stages.h"
#include "author/import/drawing.h"

static const char *mesh_name(const sn_cook_mesh_input *m)
{
    return m->name ? m->name : "mesh";
}

static sn_result check_indices(const sn_cook_mesh_input *m, const char *what, const int32_t *indices, int count,
                               int corners)
{
    for (int64_t i = 0; i < (int64_t)count * corners; ++i) {
        if (indices[i] < 0 || indices[i] >= m->vertex_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: %s %lld: vertex %d does not exist; there are %d", mesh_name(m), what,
                           (long long)(i / corners), indices[i], m->vertex_count);
        }
    }
    return SN_OK;
}

static sn_result check(const sn_cook_mesh_input *m, const sn_cook_desc *desc)
{
    if (m->vertex_count < 1 || (m->tets ? m->tet_count : m->triangle_count) < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: it has no vertices or no %s", mesh_name(m),
                       m->tets ? "tet" : "triangle");
    }
    if (desc->tets_path || desc->rig_path || (m->weights && !desc->handles) || (m->tets && desc->is_flat)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s", mesh_name(m),
                       desc->tets_path || desc->rig_path ? "a body made of arrays cannot use files"
                       : m->tets && desc->is_flat        ? "a flat body has triangles, not tets"
                                                         : "weights need handles");
    }
    for (int i = 0; i < 3 * m->vertex_count; ++i) {
        if (!(fabs(m->positions[i]) < 1e30)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: vertex %d: position is not finite, or beyond 1e30", mesh_name(m),
                           i / 3);
        }
    }
    return m->tets ? check_indices(m, "tet", m->tets, m->tet_count, 4)
                   : check_indices(m, "triangle", m->triangles, m->triangle_count, 3);
}

static sn_result check_weights(const sn_cook_mesh_input *m, int bone_count)
{
    for (int v = 0; v < m->vertex_count && m->weights; ++v) {
        const double *row = m->weights + (size_t)v * (size_t)bone_count;
        double sum = 0, min_weight = 0;
        for (int b = 0; b < bone_count; ++b) {
            sum += row[b];
            min_weight = fmin(min_weight, row[b]);
        }
        if (!(sum > 0 && isfinite(sum) && min_weight >= 0)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: weights of vertex %d: negative, not finite, or all 0", mesh_name(m),
                           v);
        }
    }
    return SN_OK;
}

/* ---- tets ---- */

static sn_result copy_tets(sn_cook_context *cook, const sn_cook_mesh_input *m)
{
    const size_t n = (size_t)m->vertex_count, t = (size_t)m->tet_count;
    cook->mesh = (sn_tet_mesh){.vertex_count = m->vertex_count,
                               .tet_count = m->tet_count,
                               .positions = SN_NEW(&cook->arena, double, 3 * n),
                               .tets = SN_NEW(&cook->arena, int32_t, 4 * t)};
    if (!cook->mesh.positions || !cook->mesh.tets) {
        return SN_ERROR_MEMORY;
    }
    memcpy(cook->mesh.positions, m->positions, 3 * n * sizeof(double));
    memcpy(cook->mesh.tets, m->tets, 4 * t * sizeof(int32_t));
    if (m->weights) { /* never written to */
        cook->rig.vertex_count = m->vertex_count;
        cook->rig.weights = (double *)(uintptr_t)m->weights;
    }
    return SN_OK;
}

/* ---- a surface ---- */

static sn_result add_vertices(sn_arena *arena, const sn_cook_mesh_input *m, sn_scene_primitive *primitive)
{
    const size_t n = (size_t)m->vertex_count, t = (size_t)m->triangle_count;
    *primitive = (sn_scene_primitive){.vertex_count = m->vertex_count,
                                      .triangle_count = m->triangle_count,
                                      .positions = SN_NEW(arena, float, 3 * n),
                                      .triangles = SN_NEW(arena, int32_t, 3 * t),
                                      .uvs = {m->uvs ? SN_NEW(arena, float, 2 * n) : NULL},
                                      .material = m->texture ? 0 : -1};
    if (!primitive->positions || !primitive->triangles || (m->uvs && !primitive->uvs[0])) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        primitive->positions[i] = (float)m->positions[i];
    }
    for (size_t i = 0; i < 2 * n && m->uvs; ++i) {
        primitive->uvs[0][i] = (float)m->uvs[i];
    }
    memcpy(primitive->triangles, m->triangles, 3 * t * sizeof(int32_t));
    return SN_OK;
}

/* Makes a skin of the weights: nodes 1 and up are its joints, node 0 is the mesh. */
static sn_result add_skin(sn_arena *arena, const sn_cook_mesh_input *m, const sn_cook_handles *handles,
                          sn_scene_file *scene)
{
    const size_t n = (size_t)m->vertex_count, count = (size_t)handles->count, padded_count = (count + 3) / 4 * 4;
    sn_scene_primitive *p = &scene->primitives[0];
    sn_scene_skin *skin = SN_NEW(arena, sn_scene_skin, 1);
    int32_t *joints = SN_NEW(arena, int32_t, count);
    double *unbind = SN_NEW(arena, double, 12 * count);
    p->joints = SN_NEW(arena, int32_t, n * padded_count);
    p->weights = SN_NEW(arena, float, n *padded_count);
    if (!skin || !joints || !unbind || !p->joints || !p->weights) {
        return SN_ERROR_MEMORY;
    }
    p->influence_count = (int)padded_count;
    for (size_t v = 0; v < n; ++v) {
        double sum = 0;
        for (size_t b = 0; b < count; ++b) {
            sum += m->weights[v * count + b];
        }
        for (size_t b = 0; b < count; ++b) {
            const float weight = (float)(m->weights[v * count + b] / sum);
            p->joints[v * padded_count + b] = weight > 0 ? (int32_t)b : 0;
            p->weights[v * padded_count + b] = weight;
        }
    }
    for (size_t b = 0; b < count; ++b) {
        const double *at = handles->handles[b].start;
        joints[b] = (int32_t)b + 1;
        for (int i = 0; i < 12; ++i) {
            const double identity = i % 5 == 0 ? 1 : 0;
            scene->nodes[b + 1].local[i] = i % 4 == 3 ? at[i / 4] : identity;
            unbind[12 * b + (size_t)i] = i % 4 == 3 ? -at[i / 4] : identity;
        }
        memcpy(scene->nodes[b + 1].translation, at, 3 * sizeof(double));
        scene->nodes[b + 1].name = handles->handles[b].name ? handles->handles[b].name : "";
        scene->nodes[b + 1].mesh = -1;
    }
    *skin = (sn_scene_skin){handles->count, joints, unbind};
    scene->skins = skin;
    scene->skin_count = 1;
    scene->nodes[0].skin = 0;
    return SN_OK;
}

static bool is_opaque(const uint8_t *pixels, size_t byte_count)
{
    for (size_t i = 3; i < byte_count; i += 4) {
        if (pixels[i] < 255) {
            return false;
        }
    }
    return true;
}

/* A flat body shows its picture unlit; a solid is lit, to show its shape. */
static sn_result add_texture(sn_arena *arena, const sn_cook_mesh_input *m, bool is_flat, sn_scene_file *scene)
{
    const size_t bytes = 4 * (size_t)m->texture_width * (size_t)m->texture_height;
    sn_scene_texture *texture = SN_NEW(arena, sn_scene_texture, 1);
    sn_scene_material *material = SN_NEW(arena, sn_scene_material, 1);
    uint8_t *pixels = SN_NEW(arena, uint8_t, bytes);
    if (!texture || !material || !pixels) {
        return SN_ERROR_MEMORY;
    }
    memcpy(pixels, m->texture, bytes);
    *texture = (sn_scene_texture){.width = m->texture_width,
                                  .height = m->texture_height,
                                  .pixels = pixels,
                                  .wrap_u = SN_WRAP_CLAMP,
                                  .wrap_v = SN_WRAP_CLAMP};
    *material = sn_picture_material("picture", false);
    if (!is_flat) {
        material->values.is_unlit = false;
        material->values.alpha_mode = is_opaque(pixels, bytes) ? SN_ALPHA_OPAQUE : SN_ALPHA_BLEND;
    }
    scene->textures = texture;
    scene->texture_count = 1;
    scene->materials = material;
    scene->material_count = 1;
    return SN_OK;
}

static sn_result build_scene(sn_cook_context *cook, const sn_cook_mesh_input *m, const sn_cook_desc *desc)
{
    const sn_cook_handles *handles = desc->handles;
    const int node_count = 1 + (m->weights ? handles->count : 0);
    sn_scene_file scene = {.node_count = node_count,
                           .mesh_count = 1,
                           .primitive_count = 1,
                           .nodes = SN_NEW(&cook->arena, sn_scene_node, node_count),
                           .meshes = SN_NEW(&cook->arena, sn_scene_mesh, 1),
                           .primitives = SN_NEW(&cook->arena, sn_scene_primitive, 1)};
    if (!scene.nodes || !scene.meshes || !scene.primitives) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < node_count; ++i) {
        scene.nodes[i] = sn_scene_node_default(mesh_name(m));
        scene.nodes[i].mesh = 0;
    }
    scene.meshes[0] = (sn_scene_mesh){.name = mesh_name(m), .primitive_count = 1};
    sn_result result = add_vertices(&cook->arena, m, scene.primitives);
    if (result == SN_OK && m->weights) {
        result = add_skin(&cook->arena, m, handles, &scene);
    }
    if (result == SN_OK && m->texture) {
        result = add_texture(&cook->arena, m, desc->is_flat, &scene);
    }
    if (result == SN_OK) {
        result = sn_character_build(&scene, mesh_name(m), &cook->arena, &cook->character);
    }
    cook->has_character = result == SN_OK;
    return result;
}

/* The skin provides the weights; the handles provide everything else of the bones. */
static sn_result store_skin(sn_cook_context *cook, const sn_cook_handles *handles)
{
    sn_handle_bones bones;
    SN_TRY(sn_input_handles_bones(handles, &cook->arena, &bones));
    memcpy(cook->character.bone_parents, bones.parents, (size_t)handles->count * sizeof *bones.parents);
    cook->is_translated = bones.is_translated;
    cook->is_stretchable = bones.is_stretchable;
    cook->stored = handles;
    return SN_OK;
}

sn_result sn_cook_mesh(const sn_cook_mesh_input *mesh, const sn_cook_desc *desc, sn_blob *blob, sn_cook_report *report)
{
    sn_cook_context cook = {.path = NULL};
    sn_cook_desc skin_desc = *desc;
    *blob = (sn_blob){0};
    sn_result result = check(mesh, desc);
    if (result == SN_OK && desc->handles) {
        result = sn_input_handles_check(desc->handles);
        result = result ? result : check_weights(mesh, desc->handles->count);
    }
    if (result == SN_OK) {
        result = mesh->tets ? copy_tets(&cook, mesh) : build_scene(&cook, mesh, desc);
    }
    if (result == SN_OK && !mesh->tets && mesh->weights) {
        result = store_skin(&cook, desc->handles);
        skin_desc.handles = NULL;
    }
    if (result == SN_OK) {
        result = sn_cook_context_run(&cook, mesh_name(mesh), &skin_desc);
    }
    if (report) {
        *report = cook.report;
    }
    if (result == SN_OK) {
        result = sn_blob_copy(cook.bytes, cook.size, blob);
    }
    sn_cook_context_finish(&cook);
    return result;
}
