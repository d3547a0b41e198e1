/* SPDX-License-Identifier: MIT */
/* Models for tests of the renderer, built in memory without cooking: a sphere, a torus or a bent sheet of one material,
 * with any number of bones and modes. Textures: sn_test_texture, in every model. */
#ifndef SN_TESTS_SUPPORT_RENDER_MODEL_H
#define SN_TESTS_SUPPORT_RENDER_MODEL_H

#include <math.h>
#include <string.h>

#include "host/base/arena.h"
#include "host/model/model.h"

typedef enum sn_test_shape { SN_TEST_SPHERE, SN_TEST_TORUS, SN_TEST_SHEET } sn_test_shape;

/* CHECKER: colour. BUMPS: normals. HOLES: alpha. ROUGHNESS: stripes of metal and paint. */
typedef enum sn_test_texture {
    SN_TEST_CHECKER,
    SN_TEST_BUMPS,
    SN_TEST_HOLES,
    SN_TEST_ROUGHNESS,
    SN_TEST_TEXTURE_COUNT
} sn_test_texture;
#define SN_TEST_TEXTURE_SIZE 64

static inline sn_material sn_test_material(float r, float g, float b)
{
    sn_material material = {.base_color = {r, g, b, 1},
                            .roughness = 0.5F,
                            .normal_scale = 1,
                            .occlusion_strength = 1,
                            .alpha_cutoff = 0.5F};
    for (int i = 0; i < SN_TEXTURE_USE_COUNT; ++i) {
        material.textures[i] = -1;
    }
    return material;
}

static inline void sn_test_texel(int texture, double u, double v, uint8_t *rgba)
{
    const double pi = 3.14159265358979;
    const bool is_odd = ((int)(u * 4) + (int)(v * 4)) % 2 != 0;
    const double x = 2 * (u * 2 - floor(u * 2)) - 1, y = 2 * (v * 2 - floor(v * 2)) - 1;
    memset(rgba, 255, 4);
    if (texture == SN_TEST_CHECKER) {
        rgba[0] = is_odd ? 225 : 60;
        rgba[1] = is_odd ? 218 : 90;
        rgba[2] = is_odd ? 205 : 110;
    } else if (texture == SN_TEST_BUMPS) {
        const double dx = 0.7 * cos(12 * pi * u) * sin(12 * pi * v), dy = 0.7 * sin(12 * pi * u) * cos(12 * pi * v);
        const double length = sqrt(dx * dx + dy * dy + 1);
        rgba[0] = (uint8_t)(127.5 + 127.5 * -dx / length + 0.5);
        rgba[1] = (uint8_t)(127.5 + 127.5 * dy / length + 0.5);
        rgba[2] = (uint8_t)(127.5 + 127.5 / length + 0.5);
    } else if (texture == SN_TEST_HOLES) {
        const double edge =
            (sqrt(x * x + y * y) - 0.62) * 4 + 0.5; /* a ramp, so that the cutoff has a line to follow */
        rgba[3] = (uint8_t)(255 * (edge < 0 ? 0 : edge > 1 ? 1 : edge));
    } else {
        rgba[1] = is_odd ? 70 : 160;
        rgba[2] = is_odd ? 255 : 0;
    }
}

static inline void sn_test_add_textures(sn_arena *arena, sn_model *model)
{
    const int size = SN_TEST_TEXTURE_SIZE, bytes = size * size * 4;
    sn_texture *textures = SN_NEW(arena, sn_texture, SN_TEST_TEXTURE_COUNT);
    uint8_t *pixels = SN_NEW(arena, uint8_t, SN_TEST_TEXTURE_COUNT * bytes);
    SN_ASSERT(textures && pixels);
    for (int t = 0; t < SN_TEST_TEXTURE_COUNT; ++t) {
        textures[t] = (sn_texture){.width = size, .height = size, .first_byte = t * bytes};
        for (int i = 0; i < size * size; ++i) {
            sn_test_texel(t, (i % size + 0.5) / size, (i / size + 0.5) / size, pixels + t * bytes + 4 * i);
        }
    }
    model->counts.texture_count = SN_TEST_TEXTURE_COUNT;
    model->counts.texture_bytes = SN_TEST_TEXTURE_COUNT * bytes;
    model->textures = textures;
    model->texture_pixels = pixels;
}

/* Position, normal and tangent at (u, v): u runs to the right and v down, seen from outside. */
static inline void sn_test_shape_at(sn_test_shape shape, double u, double v, double *p, double *n, double *t)
{
    const double pi = 3.14159265358979, around = 2 * pi * u;
    const double down = shape == SN_TEST_TORUS ? 2 * pi * (0.5 - v) : pi * (0.5 - v); /* elevation */
    const double ring = shape == SN_TEST_TORUS ? 0.68 : 0, radius = shape == SN_TEST_TORUS ? 0.32 : 1;
    n[0] = cos(down) * sin(around);
    n[1] = sin(down);
    n[2] = cos(down) * cos(around);
    t[0] = cos(around);
    t[1] = 0;
    t[2] = -sin(around);
    p[0] = radius * n[0] + ring * sin(around);
    p[1] = radius * n[1];
    p[2] = radius * n[2] + ring * cos(around);
    if (shape == SN_TEST_SHEET) {
        const double x = 2 * u - 1, slope = -0.8 * x, length = sqrt(1 + slope * slope);
        memcpy(p, (const double[]){x, 1 - 2 * v, 0.4 * (1 - x * x)}, 3 * sizeof *p);
        memcpy(n, (const double[]){-slope / length, 0, 1 / length}, 3 * sizeof *n);
        memcpy(t, (const double[]){1 / length, 0, slope / length}, 3 * sizeof *t);
    }
}

