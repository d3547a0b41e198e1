/* SPDX-License-Identifier: MIT */
/* A head as a scene: an egg whose lower half one bone moves and whose upper half another, with as many morph targets as
 * are asked for. The first six are bumps of their own, the others are sums of two of those, as the targets of faces
 * mostly are. One clip, "pop", in which the first goes from 0 to 1 within a tenth of a second and stays. */
#ifndef SN_TESTS_SUPPORT_MORPH_HEAD_H
#define SN_TESTS_SUPPORT_MORPH_HEAD_H

#include <math.h>

#include "author/io/scene_file.h"
#include "host/math/affine.h"

#define SN_TEST_HEAD_AROUND 48
#define SN_TEST_HEAD_RINGS 31 /* between the poles */
#define SN_TEST_HEAD_VERTICES (SN_TEST_HEAD_AROUND * SN_TEST_HEAD_RINGS + 2)
#define SN_TEST_HEAD_TRIANGLES (2 * SN_TEST_HEAD_AROUND * SN_TEST_HEAD_RINGS)
#define SN_TEST_HEAD_BUMPS 6

/* Places on the unit sphere, and what is there moved by: cheeks, corners of the mouth, jaw, brow. */
static const double sn_test_head_bumps[SN_TEST_HEAD_BUMPS][6] = {
    {0.6, -0.3, 0.7, 0.16, 0, 0.16},    {-0.6, -0.3, 0.7, -0.16, 0, 0.16}, {0.3, -0.5, 0.8, 0.06, 0.1, 0},
    {-0.3, -0.5, 0.8, -0.06, 0.1, 0.0}, {0, -0.9, 0.4, 0, -0.2, 0.02},     {0, 0.5, 0.85, 0, 0.1, 0.02}};

static inline void sn_test_head_place(int v, double *x)
{
    const double pi = 3.14159265358979323846;
    const int ring = (v - 1) / SN_TEST_HEAD_AROUND;
    const double polar = v == 0 ? 0 : v == SN_TEST_HEAD_VERTICES - 1 ? pi : pi * (ring + 1) / (SN_TEST_HEAD_RINGS + 1);
    const double turn = 2 * pi * ((v - 1) % SN_TEST_HEAD_AROUND) / SN_TEST_HEAD_AROUND;
    x[0] = sin(polar) * cos(turn);
    x[1] = cos(polar);
    x[2] = sin(polar) * sin(turn);
}

/* offset (3) of a bump at a place of the unit sphere */
static inline void sn_test_head_bump(int bump, const double *x, double *offset)
{
    const double *at = sn_test_head_bumps[bump];
    const double square =
        (x[0] - at[0]) * (x[0] - at[0]) + (x[1] - at[1]) * (x[1] - at[1]) + (x[2] - at[2]) * (x[2] - at[2]);
    for (int d = 0; d < 3; ++d) {
        offset[d] = square < 0.5 ? at[3 + d] * (exp(-8 * square) - exp(-4.0)) : 0;
    }
}

static inline void sn_test_head_offsets(int target, float *offsets)
{
    for (int v = 0; v < SN_TEST_HEAD_VERTICES; ++v) {
        double x[3], first[3], second[3] = {0};
        sn_test_head_place(v, x);
        sn_test_head_bump(target % SN_TEST_HEAD_BUMPS, x, first);
        if (target >= SN_TEST_HEAD_BUMPS) {
            sn_test_head_bump((target / SN_TEST_HEAD_BUMPS + target) % SN_TEST_HEAD_BUMPS, x, second);
        }
        for (int d = 0; d < 3; ++d) {
            const double share = target < SN_TEST_HEAD_BUMPS ? 1 : 0.3 + 0.01 * target;
            offsets[3 * v + d] = (float)(share * first[d] + (1 - share) * second[d]);
        }
    }
}

static inline void sn_test_head_shape(sn_scene_primitive *primitive)
{
    const int around = SN_TEST_HEAD_AROUND, last = SN_TEST_HEAD_VERTICES - 1;
    for (int v = 0; v <= last; ++v) {
        double x[3];
        sn_test_head_place(v, x);
        const double upper = fmin(fmax(0.5 + 2 * x[1], 0), 1);
        primitive->positions[3 * v] = (float)(0.8 * x[0]);
        primitive->positions[3 * v + 1] = (float)x[1];
        primitive->positions[3 * v + 2] = (float)(0.9 * x[2]);
        primitive->joints[4 * v + 1] = upper > 0;
        primitive->weights[4 * v] = (float)(1 - upper);
        primitive->weights[4 * v + 1] = (float)upper;
    }
    int32_t *t = primitive->triangles;
    for (int i = 0; i < around; ++i) {
        const int next = (i + 1) % around, low = last - around;
        *t++ = 0, *t++ = 1 + next, *t++ = 1 + i;
        *t++ = last, *t++ = low + i, *t++ = low + next;
        for (int ring = 0; ring + 1 < SN_TEST_HEAD_RINGS; ++ring) {
            const int a = 1 + ring * around + i, b = 1 + ring * around + next;
            *t++ = a, *t++ = b, *t++ = a + around;
            *t++ = b, *t++ = b + around, *t++ = a + around;
        }
    }
}

