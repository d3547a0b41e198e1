/* SPDX-License-Identifier: MIT */
/* A torus as a surface to skin, with any number of bones and modes whose weights are smooth functions of the place: the
 * deformation is known in closed form. */
#ifndef SN_TESTS_SUPPORT_TORUS_H
#define SN_TESTS_SUPPORT_TORUS_H

#include <math.h>

#include "host/math/half.h"
#include "host/mesh/tri_mesh.h"
#include "host/model/model.h"

#define SN_TORUS_RADIUS 0.3
#define SN_TORUS_TUBE 0.12

typedef struct sn_torus {
    int bone_count, mode_count, morph_count;
    const float *morphs; /* (morph_count) weights */
    sn_tri_mesh mesh;
    double *normals, *tangents;
    sn_model model; /* the surface alone */
    sn_surface skin;
} sn_torus;

/* Normalised bells along x. */
static inline void sn_torus_rig_weights(const sn_torus *torus, const double *x, double *weights)
{
    double sum = 0;
    for (int b = 0; b < torus->bone_count; ++b) {
        const double at = torus->bone_count > 1 ? -0.4 + 0.8 * b / (torus->bone_count - 1) : 0;
        const double width = 0.5 / torus->bone_count + 0.05;
        weights[b] = exp(-(x[0] - at) * (x[0] - at) / (width * width)) + 1e-12;
        sum += weights[b];
    }
    for (int b = 0; b < torus->bone_count; ++b) {
        weights[b] /= sum;
    }
}

static inline void sn_torus_mode_weights(const sn_torus *torus, const double *x, double *weights)
{
    for (int j = 0; j < torus->mode_count; ++j) {
        weights[j] = sin((3 + 0.2 * j) * x[0] + (1 + j % 5) * x[1] - (2 + j % 3) * x[2] + j);
    }
}

/* What a target does to a place: a smooth wave inside a ball around a point of the ring, and nothing outside. */
static inline void sn_torus_offset(const double *x, int morph, double *offset)
{
    const double angle = 2.4 * morph, size = 0.25;
    const double from[3] = {x[0] - SN_TORUS_RADIUS * cos(angle), x[1], x[2] - SN_TORUS_RADIUS * sin(angle)};
    const double inside = fmax(0, 1 - (from[0] * from[0] + from[1] * from[1] + from[2] * from[2]) / (size * size));
    for (int d = 0; d < 3; ++d) {
        offset[d] = 0.08 * inside * inside * inside * sin(8 * x[(d + 1) % 3] + 5 * x[d] + morph + d);
    }
}

