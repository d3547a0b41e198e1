/* SPDX-License-Identifier: MIT */
#include "author/import/character.h"
#include "author/import/animated_springs.h"

#include <math.h>
#include <string.h>

#include "author/import/bone_constraints.h"
#include "author/import/character_bones.h"
#include "author/import/character_clips.h"
#include "author/import/character_morphs.h"
#include "author/import/character_springs.h"
#include "author/import/fill_missing_weights.h"
#include "author/retarget/humanoid.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/mesh/tri_mesh.h"

/* A small file can instance one mesh very often, so the number of drawn vertices is bounded. */
#define MAX_VERTICES (1 << 22)

typedef struct builder {
    const sn_scene_file *scene;
    const char *name;
    sn_arena *arena;
    sn_scene_pose pose;
    sn_bone_list bones;
    sn_morph_map morphs;
    sn_character_piece *pieces;
    int piece_count;
    sn_character *character;
    int vertex_count, triangle_count;
    int64_t influence_count;
} builder;

static sn_result count_used(builder *b, sn_character_piece *p)
{
    const sn_scene_primitive *primitive = p->primitive;
    if (primitive->is_flat && !primitive->normals) {
        p->used_count = 3 * primitive->triangle_count;
        return SN_OK;
    }
    p->new_index = SN_NEW(b->arena, int32_t, primitive->vertex_count);
    if (!p->new_index) {
        return SN_ERROR_MEMORY;
    }
    memset(p->new_index, -1, (size_t)primitive->vertex_count * sizeof(int32_t));
    for (int i = 0; i < 3 * primitive->triangle_count; ++i) {
        int32_t *index = &p->new_index[primitive->triangles[i]];
        *index = *index < 0 ? p->used_count++ : *index;
    }
    return SN_OK;
}

/* Finds substitutes for missing weights and warns about vertices without weights. */
static sn_result find_weight_sources(const builder *b, sn_character_piece *p)
{
    sn_weight_sources substitutes;
    const sn_result result = sn_fill_missing_weights(p->primitive, b->arena, &substitutes);
    p->weight_vertices = substitutes.weight_vertices;
    if (substitutes.filled_count > 0) {
        sn_log(SN_LOG_WARNING,
               "%s: nodes[%d]: %d vertices have no weights; they use those of the nearest vertices with weights",
               b->name, p->node, substitutes.filled_count);
    }
    if (substitutes.unfilled_count > 0) {
        sn_log(SN_LOG_WARNING,
               "%s: nodes[%d]: %d vertices have no weights and are connected to no vertex with weights; they move with "
               "the "
               "skin's topmost joint",
               b->name, p->node, substitutes.unfilled_count);
    }
    return result;
}

/* Whether the node's scale in the bind pose maps its mesh to a line or a point. sn_scene_pose_bind replaces a rest
 * scale of 0 by the scale that clips animate; a scale that is still 0 there stays 0 in every clip. */
static bool is_degenerate_in_all_clips(const builder *b, int32_t node)
{
    const double *m = b->pose.world + 12 * (size_t)node;
    const double columns[3][3] = {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}};
    double max_area = 0;
    for (int k = 0; k < 3; ++k) {
        double cross[3];
        sn_cross3(columns[k], columns[(k + 1) % 3], cross);
        max_area = fmax(max_area, sn_length3(cross));
    }
    return !(max_area > 0);
}

static sn_result add_piece(builder *b, int32_t node, const sn_scene_primitive *primitive)
{
    sn_character_piece *p = &b->pieces[b->piece_count++];
    *p = (sn_character_piece){.primitive = primitive, .node = node, .skin = b->scene->nodes[node].skin};
    if (primitive->influence_count == 0) {
        p->skin = -1;
    }
    if (p->skin >= 0) {
        memcpy(p->to_bind, b->bones.mesh_to_bind + 12 * (size_t)p->skin, sizeof p->to_bind);
    } else {
        p->bone = sn_bone_of_mesh_node(&b->bones, node, p->to_bind);
    }
    if (b->bones.count > SN_BONE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: nodes: skins and meshes have more than %d bones, which is the limit",
                       b->name, SN_BONE_LIMIT);
    }
    sn_result result = count_used(b, p);
    if (result == SN_OK && p->skin >= 0) {
        result = find_weight_sources(b, p);
    }
    const int64_t influences = p->skin >= 0 ? (int64_t)p->used_count * primitive->influence_count : p->used_count;
    b->influence_count += influences;
    if (b->influence_count > INT32_MAX || (int64_t)b->vertex_count + p->used_count > MAX_VERTICES) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: nodes[%d]: the meshes up to this one have more than %d vertices, which is the limit",
                       b->name, node, MAX_VERTICES);
    }
    b->vertex_count += p->used_count;
    b->triangle_count += primitive->triangle_count;
    return result;
}

