/* SPDX-License-Identifier: MIT */
/* Writes the baked character as a scene: its meshes with a primitive per part, materials and textures, the skeleton,
 * and a clip with a key per frame in every channel. A mesh has the morph targets that move it: the character's own
 * first, then the baked ones. */
#include <stdio.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/bake/trs.h"
#include "author/retarget/humanoid.h"
#include "host/math/affine.h"

#define NAME_CHARS 32

/* Successive parts of one name, with the targets that move them. */
typedef struct mesh_group {
    int first_part, end_part;
    int own_count, target_count;
    int32_t *own;     /* (own_count) morph targets of the model */
    int32_t *targets; /* (target_count) baked targets */
} mesh_group;

typedef struct builder {
    const sn_baker *baker;
    sn_arena *arena;
    sn_scene_file *scene;
    int group_count;
    mesh_group *groups; /* (group_count) a mesh each, drawn by a node each, after the skeleton's nodes */
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
static bool gather_own_morphs(const builder *b, const mesh_group *group, int count, sn_scene_primitive *p)
{
    const sn_model *m = b->baker->model;
    int32_t *local = SN_NEW(b->arena, int32_t, m->counts.morph_count); /* 1 + index in the mesh; 0: not in it */
    bool is_ok = local != NULL;
    for (int k = 0; k < group->own_count && is_ok; ++k) {
        local[group->own[k]] = k + 1;
        p->morph_positions[k] = SN_NEW(b->arena, float, 3 * (size_t)count);
        is_ok = p->morph_positions[k] != NULL;
    }
    for (int i = 0; i < count && is_ok && m->counts.morph_count > 0; ++i) {
        for (int k = m->morph_starts[b->vertices[i]]; k < m->morph_starts[b->vertices[i] + 1]; ++k) {
            const sn_morph_delta *delta = &m->morph_deltas[k];
            for (int d = 0; d < 3 && local[delta->morph] > 0; ++d) {
                p->morph_positions[local[delta->morph] - 1][3 * i + d] = (float)((double)delta->offset[d] / m->scale);
            }
        }
    }
    return is_ok;
}

static bool gather_morphs(const builder *b, const mesh_group *group, int count, sn_scene_primitive *p)
{
    const int morph_count = group->own_count + group->target_count;
    p->morph_positions = SN_NEW(b->arena, float *, morph_count);
    p->morph_normals = SN_NEW(b->arena, float *, morph_count);
    bool is_ok = p->morph_positions && p->morph_normals && gather_own_morphs(b, group, count, p);
    for (int k = 0; k < group->target_count && is_ok; ++k) {
        const int at = group->own_count + k;
        p->morph_positions[at] = gather_floats(b, b->baker->target_positions[group->targets[k]], 3, 3, count);
        p->morph_normals[at] = gather_floats(b, b->baker->target_normals[group->targets[k]], 3, 3, count);
        is_ok = p->morph_positions[at] && p->morph_normals[at];
    }
    return is_ok;
}

static bool add_primitive(const builder *b, const mesh_group *group, int part, sn_scene_primitive *p)
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
           gather_influences(b, count, p) && gather_morphs(b, group, count, p);
}

static bool add_morph_names(const builder *b, const mesh_group *group, sn_scene_mesh *mesh)
{
    const sn_model *m = b->baker->model;
    mesh->morph_count = group->own_count + group->target_count;
    mesh->morph_weights = SN_NEW(b->arena, float, mesh->morph_count);
    mesh->morph_names = SN_NEW(b->arena, const char *, mesh->morph_count);
    bool is_ok = mesh->morph_weights && mesh->morph_names;
    for (int k = 0; k < group->own_count && is_ok; ++k) {
        mesh->morph_names[k] = sn_model_morph_name(m, group->own[k]);
        mesh->morph_weights[k] = m->morph_default_weights[group->own[k]];
    }
    for (int k = 0; k < group->target_count && is_ok; ++k) {
        char *name = SN_NEW(b->arena, char, NAME_CHARS);
        is_ok = name != NULL;
        if (is_ok) {
            snprintf(name, NAME_CHARS, "flesh %d", (int)group->targets[k]);
            mesh->morph_names[group->own_count + k] = name;
        }
    }
    return is_ok;
}

static bool moves_vertex(const float *target, int vertex)
{
    const float *offset = target + 3 * (size_t)vertex;
    return offset[0] != 0 || offset[1] != 0 || offset[2] != 0;
}