/* The deformation at any place; bones and modes are row-major (count x 12). */
static inline void sn_torus_deform(const sn_torus *torus, const double *bones, const double *modes, const double *x,
                                   double *result)
{
    double weights[512], *mode_weights = weights + torus->bone_count, rest[3] = {x[0], x[1], x[2]};
    sn_torus_rig_weights(torus, x, weights);
    sn_torus_mode_weights(torus, x, mode_weights);
    for (int m = 0; m < torus->morph_count; ++m) {
        double offset[3];
        sn_torus_offset(x, m, offset);
        for (int d = 0; d < 3; ++d) {
            rest[d] += (double)torus->morphs[m] * offset[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        result[d] = 0;
        for (int i = 0; i < torus->bone_count + torus->mode_count; ++i) {
            const double *t = i < torus->bone_count ? bones + 12 * i : modes + 12 * (i - torus->bone_count);
            const double *row = t + 4 * d;
            result[d] += weights[i] * (row[0] * rest[0] + row[1] * rest[1] + row[2] * rest[2] + row[3]);
        }
    }
}

static inline void sn_torus_make_mesh(sn_torus *torus, sn_arena *arena, int rings, int segments)
{
    const int n = rings * segments;
    double *positions = SN_NEW(arena, double, 3 * n);
    int32_t *triangles = SN_NEW(arena, int32_t, 6 * n);
    SN_ASSERT(positions && triangles);
    for (int v = 0; v < n; ++v) {
        const double a = 6.283185307179586 * (v / segments) / rings, b = 6.283185307179586 * (v % segments) / segments;
        const double reach = SN_TORUS_RADIUS + SN_TORUS_TUBE * cos(b);
        positions[3 * v] = reach * cos(a);
        positions[3 * v + 1] = SN_TORUS_TUBE * sin(b);
        positions[3 * v + 2] = reach * sin(a);
        const int right = (v / segments + 1) % rings * segments + v % segments;
        const int above = v / segments * segments + (v + 1) % segments;
        const int both = right - right % segments + above % segments;
        const int32_t corners[6] = {v, above, right, right, above, both};
        for (int k = 0; k < 6; ++k) {
            triangles[6 * v + k] = corners[k];
        }
    }
    torus->mesh = (sn_tri_mesh){n, 2 * n, positions, triangles};
}

static inline void sn_torus_pack(const double *weights, const double *derivatives, double diagonal, int count,
                                 sn_influence *influences, sn_mode_weight *modes)
{
    for (int i = 0; i < count; ++i) {
        const uint16_t packed[2] = {sn_half_from_float((float)(derivatives[2 * i] * diagonal)),
                                    sn_half_from_float((float)(derivatives[2 * i + 1] * diagonal))};
        if (influences) {
            influences[i] = (sn_influence){i, (float)weights[i], {packed[0], packed[1]}};
        } else {
            modes[i] = (sn_mode_weight){(float)weights[i], {packed[0], packed[1]}};
        }
    }
}

/* Weights and derivatives as cooking makes them: from the vertices' values alone. */
static inline void sn_torus_make_weights(sn_torus *torus, sn_arena *arena)
{
    const size_t n = (size_t)torus->mesh.vertex_count, b = (size_t)torus->bone_count, r = (size_t)torus->mode_count;
    double *rig = SN_NEW(arena, double, n *b), *modes = SN_NEW(arena, double, n *r);
    double *rig_slopes = SN_NEW(arena, double, 2 * n * b), *mode_slopes = SN_NEW(arena, double, 2 * n * r);
    int32_t *groups = SN_NEW(arena, int32_t, n), *starts = SN_NEW(arena, int32_t, n + 1);
    sn_influence *influences = SN_NEW(arena, sn_influence, n * b);
    sn_mode_weight *mode_weights = SN_NEW(arena, sn_mode_weight, n * r);
    int group_count = 0;
    for (size_t v = 0; v < n; ++v) {
        sn_torus_rig_weights(torus, torus->mesh.positions + 3 * v, rig + v * b);
        sn_torus_mode_weights(torus, torus->mesh.positions + 3 * v, modes + v * r);
    }
    sn_result result = sn_tri_groups(&torus->mesh, torus->normals, groups, &group_count);
    if (result == SN_OK) {
        result = sn_tri_derivatives(&torus->mesh, groups, group_count, torus->normals, torus->tangents, rig, (int)b,
                                    rig_slopes);
    }
    if (result == SN_OK) {
        result = sn_tri_derivatives(&torus->mesh, groups, group_count, torus->normals, torus->tangents, modes, (int)r,
                                    mode_slopes);
    }
    SN_ASSERT(result == SN_OK);
    for (size_t v = 0; v < n; ++v) {
        sn_torus_pack(rig + v * b, rig_slopes + 2 * v * b, torus->model.diagonal, (int)b, influences + v * b, NULL);
        sn_torus_pack(modes + v * r, mode_slopes + 2 * v * r, torus->model.diagonal, (int)r, NULL,
                      mode_weights + v * r);
        starts[v + 1] = (int32_t)((v + 1) * b);
    }
    torus->model.influence_starts = starts;
    torus->model.influences = influences;
    torus->model.surface_modes = mode_weights;
}

static inline void sn_torus_make_model(sn_torus *torus, sn_arena *arena)
{
    const size_t n = (size_t)torus->mesh.vertex_count;
    float *positions = SN_NEW(arena, float, 3 * n), *normals = SN_NEW(arena, float, 3 * n);
    float *tangents = SN_NEW(arena, float, 4 * n), *uvs = SN_NEW(arena, float, 4 * n);
    uint16_t *colors = SN_NEW(arena, uint16_t, 4 * n);
    for (size_t i = 0; i < 4 * n; ++i) {
        tangents[i] = (float)torus->tangents[i];
        colors[i] = 0xffff;
        if (i < 3 * n) {
            positions[i] = (float)torus->mesh.positions[i];
            normals[i] = (float)torus->normals[i];
        }
    }
    torus->model.counts.surface_vertex_count = torus->mesh.vertex_count;
    torus->model.counts.surface_triangle_count = torus->mesh.triangle_count;
    torus->model.counts.bone_count = torus->bone_count;
    torus->model.counts.mode_count = torus->mode_count;
    torus->model.counts.influence_count = torus->mesh.vertex_count * torus->bone_count;
    torus->model.surface_positions = positions;
    torus->model.surface_normals = normals;
    torus->model.surface_tangents = tangents;
    torus->model.surface_uvs = uvs;
    torus->model.surface_colors = colors;
    torus->model.surface_triangles = torus->mesh.triangles;
}

/* bone_count + mode_count <= 512 */
static inline sn_torus sn_torus_make(sn_arena *arena, int rings, int segments, int bone_count, int mode_count)
{
    sn_torus torus = {.bone_count = bone_count, .mode_count = mode_count};
    sn_torus_make_mesh(&torus, arena, rings, segments);
    torus.model.scale = 1;
    torus.model.diagonal = 1.25; /* nearly that of its box */
    torus.normals = SN_NEW(arena, double, 3 * torus.mesh.vertex_count);
    torus.tangents = SN_NEW(arena, double, 4 * torus.mesh.vertex_count);
    SN_ASSERT(torus.normals && torus.tangents);
    sn_tri_normals(&torus.mesh, torus.normals);
    sn_tri_tangents(&torus.mesh, torus.normals, NULL, torus.tangents);
    sn_torus_make_model(&torus, arena);
    sn_torus_make_weights(&torus, arena);
    torus.skin = sn_model_surface(&torus.model);
    return torus;
}

/* Deltas of one target as cooking makes them; returns how many vertices of the torus it moves or bends. */
static inline size_t sn_torus_pack_morph(const double *offsets, const double *slopes, size_t vertex_count, int morph,
                                         size_t stride, sn_morph_delta *deltas)
{
    size_t count = 0;
    for (size_t v = 0; v < vertex_count; ++v) {
        sn_morph_delta *delta = &deltas[v * stride + (size_t)morph];
        bool is_still = true;
        *delta = (sn_morph_delta){.morph = morph};
        for (size_t d = 0; d < 3; ++d) {
            delta->offset[d] = (float)offsets[3 * v + d];
            delta->derivatives[d][0] = sn_half_from_float((float)slopes[6 * v + 2 * d]);
            delta->derivatives[d][1] = sn_half_from_float((float)slopes[6 * v + 2 * d + 1]);
            is_still &= offsets[3 * v + d] == 0 && slopes[6 * v + 2 * d] == 0 && slopes[6 * v + 2 * d + 1] == 0;
        }
        delta->morph = is_still ? -1 : morph;
        count += !is_still;
    }
    return count;
}

/* With weights between -1 and 1. */
static inline void sn_torus_add_morphs(sn_torus *torus, sn_arena *arena, int count)
{
    const size_t n = (size_t)torus->mesh.vertex_count;
    sn_morph_delta *all = SN_NEW(arena, sn_morph_delta, n * (size_t)count), *packed = NULL;
    double *offsets = SN_NEW(arena, double, 3 * n), *slopes = SN_NEW(arena, double, 6 * n);
    int32_t *groups = SN_NEW(arena, int32_t, n), *starts = SN_NEW(arena, int32_t, n + 1);
    float *weights = SN_NEW(arena, float, count);
    int group_count = 0;
    size_t total = 0;
    sn_result result = sn_tri_groups(&torus->mesh, torus->normals, groups, &group_count);
    for (int m = 0; m < count; ++m) {
        weights[m] = (float)cos(1.7 * m);
        for (size_t v = 0; v < n; ++v) {
            sn_torus_offset(torus->mesh.positions + 3 * v, m, offsets + 3 * v);
        }
        result = result ? result
                        : sn_tri_derivatives(&torus->mesh, groups, group_count, torus->normals, torus->tangents,
                                             offsets, 3, slopes);
        total += sn_torus_pack_morph(offsets, slopes, n, m, (size_t)count, all);
    }
    SN_ASSERT(result == SN_OK);
    packed = SN_NEW(arena, sn_morph_delta, total);
    for (size_t i = 0; i < n * (size_t)count; ++i) {
        starts[i / (size_t)count + 1] += all[i].morph >= 0;
        if (all[i].morph >= 0) {
            *packed++ = all[i];
        }
    }
    for (size_t v = 0; v < n; ++v) {
        starts[v + 1] += starts[v];
    }
    torus->morph_count = torus->model.counts.morph_count = count;
    torus->morphs = weights;
    torus->model.counts.morph_delta_count = (int32_t)total;
    torus->model.morph_starts = starts;
    torus->model.morph_deltas = packed - total;
    torus->model.morph_default_weights = weights;
    torus->skin = sn_model_surface(&torus->model);
}

/* Bones near the identity, modes near zero, seeded. */
static inline void sn_torus_pose(const sn_torus *torus, double size, double *bones, double *modes)
{
    for (int i = 0; i < 12 * (torus->bone_count + torus->mode_count); ++i) {
        const bool is_bone = i < 12 * torus->bone_count;
        const double noise = sin(12.9898 * i + 4.1) * size;
        double *entry = is_bone ? bones + i : modes + (i - 12 * torus->bone_count);
        *entry = is_bone ? noise + (i % 12 % 5 == 0 ? 1 : 0) : 0.3 * noise;
    }
}

#endif