static sn_result find_pieces(builder *b)
{
    size_t limit = 0;
    for (int32_t node = 0; node < b->scene->node_count; ++node) {
        const int32_t mesh = b->scene->nodes[node].mesh;
        limit += mesh >= 0 ? (size_t)b->scene->meshes[mesh].primitive_count : 0;
    }
    b->pieces = SN_NEW(b->arena, sn_character_piece, limit);
    if (!b->pieces) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t node = 0; node < b->scene->node_count; ++node) {
        if (!sn_node_has_triangles(b->scene, node)) {
            continue;
        }
        const sn_scene_mesh *mesh = &b->scene->meshes[b->scene->nodes[node].mesh];
        if (b->scene->nodes[node].skin < 0 && is_degenerate_in_all_clips(b, node)) {
            sn_log(SN_LOG_WARNING, "%s: nodes[%d]: its scale is 0 at rest and in every clip; the node is ignored",
                   b->name, node);
            continue;
        }
        for (int i = 0; i < mesh->primitive_count; ++i) {
            const sn_scene_primitive *primitive = &b->scene->primitives[mesh->first_primitive + i];
            SN_TRY(primitive->triangle_count > 0 ? add_piece(b, node, primitive) : SN_OK);
        }
    }
    if (b->piece_count == 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: scenes: the scene has no mesh with triangles", b->name);
    }
    return SN_OK;
}

/* Computes the inverse transpose of the linear part, up to a positive factor. Returns whether the transform mirrors. */
static bool normal_matrix(const double *m, double *result)
{
    const double columns[3][3] = {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}};
    double cofactors[3][3];
    for (int k = 0; k < 3; ++k) {
        sn_cross3(columns[(k + 1) % 3], columns[(k + 2) % 3], cofactors[k]);
    }
    const bool is_mirrored = sn_dot3(columns[0], cofactors[0]) < 0;
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            result[3 * d + k] = is_mirrored ? -cofactors[k][d] : cofactors[k][d];
        }
    }
    return is_mirrored;
}

/* If the file numbers its positions, all of its primitives have these numbers. */
static bool allocate_file_vertices(builder *b)
{
    sn_character *c = b->character;
    c->file_vertex_count = b->scene->file_vertex_count;
    c->file_vertices = c->file_vertex_count > 0 ? SN_NEW(b->arena, int32_t, b->vertex_count) : NULL;
    return c->file_vertices || c->file_vertex_count == 0;
}

static void copy_vertex(const builder *b, const sn_character_piece *p, const double *normal_transform, int32_t from,
                        size_t to)
{
    const sn_scene_primitive *primitive = p->primitive;
    const sn_character *c = b->character;
    const float *x = primitive->positions + 3 * (size_t)from;
    sn_affine_apply(p->to_bind, (const double[3]){(double)x[0], (double)x[1], (double)x[2]}, c->positions + 3 * to);
    if (c->file_vertices) {
        c->file_vertices[to] = primitive->file_vertices[from];
    }
    for (int d = 0; primitive->normals && d < 3; ++d) {
        const float *n = primitive->normals + 3 * (size_t)from;
        c->normals[3 * to + (size_t)d] = normal_transform[3 * d] * (double)n[0] +
                                         normal_transform[3 * d + 1] * (double)n[1] +
                                         normal_transform[3 * d + 2] * (double)n[2];
    }
    for (int set = 0; set < 2; ++set) {
        for (size_t k = 0; primitive->uvs[set] && k < 2; ++k) {
            c->uvs[set][2 * to + k] = (double)primitive->uvs[set][2 * (size_t)from + k];
        }
    }
    for (size_t k = 0; k < 4; ++k) {
        const float value = primitive->colors ? primitive->colors[4 * (size_t)from + k] : 1;
        c->colors[4 * to + k] = (uint16_t)lrintf(65535 * fminf(fmaxf(value, 0), 1));
    }
    for (int k = 0; k < SN_PAINTED_COUNT; ++k) {
        if (c->paint[k]) {
            const double default_value = k == SN_PAINTED_LEAK ? 0 : 1;
            c->paint[k][to] = primitive->paint[k] ? (double)primitive->paint[k][from] : default_value;
        }
    }
}

