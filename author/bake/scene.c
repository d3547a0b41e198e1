/* SPDX-License-Identifier: MIT */
/* Writes the baked character as a scene: one mesh with a primitive per part, materials and textures, the skeleton, and
 * a clip with a key per frame in every channel. The character's own morph targets come first, then the baked ones. */
#include <stdio.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/bake/trs.h"
#include "author/retarget/humanoid.h"
#include "host/math/affine.h"

#define NAME_CHARS 32

typedef struct builder {
    const sn_baker *baker;
    sn_arena *arena;
    sn_scene_file *scene;
    int morph_count;    /* own and baked targets */
    int32_t *vertices;  /* (vertex_count) vertices of the current part */
    int32_t *local;     /* (vertex_count) */
    int32_t *materials; /* (material_count) index in the scene; -1: used by no part */
} builder;

static float *gather_floats(const builder *b, const float *from, int width, int stride, int count)
{
    float *to = SN_NEW(b->arena, float, (size_t)count *(size_t)width);
    for (int i = 0; to && i < count; ++i) {
        memcpy(to + (size_t)i * (size_t)width, from + (size_t)b->vertices[i] * (size_t)stride,
               (size_t)width * sizeof(float));
    }
    return to;
}

static float *gather_colors(const builder *b, int count, bool *is_white)
{
    float *to = SN_NEW(b->arena, float, 4 * (size_t)count);
    *is_white = true;
    for (int i = 0; to && i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            const uint16_t value = b->baker->model->surface_colors[4 * (size_t)b->vertices[i] + (size_t)k];
            to[4 * i + k] = (float)value / UINT16_MAX;
            *is_white &= value == UINT16_MAX;
        }
    }
    return to;
}

/* Returns whether any texture uses the second set of coordinates; unused ones are not written. */
static bool uses_second_uvs(const sn_material *material)
{
    bool is_used = false;
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        is_used |= material->textures[use] >= 0 && material->uv_sets[use] == 1;
    }
    return is_used;
}

static bool gather_attributes(const builder *b, int count, const sn_material *material, sn_scene_primitive *p)
{
    const sn_model *m = b->baker->model;
    bool is_white = true;
    p->positions = gather_floats(b, b->baker->rest, 3, 3, count);
    p->normals = gather_floats(b, m->surface_normals, 3, 3, count);
    p->uvs[0] = gather_floats(b, m->surface_uvs, 2, 4, count);
    if (material->textures[SN_TEXTURE_NORMAL] >= 0) {
        p->tangents = gather_floats(b, m->surface_tangents, 4, 4, count);
    }
    if (uses_second_uvs(material)) {
        p->uvs[1] = gather_floats(b, m->surface_uvs + 2, 2, 4, count);
    }
    p->colors = gather_colors(b, count, &is_white);
    const bool is_ok = p->positions && p->normals && p->uvs[0] && p->colors;
    p->colors = is_white ? NULL : p->colors;
    return is_ok;
}

static bool gather_influences(const builder *b, int count, sn_scene_primitive *p)
{
    const sn_baker *from = b->baker;
    const size_t width = (size_t)from->influence_count;
    p->influence_count = from->influence_count;
    p->weights = gather_floats(b, from->weights, from->influence_count, from->influence_count, count);
    p->joints = SN_NEW(b->arena, int32_t, width * (size_t)count);
    for (int i = 0; p->joints && i < count; ++i) {
        memcpy(p->joints + (size_t)i * width, from->influences + (size_t)b->vertices[i] * width,
               width * sizeof(int32_t));
    }
    return p->weights && p->joints;
}

/* The model stores its own targets per vertex; the scene stores them per target. */
static bool gather_morphs(const builder *b, int count, sn_scene_primitive *p)
{
    const sn_model *m = b->baker->model;
    p->morph_positions = SN_NEW(b->arena, float *, b->morph_count);
    p->morph_normals = SN_NEW(b->arena, float *, b->morph_count);
    bool is_ok = p->morph_positions && p->morph_normals;
    for (int k = 0; k < m->counts.morph_count && is_ok; ++k) {
        p->morph_positions[k] = SN_NEW(b->arena, float, 3 * (size_t)count);
        is_ok = p->morph_positions[k] != NULL;
    }
    for (int i = 0; i < count && is_ok && m->counts.morph_count > 0; ++i) {
        for (int k = m->morph_starts[b->vertices[i]]; k < m->morph_starts[b->vertices[i] + 1]; ++k) {
            const sn_morph_delta *delta = &m->morph_deltas[k];
            for (int d = 0; d < 3; ++d) {
                p->morph_positions[delta->morph][3 * i + d] = (float)((double)delta->offset[d] / m->scale);
            }
        }
    }
    for (int k = 0; k < b->baker->target_count && is_ok; ++k) {
        const int at = m->counts.morph_count + k;
        p->morph_positions[at] = gather_floats(b, b->baker->target_positions[k], 3, 3, count);
        p->morph_normals[at] = gather_floats(b, b->baker->target_normals[k], 3, 3, count);
        is_ok = p->morph_positions[at] && p->morph_normals[at];
    }
    return is_ok;
}

