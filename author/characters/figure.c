/* SPDX-License-Identifier: MIT */
#include "author/characters/figure.h"

#include <string.h>

#include "host/math/vec3.h"

#define PI 3.14159265358979323846
#define BODY_TEXELS 1024
#define EYE_TEXELS 512
#define EYE_RINGS 20
#define EYE_SECTORS 32
#define EYE_PAINTED_ANGLE (0.62 * PI) /* max. painted angle from the pole; the rest of an eye is inside the head */
#define EYE_VERTICES ((EYE_RINGS - 1) * EYE_SECTORS + 2)
#define EYE_TRIANGLES (2 * (EYE_RINGS - 1) * EYE_SECTORS)

enum { BODY, EYES, PART_COUNT };

/* Computes each vertex's stiffness as the weighted mean of its bones. */
static sn_result paint_stiffness(const sn_figure *f, sn_arena *arena, sn_scene_primitive *p)
{
    float *stiffness = SN_NEW(arena, float, p->vertex_count);
    p->paint[SN_PAINTED_STIFFNESS] = stiffness;
    for (size_t v = 0; stiffness && v < (size_t)p->vertex_count; ++v) {
        double sum = 0;
        for (size_t i = SN_RIG_INFLUENCES * v; i < SN_RIG_INFLUENCES * (v + 1); ++i) {
            sum += (double)p->weights[i] * f->bone_stiffness[p->joints[i]];
        }
        stiffness[v] = (float)sum;
    }
    return stiffness ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result build_body(const sn_figure *f, sn_arena *arena, sn_arena *scratch, sn_scene_primitive *p,
                            uint8_t **pixels)
{
    sn_shape_surface surface;
    sn_atlas atlas;
    int32_t *joints = NULL, *owners = NULL;
    float *weights = NULL;
    sn_result result = sn_shape_polygonise(f->shape, f->cell, scratch, &surface);
    if (result == SN_OK) {
        result = sn_rig_compute_weights(f->rig, &surface, f->weight_rounds, scratch, &joints, &weights, &owners);
    }
    for (int v = 0; v < surface.vertex_count && result == SN_OK; ++v) {
        owners[v] = f->rig->bones[owners[v]].region;
        for (int d = 0; d < 3;
             ++d) { /* rounds to float as in files, so that vertices at texture seams are bitwise equal */
            surface.positions[3 * v + d] = (double)(float)surface.positions[3 * v + d];
        }
    }
    if (result == SN_OK) {
        result = sn_atlas_build(&surface, owners, f->region_density, BODY_TEXELS, scratch, &atlas);
    }
    if (result == SN_OK) {
        result = sn_paint_bake(&surface, &atlas, f->paint, f->user, arena, pixels);
    }
    if (result != SN_OK) {
        return result;
    }
    const size_t n = (size_t)atlas.vertex_count, corners = 3 * (size_t)surface.triangle_count;
    *p = (sn_scene_primitive){.vertex_count = atlas.vertex_count,
                              .triangle_count = surface.triangle_count,
                              .positions = SN_NEW(arena, float, 3 * n),
                              .normals = SN_NEW(arena, float, 3 * n),
                              .uvs = {SN_NEW(arena, float, 2 * n)},
                              .influence_count = SN_RIG_INFLUENCES,
                              .joints = SN_NEW(arena, int32_t, SN_RIG_INFLUENCES * n),
                              .weights = SN_NEW(arena, float, SN_RIG_INFLUENCES *n),
                              .triangles = SN_NEW(arena, int32_t, corners),
                              .material = BODY};
    if (!p->positions || !p->normals || !p->uvs[0] || !p->joints || !p->weights || !p->triangles) {
        return SN_ERROR_MEMORY;
    }
    memcpy(p->triangles, atlas.triangles, corners * sizeof(int32_t));
    memcpy(p->uvs[0], atlas.uvs, 2 * n * sizeof(float));
    for (size_t v = 0; v < n; ++v) {
        const size_t from = (size_t)atlas.sources[v];
        for (size_t d = 0; d < 3; ++d) {
            p->positions[3 * v + d] = (float)surface.positions[3 * from + d];
            p->normals[3 * v + d] = (float)surface.normals[3 * from + d];
        }
        memcpy(p->joints + 4 * v, joints + 4 * from, 4 * sizeof(int32_t));
        memcpy(p->weights + 4 * v, weights + 4 * from, 4 * sizeof(float));
    }
    return f->bone_stiffness ? paint_stiffness(f, arena, p) : SN_OK;
}

/* Computes a vertex of a sphere whose pole points along +Z, rotated to the eye's direction, then scaled to its radii.
 */
static void build_eye_vertex(const sn_figure_eye *eye, double angle, double around, size_t v, sn_scene_primitive *p)
{
    const double yaw = eye->yaw * PI / 180, pitch = eye->pitch * PI / 180;
    const double x = sin(angle) * cos(around), y = sin(angle) * sin(around), z = cos(angle);
    const double pitched[3] = {x, y * cos(pitch) + z * sin(pitch), z * cos(pitch) - y * sin(pitch)};
    const double rotated[3] = {pitched[0] * cos(yaw) + pitched[2] * sin(yaw), pitched[1],
                               pitched[2] * cos(yaw) - pitched[0] * sin(yaw)};
    double normal[3];
    for (size_t d = 0; d < 3; ++d) {
        p->positions[3 * v + d] = (float)(eye->center[d] + eye->radii[d] * rotated[d]);
        normal[d] = rotated[d] / eye->radii[d];
    }
    sn_normalize3(normal, rotated);
    for (size_t d = 0; d < 3; ++d) {
        p->normals[3 * v + d] = (float)normal[d];
    }
    const double radius = 0.49 * fmin(angle / EYE_PAINTED_ANGLE, 1);
    p->uvs[0][2 * v] = (float)(0.5 + radius * cos(around));
    p->uvs[0][2 * v + 1] = (float)(0.5 - radius * sin(around));
    p->joints[4 * v] = eye->bone;
    p->weights[4 * v] = 1;
}

static void build_eye(const sn_figure_eye *eye, int32_t first, size_t first_triangle, sn_scene_primitive *p)
{
    build_eye_vertex(eye, 0, 0, (size_t)first, p);
    for (int32_t ring = 1; ring < EYE_RINGS; ++ring) {
        for (int32_t k = 0; k < EYE_SECTORS; ++k) {
            build_eye_vertex(eye, PI * ring / EYE_RINGS, 2 * PI * k / EYE_SECTORS,
                             (size_t)(first + 1 + (ring - 1) * EYE_SECTORS + k), p);
        }
    }
    build_eye_vertex(eye, PI, 0, (size_t)(first + EYE_VERTICES - 1), p);
    int32_t *out = p->triangles + 3 * first_triangle;
    for (int32_t ring = 0; ring < EYE_RINGS; ++ring) {
        for (int32_t k = 0; k < EYE_SECTORS; ++k) {
            const int32_t next = (k + 1) % EYE_SECTORS, upper = first + 1 + (ring - 1) * EYE_SECTORS;
            const int32_t lower = upper + EYE_SECTORS;
            const bool is_first = ring == 0, is_last = ring == EYE_RINGS - 1;
            if (!is_last) {
                *out++ = is_first ? first : upper + k;
                *out++ = lower + k;
                *out++ = lower + next;
            }
            if (!is_first) {
                *out++ = upper + k;
                *out++ = is_last ? first + EYE_VERTICES - 1 : lower + next;
                *out++ = upper + next;
            }
        }
    }
}

static sn_result build_eyes(const sn_figure *f, sn_arena *arena, sn_scene_primitive *p)
{
    const size_t n = SN_FIGURE_EYES * EYE_VERTICES;
    *p = (sn_scene_primitive){.vertex_count = (int)n,
                              .triangle_count = SN_FIGURE_EYES * EYE_TRIANGLES,
                              .positions = SN_NEW(arena, float, 3 * n),
                              .normals = SN_NEW(arena, float, 3 * n),
                              .uvs = {SN_NEW(arena, float, 2 * n)},
                              .influence_count = 4,
                              .joints = SN_NEW(arena, int32_t, 4 * n),
                              .weights = SN_NEW(arena, float, 4 * n),
                              .triangles = SN_NEW(arena, int32_t, 3 * SN_FIGURE_EYES * EYE_TRIANGLES),
                              .material = EYES};
    if (!p->positions || !p->normals || !p->uvs[0] || !p->joints || !p->weights || !p->triangles) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < SN_FIGURE_EYES; ++i) {
        build_eye(&f->eyes[i], i * EYE_VERTICES, (size_t)i * EYE_TRIANGLES, p);
    }
    return SN_OK;
}