/* Marks the targets that move a vertex. */
static void mark_targets(const builder *b, int vertex, bool *is_own, bool *is_baked)
{
    const sn_model *m = b->baker->model;
    const bool has_morphs = m->counts.morph_count > 0;
    for (int k = has_morphs ? m->morph_starts[vertex] : 0; has_morphs && k < m->morph_starts[vertex + 1]; ++k) {
        is_own[m->morph_deltas[k].morph] = true;
    }
    for (int k = 0; k < b->baker->target_count; ++k) {
        is_baked[k] = is_baked[k] || moves_vertex(b->baker->target_positions[k], vertex);
    }
}

/* Finds the targets that move a vertex of the group. */
static bool find_targets(const builder *b, mesh_group *group)
{
    const int own_count = b->baker->model->counts.morph_count, target_count = b->baker->target_count;
    bool *is_own = SN_NEW(b->arena, bool, own_count), *is_baked = SN_NEW(b->arena, bool, target_count);
    group->own = SN_NEW(b->arena, int32_t, own_count);
    group->targets = SN_NEW(b->arena, int32_t, target_count);
    if (!is_own || !is_baked || !group->own || !group->targets) {
        return false;
    }
    for (int part = group->first_part; part < group->end_part; ++part) {
        const int count = sn_bake_part_vertices(b->baker->model, part, b->vertices, b->local);
        for (int i = 0; i < count; ++i) {
            mark_targets(b, b->vertices[i], is_own, is_baked);
        }
    }
    for (int k = 0; k < own_count; ++k) {
        if (is_own[k]) {
            group->own[group->own_count++] = k;
        }
    }
    for (int k = 0; k < target_count; ++k) {
        if (is_baked[k]) {
            group->targets[group->target_count++] = k;
        }
    }
    return true;
}

/* Whether a part belongs to the mesh of another. */
static bool is_same_mesh(const builder *b, int part, int other)
{
    const sn_model *m = b->baker->model;
    return b->baker->desc.has_one_mesh || strcmp(sn_model_part_name(m, part), sn_model_part_name(m, other)) == 0;
}

/* Parts without triangles are in no group. */
static bool find_groups(builder *b)
{
    const sn_model *m = b->baker->model;
    b->groups = SN_NEW(b->arena, mesh_group, m->counts.part_count);
    for (int part = 0; part < m->counts.part_count && b->groups; ++part) {
        mesh_group *last = b->group_count > 0 ? &b->groups[b->group_count - 1] : NULL;
        if (m->parts[part].triangle_count == 0) {
            continue;
        }
        if (last && is_same_mesh(b, last->first_part, part)) {
            last->end_part = part + 1;
        } else {
            b->groups[b->group_count++] = (mesh_group){.first_part = part, .end_part = part + 1};
        }
    }
    bool is_ok = b->groups != NULL;
    for (int i = 0; i < b->group_count && is_ok; ++i) {
        is_ok = find_targets(b, &b->groups[i]);
    }
    return is_ok;
}