static bool add_primitive(const builder *b, int part, sn_scene_primitive *p)
{
    const sn_model *m = b->baker->model;
    const int count = sn_bake_part_vertices(m, part, b->vertices, b->local);
    *p = (sn_scene_primitive){.vertex_count = count,
                              .triangle_count = m->parts[part].triangle_count,
                              .material = b->materials[m->parts[part].material]};
    p->triangles = SN_NEW(b->arena, int32_t, 3 * (size_t)p->triangle_count);
    for (int i = 0; p->triangles && i < 3 * p->triangle_count; ++i) {
        p->triangles[i] = b->local[m->surface_triangles[3 * m->parts[part].first_triangle + i]];
    }
    return p->triangles && gather_attributes(b, count, &m->materials[m->parts[part].material], p) &&
           gather_influences(b, count, p) && gather_morphs(b, count, p);
}

static bool add_morph_names(const builder *b, sn_scene_mesh *mesh)
{
    const sn_model *m = b->baker->model;
    mesh->morph_count = b->morph_count;
    mesh->morph_weights = SN_NEW(b->arena, float, b->morph_count);
    mesh->morph_names = SN_NEW(b->arena, const char *, b->morph_count);
    bool is_ok = mesh->morph_weights && mesh->morph_names;
    for (int k = 0; k < m->counts.morph_count && is_ok; ++k) {
        mesh->morph_names[k] = sn_model_morph_name(m, k);
        mesh->morph_weights[k] = m->morph_default_weights[k];
    }
    for (int k = 0; k < b->baker->target_count && is_ok; ++k) {
        char *name = SN_NEW(b->arena, char, NAME_CHARS);
        is_ok = name != NULL;
        if (is_ok) {
            snprintf(name, NAME_CHARS, "flesh %d", k);
            mesh->morph_names[m->counts.morph_count + k] = name;
        }
    }
    return is_ok;
}

/* Numbers the materials. Materials without a part are not written. */
static void number_materials(builder *b)
{
    const sn_model *m = b->baker->model;
    int32_t count = 0;
    for (int i = 0; i < m->counts.material_count; ++i) {
        b->materials[i] = -1;
        for (int part = 0; part < m->counts.part_count && b->materials[i] < 0; ++part) {
            b->materials[i] = m->parts[part].triangle_count > 0 && m->parts[part].material == i ? count++ : -1;
        }
    }
}

static bool add_mesh(builder *b)
{
    const sn_model *m = b->baker->model;
    sn_scene_file *s = b->scene;
    s->primitives = SN_NEW(b->arena, sn_scene_primitive, m->counts.part_count);
    s->meshes = SN_NEW(b->arena, sn_scene_mesh, 1);
    bool is_ok = s->primitives && s->meshes;
    for (int part = 0; part < m->counts.part_count && is_ok; ++part) {
        if (m->parts[part].triangle_count > 0) {
            is_ok = add_primitive(b, part, &s->primitives[s->primitive_count++]);
        }
    }
    if (is_ok) {
        s->mesh_count = 1;
        s->meshes[0] = (sn_scene_mesh){.name = "body", .primitive_count = s->primitive_count};
        is_ok = add_morph_names(b, &s->meshes[0]);
    }
    return is_ok;
}

static bool add_materials(builder *b)
{
    static const float identity[6] = {1, 0, 0, 0, 1, 0};
    const sn_model *m = b->baker->model;
    sn_scene_file *s = b->scene;
    s->texture_count = m->counts.texture_count;
    s->materials = SN_NEW(b->arena, sn_scene_material, m->counts.material_count);
    s->textures = SN_NEW(b->arena, sn_scene_texture, s->texture_count);
    uint8_t *pixels = SN_NEW(b->arena, uint8_t, m->counts.texture_bytes);
    if (!s->materials || !s->textures || !pixels) {
        return false;
    }
    if (m->counts.texture_bytes > 0) {
        memcpy(pixels, m->texture_pixels, (size_t)m->counts.texture_bytes);
    }
    for (int i = 0; i < m->counts.material_count; ++i) {
        if (b->materials[i] < 0) {
            continue;
        }
        sn_scene_material *to = &s->materials[s->material_count++];
        *to = (sn_scene_material){.name = sn_model_material_name(m, i), .values = m->materials[i]};
        if (m->toon_count > 0) {
            to->toon = m->toons[i];
            to->toon.outline_width /= to->toon.outline == SN_OUTLINE_WORLD ? (float)m->scale : 1;
        }
        for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
            memcpy(to->uv_transforms[use], identity, sizeof identity);
        }
    }
    for (int i = 0; i < s->texture_count; ++i) {
        const sn_texture *t = &m->textures[i];
        s->textures[i] = (sn_scene_texture){.width = t->width,
                                            .height = t->height,
                                            .pixels = pixels + t->first_byte,
                                            .wrap_u = (sn_texture_wrap)t->wrap_u,
                                            .wrap_v = (sn_texture_wrap)t->wrap_v,
                                            .is_nearest = t->is_nearest != 0};
    }
    return true;
}