static sn_result paint_eyes(const sn_figure *f, sn_arena *arena, uint8_t **pixels)
{
    *pixels = SN_NEW(arena, uint8_t, 4 * EYE_TEXELS * EYE_TEXELS);
    for (int i = 0; *pixels && i < EYE_TEXELS * EYE_TEXELS; ++i) {
        const double right = (i % EYE_TEXELS + 0.5) / EYE_TEXELS - 0.5;
        const double up = 0.5 - (i / EYE_TEXELS + 0.5) / EYE_TEXELS;
        const double radius = fmax(hypot(right, up), 1e-6), around[2] = {right / radius, up / radius};
        double color[3] = {1, 1, 1};
        f->paint_eye(radius / 0.49 * EYE_PAINTED_ANGLE, around, color);
        for (int k = 0; k < 3; ++k) {
            (*pixels)[4 * i + k] = (uint8_t)(fmin(fmax(color[k], 0), 1) * 255 + 0.5);
        }
        (*pixels)[4 * i + 3] = 255;
    }
    return *pixels ? SN_OK : SN_ERROR_MEMORY;
}

static void fill_material(const char *name, int32_t texture, float roughness, sn_scene_material *material)
{
    static const float identity[6] = {1, 0, 0, 0, 1, 0};
    *material = (sn_scene_material){.name = name,
                                    .values = {.base_color = {1, 1, 1, 1},
                                               .roughness = roughness,
                                               .normal_scale = 1,
                                               .occlusion_strength = 1,
                                               .alpha_cutoff = 0.5F}};
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        material->values.textures[use] = -1;
        memcpy(material->uv_transforms[use], identity, sizeof identity);
    }
    material->values.textures[SN_TEXTURE_BASE_COLOR] = texture;
}