/* Adds the weight of a bone. A skin may list a bone twice. */
static void add_influence(sn_character *c, int32_t start, int32_t *next, int32_t bone, double weight)
{
    for (int32_t i = start; i < *next; ++i) {
        if (c->influence_bones[i] == bone) {
            c->influence_weights[i] += weight;
            return;
        }
    }
    c->influence_bones[*next] = bone;
    c->influence_weights[(*next)++] = weight;
}

static void bind_vertex(const builder *b, const sn_character_piece *p, int32_t from, size_t to)
{
    sn_character *c = b->character;
    const size_t k = (size_t)p->primitive->influence_count,
                 row = k * (size_t)(p->weight_vertices ? p->weight_vertices[from] : from);
    const int32_t start = c->influence_starts[to];
    int32_t next = start;
    double sum = 0;
    for (size_t i = 0; p->skin >= 0 && i < k; ++i) {
        const double weight = (double)p->primitive->weights[row + i];
        const int32_t joint = p->primitive->joints[row + i];
        if (weight > 1e-6) {
            add_influence(c, start, &next, b->bones.joint_bones[p->skin][joint], weight);
            sum += weight;
        }
    }
    for (int32_t i = start; i < next; ++i) {
        c->influence_weights[i] /= sum;
    }
    if (next == start) {
        add_influence(c, start, &next, p->skin >= 0 ? b->bones.fallback_bones[p->skin] : p->bone, 1);
    }
    c->influence_starts[to + 1] = next;
}

/* Copies vertices in the order of their first use, and triangles; mirrored triangles are flipped. */
static void copy_piece(const builder *b, const sn_character_piece *p, size_t first_vertex, size_t first_triangle)
{
    const sn_scene_primitive *primitive = p->primitive;
    double normal_transform[9];
    const bool is_mirrored = normal_matrix(p->to_bind, normal_transform);
    int done = 0;
    for (size_t i = 0; i < 3 * (size_t)primitive->triangle_count; ++i) {
        const int32_t from = primitive->triangles[i];
        const int32_t index = p->new_index ? p->new_index[from] : (int32_t)i;
        if (index == done) {
            copy_vertex(b, p, normal_transform, from, first_vertex + (size_t)index);
            bind_vertex(b, p, from, first_vertex + (size_t)index);
            ++done;
        }
        const size_t corner = is_mirrored && i % 3 > 0 ? i - i % 3 + 3 - i % 3 : i;
        b->character->triangles[3 * first_triangle + corner] = (int32_t)first_vertex + index;
    }
}

/* Computes the normals that the file lacks: per triangle for flat shading, else smooth over all vertices at one
 * position, across seams. */
static sn_result complete_normals(builder *b)
{
    sn_character *c = b->character;
    const size_t n = (size_t)c->vertex_count, corners = 3 * (size_t)c->triangle_count;
    sn_tri_mesh mesh = {c->vertex_count, c->triangle_count, c->positions, c->triangles};
    int32_t *position_ids = SN_NEW(b->arena, int32_t, n), *first = SN_NEW(b->arena, int32_t, n);
    int32_t *welded = SN_NEW(b->arena, int32_t, corners);
    double *flat_normals = SN_NEW(b->arena, double, 3 * n), *smooth_normals = SN_NEW(b->arena, double, 3 * n);
    int position_count = 0;
    if (!position_ids || !first || !welded || !flat_normals || !smooth_normals ||
        sn_tri_groups(&mesh, NULL, position_ids, &position_count) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = n; v-- > 0;) {
        first[position_ids[v]] = (int32_t)v;
    }
    for (size_t i = 0; i < corners; ++i) {
        welded[i] = first[position_ids[c->triangles[i]]];
    }
    sn_tri_normals(&mesh, flat_normals);
    mesh.triangles = welded;
    sn_tri_normals(&mesh, smooth_normals);
    for (int i = 0; i < b->piece_count; ++i) {
        const sn_character_part *part = &c->parts[i];
        const bool is_flat = b->pieces[i].primitive->is_flat;
        for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
            const double *computed =
                is_flat ? flat_normals + 3 * (size_t)v : smooth_normals + 3 * (size_t)first[position_ids[v]];
            sn_normalize3(c->normals + 3 * (size_t)v, computed);
        }
    }
    return SN_OK;
}

static int32_t only_bone(const sn_character *c, int first_vertex, int vertex_count)
{
    int32_t bone = c->influence_bones[c->influence_starts[first_vertex]];
    for (int v = first_vertex; v < first_vertex + vertex_count && bone >= 0; ++v) {
        const int32_t start = c->influence_starts[v];
        if (c->influence_starts[v + 1] - start != 1 || c->influence_bones[start] != bone) {
            bone = -1;
        }
    }
    return bone;
}