static void fill_node(const char *name, int32_t parent, const double *rest, sn_scene_node *node)
{
    *node = (sn_scene_node){.name = name, .parent = parent, .mesh = -1, .skin = -1, .is_in_scene = true};
    memcpy(node->translation, rest, sizeof node->translation);
    memcpy(node->rotation, rest + 3, sizeof node->rotation);
    memcpy(node->scale, rest + 7, sizeof node->scale);
    sn_trs trs;
    memcpy(&trs, rest, sizeof trs);
    sn_trs_compose(&trs, node->local);
}

/* Adds the skeleton, then the node with the mesh. */
static bool add_nodes(builder *b)
{
    static const double identity[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    const sn_baker *from = b->baker;
    sn_scene_file *s = b->scene;
    s->node_count = from->node_count + 1;
    s->nodes = SN_NEW(b->arena, sn_scene_node, s->node_count);
    s->skins = SN_NEW(b->arena, sn_scene_skin, 1);
    int32_t *joints = SN_NEW(b->arena, int32_t, from->joint_count);
    double *inverse_bind = SN_NEW(b->arena, double, 12 * (size_t)from->joint_count);
    if (!s->nodes || !s->skins || !joints || !inverse_bind) {
        return false;
    }
    for (int i = 0; i < from->node_count; ++i) {
        fill_node(from->nodes[i].name, from->nodes[i].parent, from->nodes[i].rest, &s->nodes[i]);
    }
    fill_node("body", -1, identity, &s->nodes[from->node_count]);
    s->nodes[from->node_count].mesh = s->nodes[from->node_count].skin = 0;
    for (int j = 0; j < from->joint_count; ++j) {
        joints[j] = from->joint_nodes[j];
        sn_affine_invert(from->joints[j].bind, inverse_bind + 12 * (size_t)j);
    }
    s->skin_count = 1;
    s->skins[0] = (sn_scene_skin){.joint_count = from->joint_count, .joints = joints, .inverse_bind = inverse_bind};
    return true;
}

/* Humanoid bones, expressions and the licence of a VRM. Files of VRM 0.x face -Z, those of 1.0 +Z: the root turns. */
static bool add_vrm(builder *b)
{
    const sn_baker *from = b->baker;
    const sn_model *m = from->model;
    sn_scene_file *s = b->scene;
    s->vrm = m->vrm;
    s->vrm_version = 2;
    s->humanoid_bones = SN_NEW(b->arena, sn_scene_humanoid_bone, m->counts.bone_count);
    s->expressions = SN_NEW(b->arena, sn_scene_expression, m->counts.expression_count);
    s->expression_binds = SN_NEW(b->arena, sn_scene_expression_bind, m->counts.expression_bind_count);
    if (!s->humanoid_bones || !s->expressions || !s->expression_binds) {
        return false;
    }
    for (int bone = 0; bone < m->counts.bone_count && m->has_roles > 0; ++bone) {
        if (m->bone_roles[bone] >= 0) {
            s->humanoid_bones[s->humanoid_bone_count++] =
                (sn_scene_humanoid_bone){sn_humanoid_name(m->bone_roles[bone]), from->joint_nodes[bone]};
        }
    }
    for (int i = 0; i < m->counts.expression_count; ++i) {
        const sn_expression *e = &m->expressions[i];
        s->expressions[i] = (sn_scene_expression){.name = sn_model_expression_name(m, i),
                                                  .is_binary = e->is_binary != 0,
                                                  .first_bind = e->first_bind,
                                                  .bind_count = e->bind_count};
    }
    for (int i = 0; i < m->counts.expression_bind_count; ++i) {
        const sn_expression_bind *bind = &m->expression_binds[i];
        s->expression_binds[i] = (sn_scene_expression_bind){
            .node = from->node_count, .mesh = 0, .morph = bind->morph, .weight = bind->weight};
    }
    s->expression_count = m->counts.expression_count;
    s->expression_bind_count = m->counts.expression_bind_count;
    if (m->vrm_version == 1) {
        memcpy(s->nodes[0].rotation, (const double[4]){0, 1, 0, 0}, sizeof s->nodes[0].rotation);
    }
    return true;
}

static bool add_channel(builder *b, int32_t node, sn_scene_path path, int width, float *times)
{
    sn_scene_channel *channel = &b->scene->channels[b->scene->channel_count++];
    *channel = (sn_scene_channel){.node = node,
                                  .path = path,
                                  .interpolation = SN_KEYS_LINEAR,
                                  .key_count = b->baker->frame_count,
                                  .width = width,
                                  .times = times};
    channel->values = sn_arena_alloc(b->arena, (size_t)b->baker->frame_count, (size_t)width * sizeof(float));
    return channel->values != NULL;
}

static bool add_track(builder *b, int32_t node, sn_scene_path path, float *times)
{
    static const int starts[] = {[SN_PATH_TRANSLATION] = 0, [SN_PATH_ROTATION] = 3, [SN_PATH_SCALE] = 7};
    const int width = path == SN_PATH_ROTATION ? 4 : 3;
    const double *track = b->baker->nodes[node].tracks + starts[path];
    if (!add_channel(b, node, path, width, times)) {
        return false;
    }
    float *values = b->scene->channels[b->scene->channel_count - 1].values;
    for (int f = 0; f < b->baker->frame_count; ++f) {
        for (int k = 0; k < width; ++k) {
            values[f * width + k] = (float)track[10 * f + k];
        }
    }
    return true;
}

static bool add_weight_track(builder *b, float *times)
{
    const sn_baker *from = b->baker;
    const size_t own = (size_t)from->model->counts.morph_count, baked = (size_t)from->target_count;
    if (!add_channel(b, from->node_count, SN_PATH_WEIGHTS, b->morph_count, times)) {
        return false;
    }
    float *values = b->scene->channels[b->scene->channel_count - 1].values;
    for (size_t f = 0; f < (size_t)from->frame_count; ++f) {
        float *row = values + f * (own + baked);
        const float *morphs =
            from->motion->morphs ? from->motion->morphs + f * own : from->model->morph_default_weights;
        if (own > 0) {
            memcpy(row, morphs, own * sizeof(float));
        }
        if (baked > 0) {
            memcpy(row + own, from->target_weights + f * baked, baked * sizeof(float));
        }
    }
    return true;
}

static bool add_clip(builder *b)
{
    const sn_baker *from = b->baker;
    sn_scene_file *s = b->scene;
    float *times = SN_NEW(b->arena, float, from->frame_count);
    s->channels = SN_NEW(b->arena, sn_scene_channel, 3 * (size_t)from->node_count + 1);
    s->clips = SN_NEW(b->arena, sn_scene_clip, 1);
    bool is_ok = times && s->channels && s->clips;
    for (int f = 0; f < from->frame_count && is_ok; ++f) {
        times[f] = (float)(f / from->motion->frame_rate);
    }
    for (int32_t node = 0; node < from->node_count && is_ok; ++node) {
        for (int path = SN_PATH_TRANSLATION; path <= SN_PATH_SCALE && from->nodes[node].tracks && is_ok; ++path) {
            is_ok = add_track(b, node, (sn_scene_path)path, times);
        }
    }
    if (b->morph_count > 0 && is_ok) {
        is_ok = add_weight_track(b, times);
    }
    if (is_ok) {
        s->clip_count = 1;
        s->clips[0] = (sn_scene_clip){.name = from->desc.clip_name ? from->desc.clip_name : "motion",
                                      .channel_count = s->channel_count,
                                      .seconds = (double)times[from->frame_count - 1]};
    }
    return is_ok;
}

sn_result sn_baker_build_scene(const sn_baker *baker, sn_scene_file *scene)
{
    *scene = (sn_scene_file){0};
    builder b = {.baker = baker,
                 .arena = baker->arena,
                 .scene = scene,
                 .morph_count = baker->model->counts.morph_count + baker->target_count,
                 .vertices = SN_NEW(baker->arena, int32_t, baker->vertex_count),
                 .local = SN_NEW(baker->arena, int32_t, baker->vertex_count),
                 .materials = SN_NEW(baker->arena, int32_t, baker->model->counts.material_count)};
    if (!b.vertices || !b.local || !b.materials) {
        return SN_ERROR_MEMORY;
    }
    number_materials(&b);
    const bool is_ok =
        add_mesh(&b) && add_materials(&b) && add_nodes(&b) && add_clip(&b) && (!baker->desc.is_vrm || add_vrm(&b));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