static inline void sn_test_add_vertices(sn_arena *arena, sn_test_shape shape, int columns, int rows, sn_model *model)
{
    const int count = (columns + 1) * (rows + 1);
    float *positions = SN_NEW(arena, float, 3 * count), *normals = SN_NEW(arena, float, 3 * count);
    float *tangents = SN_NEW(arena, float, 4 * count), *uvs = SN_NEW(arena, float, 4 * count);
    uint16_t *colors = SN_NEW(arena, uint16_t, 4 * count);
    SN_ASSERT(positions && normals && tangents && uvs && colors);
    for (int i = 0; i < count; ++i) {
        const double u = (double)(i % (columns + 1)) / columns, v = (double)(i / (columns + 1)) / rows;
        double p[3], n[3], t[3];
        sn_test_shape_at(shape, u, v, p, n, t);
        for (int d = 0; d < 3; ++d) {
            positions[3 * i + d] = (float)p[d];
            normals[3 * i + d] = (float)n[d];
            tangents[4 * i + d] = (float)t[d];
        }
        tangents[4 * i + 3] = 1;
        uvs[4 * i] = (float)(shape == SN_TEST_SHEET ? u : 3 * u);
        uvs[4 * i + 1] = (float)(shape == SN_TEST_SHEET ? v : 1.5 * v);
        memset(colors + 4 * i, 255, 4 * sizeof *colors);
    }
    model->counts.surface_vertex_count = count;
    model->surface_positions = positions;
    model->surface_normals = normals;
    model->surface_tangents = tangents;
    model->surface_uvs = uvs;
    model->surface_colors = colors;
}

static inline void sn_test_add_triangles(sn_arena *arena, int columns, int rows, sn_model *model)
{
    const int count = 2 * columns * rows;
    int32_t *triangles = SN_NEW(arena, int32_t, 3 * count);
    SN_ASSERT(triangles);
    for (int i = 0; i < columns * rows; ++i) {
        const int32_t a = i / columns * (columns + 1) + i % columns, below = a + columns + 1;
        memcpy(triangles + 6 * i, (const int32_t[]){a, below, a + 1, a + 1, below, below + 1}, 6 * sizeof *triangles);
    }
    model->counts.surface_triangle_count = count;
    model->surface_triangles = triangles;
}

/* Every vertex has two bones, and all modes with weight 1. */
static inline void sn_test_add_weights(sn_arena *arena, int bone_count, int mode_count, sn_model *model)
{
    const int count = model->counts.surface_vertex_count;
    int32_t *starts = SN_NEW(arena, int32_t, count + 1);
    sn_influence *influences = SN_NEW(arena, sn_influence, 2 * count);
    sn_mode_weight *modes = SN_NEW(arena, sn_mode_weight, count * mode_count + 1);
    SN_ASSERT(starts && influences && modes);
    for (int v = 0; v < count; ++v) {
        starts[v + 1] = 2 * v + 2;
        influences[2 * v] = (sn_influence){.bone = v % bone_count, .weight = 0.25F};
        influences[2 * v + 1] = (sn_influence){.bone = (v + 1) % bone_count, .weight = 0.75F};
        for (int m = 0; m < mode_count; ++m) {
            modes[v * mode_count + m].weight = 1;
        }
    }
    model->counts.influence_count = 2 * count;
    model->counts.bone_count = bone_count;
    model->counts.mode_count = mode_count;
    model->influence_starts = starts;
    model->influences = influences;
    model->surface_modes = modes;
}

/* columns x rows quads. Null memory aborts the test. */
static inline sn_model *sn_test_render_model(sn_arena *arena, sn_test_shape shape, int columns, int rows,
                                             int bone_count, int mode_count, sn_material material)
{
    sn_model *model = SN_NEW(arena, sn_model, 1);
    sn_material *materials = SN_NEW(arena, sn_material, 1);
    sn_part *parts = SN_NEW(arena, sn_part, 1);
    SN_ASSERT(model && materials && parts);
    sn_test_add_vertices(arena, shape, columns, rows, model);
    sn_test_add_triangles(arena, columns, rows, model);
    sn_test_add_weights(arena, bone_count, mode_count, model);
    sn_test_add_textures(arena, model);
    *materials = material;
    *parts = (sn_part){0, model->counts.surface_triangle_count, 0};
    model->counts.part_count = model->counts.material_count = 1;
    model->parts = parts;
    model->materials = materials;
    model->diagonal = 3.4641016;
    model->height = 2;
    return model;
}

/* All bones scale, then turn about y and move; all modes are still. */
static inline float *sn_test_transforms(sn_arena *arena, const sn_model *model, float scale, float turn,
                                        const float *move)
{
    const int bone_count = model->counts.bone_count, count = bone_count + model->counts.mode_count;
    float *transforms = SN_NEW(arena, float, 12 * count);
    SN_ASSERT(transforms);
    const float c = scale * cosf(turn), s = scale * sinf(turn);
    for (int b = 0; b < bone_count; ++b) {
        const float m[12] = {c, 0, s, move[0], 0, scale, 0, move[1], -s, 0, c, move[2]};
        memcpy(transforms + 12 * b, m, sizeof m);
    }
    return transforms;
}

#endif