static const char *name_of_group(const builder *b, int group)
{
    const char *name = sn_model_part_name(b->baker->model, b->groups[group].first_part);
    return *name && !b->baker->desc.has_one_mesh ? name : "body";
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

static bool add_meshes(builder *b)
{
    const sn_model *m = b->baker->model;
    sn_scene_file *s = b->scene;
    s->primitives = SN_NEW(b->arena, sn_scene_primitive, m->counts.part_count);
    s->meshes = SN_NEW(b->arena, sn_scene_mesh, b->group_count);
    bool is_ok = s->primitives && s->meshes;
    for (int i = 0; i < b->group_count && is_ok; ++i) {
        const mesh_group *group = &b->groups[i];
        sn_scene_mesh *mesh = &s->meshes[s->mesh_count++];
        *mesh = (sn_scene_mesh){.name = name_of_group(b, i), .first_primitive = s->primitive_count};
        for (int part = group->first_part; part < group->end_part && is_ok; ++part) {
            if (m->parts[part].triangle_count > 0) {
                is_ok = add_primitive(b, group, part, &s->primitives[s->primitive_count++]);
            }
        }
        mesh->primitive_count = s->primitive_count - mesh->first_primitive;
        is_ok = is_ok && add_morph_names(b, group, mesh);
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
        if (m->encoded_texture_bytes > 0 && m->encoded_textures[i].byte_count > 0) {
            s->textures[i].encoded = m->encoded_texture_data + m->encoded_textures[i].first_byte;
            s->textures[i].encoded_size = (size_t)m->encoded_textures[i].byte_count;
        }
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

/* Adds the skeleton, then a node for each mesh. */
static bool add_nodes(builder *b)
{
    static const double identity[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    const sn_baker *from = b->baker;
    sn_scene_file *s = b->scene;
    s->node_count = from->node_count + b->group_count;
    s->nodes = SN_NEW(b->arena, sn_scene_node, (size_t)s->node_count + (size_t)from->model->spring_joint_count);
    s->skins = SN_NEW(b->arena, sn_scene_skin, 1);
    int32_t *joints = SN_NEW(b->arena, int32_t, from->joint_count);
    double *inverse_bind = SN_NEW(b->arena, double, 12 * (size_t)from->joint_count);
    if (!s->nodes || !s->skins || !joints || !inverse_bind) {
        return false;
    }
    for (int i = 0; i < from->node_count; ++i) {
        fill_node(from->nodes[i].name, from->nodes[i].parent, from->nodes[i].rest, &s->nodes[i]);
    }
    for (int i = 0; i < b->group_count; ++i) {
        sn_scene_node *node = &s->nodes[from->node_count + i];
        fill_node(name_of_group(b, i), -1, identity, node);
        node->mesh = i;
        node->skin = 0;
    }
    for (int j = 0; j < from->joint_count; ++j) {
        joints[j] = from->joint_nodes[j];
        sn_affine_invert(from->joints[j].bind, inverse_bind + 12 * (size_t)j);
    }
    s->skin_count = 1;
    s->skins[0] = (sn_scene_skin){.joint_count = from->joint_count, .joints = joints, .inverse_bind = inverse_bind};
    return true;
}

/* A bind of a morph target for every mesh that it moves. */
static void add_binds(builder *b, const sn_expression_bind *from)
{
    for (int i = 0; i < b->group_count; ++i) {
        for (int k = 0; k < b->groups[i].own_count; ++k) {
            if (b->groups[i].own[k] == from->morph) {
                b->scene->expression_binds[b->scene->expression_bind_count++] = (sn_scene_expression_bind){
                    .node = b->baker->node_count + i, .mesh = i, .morph = k, .weight = from->weight};
            }
        }
    }
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
    s->expression_binds =
        SN_NEW(b->arena, sn_scene_expression_bind, (size_t)m->counts.expression_bind_count * (size_t)b->group_count);
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
        sn_scene_expression *to = &s->expressions[s->expression_count++];
        *to = (sn_scene_expression){sn_model_expression_name(m, i), *e};
        to->definition.first_bind = s->expression_bind_count;
        for (int k = e->first_bind; k < e->first_bind + e->bind_count; ++k) {
            add_binds(b, &m->expression_binds[k]);
        }
        to->definition.bind_count = s->expression_bind_count - to->definition.first_bind;
    }
    if (from->desc.has_springs && !sn_baker_add_springs(from, s)) {
        return false;
    }
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

static bool add_weight_track(builder *b, int index, float *times)
{
    const sn_baker *from = b->baker;
    const mesh_group *group = &b->groups[index];
    const size_t own = (size_t)from->model->counts.morph_count, baked = (size_t)from->target_count;
    const int width = group->own_count + group->target_count;
    if (width == 0) {
        return true;
    }
    if (!add_channel(b, from->node_count + index, SN_PATH_WEIGHTS, width, times)) {
        return false;
    }
    float *row = b->scene->channels[b->scene->channel_count - 1].values;
    for (size_t f = 0; f < (size_t)from->frame_count; ++f, row += width) {
        const float *morphs =
            from->motion->morphs ? from->motion->morphs + f * own : from->model->morph_default_weights;
        for (int k = 0; k < group->own_count; ++k) {
            row[k] = morphs[group->own[k]];
        }
        for (int k = 0; k < group->target_count; ++k) {
            row[group->own_count + k] = from->target_weights[f * baked + (size_t)group->targets[k]];
        }
    }
    return true;
}

static bool add_clip(builder *b)
{
    const sn_baker *from = b->baker;
    sn_scene_file *s = b->scene;
    float *times = SN_NEW(b->arena, float, from->frame_count);
    s->channels = SN_NEW(b->arena, sn_scene_channel, 3 * (size_t)from->node_count + (size_t)b->group_count);
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
    for (int i = 0; i < b->group_count && is_ok; ++i) {
        is_ok = add_weight_track(b, i, times);
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
                 .vertices = SN_NEW(baker->arena, int32_t, baker->vertex_count),
                 .local = SN_NEW(baker->arena, int32_t, baker->vertex_count),
                 .materials = SN_NEW(baker->arena, int32_t, baker->model->counts.material_count)};
    if (!b.vertices || !b.local || !b.materials) {
        return SN_ERROR_MEMORY;
    }
    number_materials(&b);
    const bool is_ok = find_groups(&b) && add_meshes(&b) && add_materials(&b) && add_nodes(&b) && add_clip(&b) &&
                       (!baker->desc.is_vrm || add_vrm(&b));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