/* Attributes that no piece has stay null. */
static bool allocate_painted(builder *b)
{
    sn_character *c = b->character;
    bool is_ok = true;
    for (int i = 0; i < b->piece_count; ++i) {
        for (int k = 0; k < SN_PAINTED_COUNT; ++k) {
            if (b->pieces[i].primitive->paint[k] && !c->paint[k]) {
                c->paint[k] = SN_NEW(b->arena, double, b->vertex_count);
                is_ok &= c->paint[k] != NULL;
            }
        }
    }
    return is_ok;
}

static sn_result copy_surface(builder *b)
{
    sn_character *c = b->character;
    const size_t n = (size_t)b->vertex_count;
    c->vertex_count = b->vertex_count;
    c->triangle_count = b->triangle_count;
    c->part_count = b->piece_count;
    const bool is_ok = (c->positions = SN_NEW(b->arena, double, 3 * n)) &&
                       (c->normals = SN_NEW(b->arena, double, 3 * n)) &&
                       (c->uvs[0] = SN_NEW(b->arena, double, 2 * n)) && (c->uvs[1] = SN_NEW(b->arena, double, 2 * n)) &&
                       (c->colors = SN_NEW(b->arena, uint16_t, 4 * n)) && (c->is_rigid = SN_NEW(b->arena, bool, n)) &&
                       (c->triangles = SN_NEW(b->arena, int32_t, 3 * (size_t)b->triangle_count)) &&
                       (c->influence_starts = SN_NEW(b->arena, int32_t, n + 1)) &&
                       (c->influence_bones = SN_NEW(b->arena, int32_t, b->influence_count)) &&
                       (c->influence_weights = SN_NEW(b->arena, double, b->influence_count)) &&
                       (c->parts = SN_NEW(b->arena, sn_character_part, b->piece_count));
    if (!is_ok || !allocate_painted(b) || !allocate_file_vertices(b)) {
        return SN_ERROR_MEMORY;
    }
    int vertex = 0, triangle = 0;
    for (int i = 0; i < b->piece_count; ++i) {
        sn_character_piece *p = &b->pieces[i];
        const sn_scene_node *node = &b->scene->nodes[p->node];
        p->first_vertex = vertex;
        copy_piece(b, p, (size_t)vertex, (size_t)triangle);
        c->parts[i] = (sn_character_part){.name = node->name[0] ? node->name : b->scene->meshes[node->mesh].name,
                                          .first_triangle = triangle,
                                          .triangle_count = p->primitive->triangle_count,
                                          .first_vertex = vertex,
                                          .vertex_count = p->used_count,
                                          .material = p->primitive->material,
                                          .only_bone = only_bone(c, vertex, p->used_count),
                                          .is_skinned = p->skin >= 0};
        c->has_uvs |= p->primitive->uvs[0] != NULL;
        vertex += p->used_count;
        triangle += p->primitive->triangle_count;
    }
    return complete_normals(b);
}

/* The nearest ancestor node that is a bone, or -1. */
static int32_t parent_bone(const sn_bone_list *list, int32_t bone)
{
    int32_t node = list->bones[bone].node;
    for (node = node >= 0 ? list->scene->nodes[node].parent : -1; node >= 0; node = list->scene->nodes[node].parent) {
        if (list->node_bones[node] >= 0) {
            return list->node_bones[node];
        }
    }
    return -1;
}

static sn_result copy_bones(builder *b)
{
    sn_character *c = b->character;
    const sn_bone_list *list = &b->bones;
    c->bone_count = list->count;
    c->bone_names = SN_NEW(b->arena, const char *, list->count);
    c->bone_parents = SN_NEW(b->arena, int32_t, list->count);
    c->bone_bind = SN_NEW(b->arena, double, 12 * (size_t)list->count);
    c->is_soft_bone = SN_NEW(b->arena, bool, list->count);
    c->springs = SN_NEW(b->arena, sn_character_spring, list->count);
    if (!c->bone_names || !c->bone_parents || !c->bone_bind || !c->is_soft_bone || !c->springs) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < list->count; ++i) {
        const sn_scene_node *node = list->bones[i].node >= 0 ? &b->scene->nodes[list->bones[i].node] : NULL;
        c->bone_names[i] = node ? node->name : "";
        c->is_soft_bone[i] = node && node->is_soft_bone;
        c->springs[i].is_spring = node && node->is_spring;
        c->springs[i].spring = node && node->is_spring ? node->spring : -1;
        c->springs[i].hit_radius = node && node->is_spring ? node->hit_radius : 0;
        c->bone_parents[i] = parent_bone(list, i);
        memcpy(c->bone_bind + 12 * (size_t)i, list->bones[i].bind, sizeof list->bones[i].bind);
    }
    return SN_OK;
}