static sn_result allocate(const sn_figure *f, sn_arena *arena, sn_scene_file *scene)
{
    *scene = (sn_scene_file){.node_count = f->rig->count + PART_COUNT,
                             .mesh_count = PART_COUNT,
                             .primitive_count = PART_COUNT,
                             .material_count = PART_COUNT,
                             .texture_count = PART_COUNT,
                             .nodes = SN_NEW(arena, sn_scene_node, f->rig->count + PART_COUNT),
                             .meshes = SN_NEW(arena, sn_scene_mesh, PART_COUNT),
                             .primitives = SN_NEW(arena, sn_scene_primitive, PART_COUNT),
                             .materials = SN_NEW(arena, sn_scene_material, PART_COUNT),
                             .textures = SN_NEW(arena, sn_scene_texture, PART_COUNT)};
    const bool is_ok = scene->nodes && scene->meshes && scene->primitives && scene->materials && scene->textures;
    return is_ok ? sn_rig_write(f->rig, arena, scene) : SN_ERROR_MEMORY;
}

static void name_parts(const sn_figure *f, sn_scene_file *scene)
{
    static const char *const names[PART_COUNT] = {"Body", "Eyes"};
    static const int sizes[PART_COUNT] = {BODY_TEXELS, EYE_TEXELS};
    for (int i = 0; i < PART_COUNT; ++i) {
        sn_scene_node *node = &scene->nodes[f->rig->count + i];
        *node = (sn_scene_node){.name = names[i], .parent = -1, .mesh = i, .skin = 0, .is_in_scene = true};
        node->rotation[3] = node->scale[0] = node->scale[1] = node->scale[2] = 1;
        node->local[0] = node->local[5] = node->local[10] = 1;
        scene->meshes[i] = (sn_scene_mesh){.name = names[i], .first_primitive = i, .primitive_count = 1};
        fill_material(names[i], i, i == BODY ? f->roughness : 0.08F, &scene->materials[i]);
        scene->textures[i].width = scene->textures[i].height = sizes[i];
        scene->textures[i].wrap_u = scene->textures[i].wrap_v = SN_WRAP_CLAMP;
    }
}

sn_result sn_figure_build(const sn_figure *figure, sn_arena *arena, sn_scene_file *scene)
{
    sn_arena scratch = {0};
    sn_result result = allocate(figure, arena, scene);
    if (result == SN_OK) {
        name_parts(figure, scene);
        result = build_body(figure, arena, &scratch, &scene->primitives[BODY], &scene->textures[BODY].pixels);
    }
    if (result == SN_OK) {
        result = build_eyes(figure, arena, &scene->primitives[EYES]);
    }
    if (result == SN_OK) {
        result = paint_eyes(figure, arena, &scene->textures[EYES].pixels);
    }
    if (result == SN_OK) {
        result = sn_motion_write(figure->rig, figure->motions, figure->motion_count, arena, scene);
    }
    sn_arena_finish(&scratch);
    return result;
}