static inline void sn_test_head_rig(sn_arena *arena, sn_scene_file *scene)
{
    scene->node_count = 3;
    scene->skin_count = 1;
    scene->nodes = SN_NEW(arena, sn_scene_node, 3);
    scene->skins = SN_NEW(arena, sn_scene_skin, 1);
    SN_ASSERT(scene->nodes && scene->skins);
    static const char *const names[3] = {"neck", "skull", "face"};
    for (int i = 0; i < 3; ++i) {
        scene->nodes[i] = (sn_scene_node){.name = names[i],
                                          .parent = i == 1 ? 0 : -1,
                                          .mesh = i == 2 ? 0 : -1,
                                          .skin = i == 2 ? 0 : -1,
                                          .rotation = {0, 0, 0, 1},
                                          .scale = {1, 1, 1},
                                          .is_in_scene = true};
        sn_affine_identity(scene->nodes[i].local);
    }
    scene->skins[0] = (sn_scene_skin){2, SN_NEW(arena, int32_t, 2), SN_NEW(arena, double, 24)};
    SN_ASSERT(scene->skins[0].joints && scene->skins[0].inverse_bind);
    scene->skins[0].joints[1] = 1;
    sn_affine_identity(scene->skins[0].inverse_bind);
    sn_affine_identity(scene->skins[0].inverse_bind + 12);
}

static inline void sn_test_head_clip(sn_arena *arena, int target_count, sn_scene_file *scene)
{
    static const float times[4] = {0, 0.5F, 0.6F, 2};
    float *weights = SN_NEW(arena, float, 4 * target_count), *copy = SN_NEW(arena, float, 4);
    scene->clip_count = scene->channel_count = 1;
    scene->clips = SN_NEW(arena, sn_scene_clip, 1);
    scene->channels = SN_NEW(arena, sn_scene_channel, 1);
    SN_ASSERT(weights && copy && scene->clips && scene->channels);
    for (int i = 0; i < 4; ++i) {
        copy[i] = times[i];
        weights[i * target_count] = i < 2 ? 0 : 1;
    }
    scene->clips[0] = (sn_scene_clip){"pop", 0, 1, 2};
    scene->channels[0] = (sn_scene_channel){2, SN_PATH_WEIGHTS, SN_KEYS_LINEAR, 4, target_count, copy, weights};
}

static inline sn_scene_file sn_test_morph_head(sn_arena *arena, int target_count)
{
    sn_scene_file scene = {.mesh_count = 1, .primitive_count = 1};
    scene.meshes = SN_NEW(arena, sn_scene_mesh, 1);
    scene.primitives = SN_NEW(arena, sn_scene_primitive, 1);
    SN_ASSERT(scene.meshes && scene.primitives);
    sn_scene_primitive *p = scene.primitives;
    *p = (sn_scene_primitive){.vertex_count = SN_TEST_HEAD_VERTICES,
                              .triangle_count = SN_TEST_HEAD_TRIANGLES,
                              .influence_count = 4,
                              .material = -1,
                              .positions = SN_NEW(arena, float, 3 * SN_TEST_HEAD_VERTICES),
                              .triangles = SN_NEW(arena, int32_t, 3 * SN_TEST_HEAD_TRIANGLES),
                              .joints = SN_NEW(arena, int32_t, 4 * SN_TEST_HEAD_VERTICES),
                              .weights = SN_NEW(arena, float, 4 * SN_TEST_HEAD_VERTICES),
                              .morph_positions = SN_NEW(arena, float *, target_count),
                              .morph_normals = SN_NEW(arena, float *, target_count)};
    SN_ASSERT(p->positions && p->triangles && p->joints && p->weights && p->morph_positions && p->morph_normals);
    sn_test_head_shape(p);
    for (int target = 0; target < target_count; ++target) {
        p->morph_positions[target] = SN_NEW(arena, float, 3 * SN_TEST_HEAD_VERTICES);
        SN_ASSERT(p->morph_positions[target]);
        sn_test_head_offsets(target, p->morph_positions[target]);
    }
    scene.meshes[0] = (sn_scene_mesh){.name = "face", .primitive_count = 1, .morph_count = target_count};
    sn_test_head_rig(arena, &scene);
    sn_test_head_clip(arena, target_count, &scene);
    return scene;
}

#endif