/* Copies the VRM bone roles; where a node has several bones, the first one has the role. */
static sn_result copy_roles(builder *b)
{
    const sn_scene_file *scene = b->scene;
    int32_t *roles = scene->humanoid_bone_count > 0 ? SN_NEW(b->arena, int32_t, b->bones.count) : NULL;
    if (!roles) {
        return scene->humanoid_bone_count > 0 ? SN_ERROR_MEMORY : SN_OK;
    }
    memset(roles, -1, (size_t)b->bones.count * sizeof *roles);
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        const int32_t bone = b->bones.node_bones[scene->humanoid_bones[i].node];
        if (bone >= 0) {
            roles[bone] = sn_humanoid_find(scene->humanoid_bones[i].bone);
        }
    }
    b->character->bone_roles = roles;
    return SN_OK;
}

/* Copies the spring colliders; one without a bone keeps its position and has bone -1. */
static sn_result copy_colliders(builder *b)
{
    const sn_scene_file *scene = b->scene;
    sn_character *c = b->character;
    c->colliders = SN_NEW(b->arena, sn_character_collider, scene->collider_count);
    c->collider_count = c->colliders ? scene->collider_count : 0;
    c->spring_list = scene->springs;
    c->spring_colliders = scene->spring_colliders;
    for (int i = 0; i < c->collider_count; ++i) {
        const sn_spring_collider *from = &scene->colliders[i];
        sn_cook_collider local = {.shape = from->shape, .radius = from->radius};
        double to_bind[12];
        memcpy(local.offset, from->offset, sizeof local.offset);
        memcpy(local.tail, from->tail, sizeof local.tail);
        memcpy(local.normal, from->normal, sizeof local.normal);
        c->colliders[i].shape = from->shape;
        c->colliders[i].is_inside = from->is_inside;
        c->colliders[i].bone = sn_bone_above_node(&b->bones, from->node, to_bind);
        c->colliders[i].is_flat =
            c->colliders[i].bone >= 0 && !sn_bone_frame_bind_collider(to_bind, &local, &c->colliders[i].at_bind);
    }
    return c->colliders ? SN_OK : SN_ERROR_MEMORY;
}

static void copy_materials(builder *b)
{
    b->character->material_count = b->scene->material_count;
    b->character->materials = b->scene->materials;
    b->character->texture_count = b->scene->texture_count;
    b->character->textures = b->scene->textures;
    b->character->vrm = b->scene->vrm;
    b->character->vrm_version = b->scene->vrm_version;
    b->character->facing = b->scene->vrm_version == 1 ? -1 : 1;
}

sn_result sn_character_build(const sn_scene_file *scene, const char *name, sn_arena *arena, sn_character *character)
{
    builder b = {.scene = scene, .name = name, .arena = arena, .character = character};
    *character = (sn_character){.name = name};
    sn_result result = sn_scene_pose_init(scene, arena, &b.pose);
    if (result == SN_OK) {
        result = sn_scene_pose_check_depth(&b.pose, name, arena);
    }
    if (result == SN_OK) {
        result = sn_scene_pose_bind(&b.pose, arena);
    }
    if (result == SN_OK) {
        result = sn_bone_list_build(scene, &b.pose, name, arena, &b.bones);
    }
    if (result == SN_OK) {
        result = find_pieces(&b);
    }
    if (result == SN_OK) {
        result = copy_surface(&b);
    }
    if (result == SN_OK) {
        result = copy_bones(&b);
    }
    if (result == SN_OK) {
        result = copy_roles(&b);
    }
    if (result == SN_OK) {
        result = copy_colliders(&b);
    }
    if (result == SN_OK) {
        result = sn_character_build_links(scene, &b.bones, arena, character);
    }
    if (result == SN_OK) {
        result = sn_character_build_morphs(scene, b.pieces, b.piece_count, arena, character, &b.morphs);
    }
    if (result == SN_OK) {
        result = sn_bone_constraints_build(scene, &b.pose, &b.bones, arena, character);
    }
    if (result == SN_OK) {
        result = sn_character_build_clips(&(sn_character_clips_input){scene, name, &b.pose, &b.bones, &b.morphs}, arena,
                                          character);
    }
    if (result == SN_OK) {
        sn_springs_find_animated(character);
    }
    copy_materials(&b);
    return result;
}
