/* SPDX-License-Identifier: MIT */
#include "author/characters/rig.h"

#include <string.h>

#include "host/math/vec3.h"

#define MIN_WEIGHT 0.01
#define WEIGHT_STEPS 65536

int sn_rig_add(sn_rig *rig, const sn_rig_bone *bone)
{
    SN_ASSERT(rig->count < SN_RIG_BONES && bone->parent < rig->count);
    rig->bones[rig->count] = *bone;
    return rig->count++;
}

int sn_rig_add_mirrored(sn_rig *rig, int bone, const char *name, int parent, int region)
{
    sn_rig_bone mirrored = rig->bones[bone];
    mirrored.name = name;
    mirrored.parent = parent;
    mirrored.region = region;
    mirrored.head[0] = -mirrored.head[0];
    mirrored.tail[0] = -mirrored.tail[0];
    return sn_rig_add(rig, &mirrored);
}

int sn_rig_find(const sn_rig *rig, const char *name)
{
    int bone = 0;
    while (bone < rig->count && strcmp(rig->bones[bone].name, name) != 0) {
        ++bone;
    }
    SN_ASSERT(bone < rig->count);
    return bone;
}

static int32_t nearest_bone(const sn_rig *rig, const double point[3])
{
    int32_t nearest = 0;
    double min_distance = INFINITY;
    for (int32_t i = 0; i < rig->count; ++i) {
        const sn_rig_bone *b = &rig->bones[i];
        if (b->radii[0] <= 0) {
            continue;
        }
        sn_shape_piece flesh = {.type = SN_SHAPE_LIMB, .end_radii = {b->radii[0], b->radii[1]}};
        memcpy(flesh.ends[0], b->head, sizeof b->head);
        memcpy(flesh.ends[1], b->tail, sizeof b->tail);
        const double distance = sn_shape_piece_distance(&flesh, point);
        if (distance < min_distance) {
            min_distance = distance;
            nearest = i;
        }
    }
    return nearest;
}

/* Moves every row halfway to the mean of its neighbours. */
static void diffuse(const sn_shape_surface *s, size_t width, const double *from, double *to)
{
    const size_t n = (size_t)s->vertex_count;
    double *sums = to; /* the last column is the count */
    memset(sums, 0, n * width * sizeof *sums);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        const size_t a = (size_t)s->triangles[i] * width, b = (size_t)s->triangles[i - i % 3 + (i + 1) % 3] * width;
        for (size_t k = 0; k + 1 < width; ++k) {
            sums[a + k] += from[b + k];
        }
        sums[a + width - 1] += 1;
    }
    for (size_t v = 0; v < n; ++v) {
        for (size_t k = 0; k + 1 < width; ++k) {
            sums[v * width + k] = 0.5 * from[v * width + k] + 0.5 * sums[v * width + k] / sums[v * width + width - 1];
        }
    }
}

/* Chooses the four largest weights, quantized so that they sum to 1 exactly. */
static void select_influences(const double *row, int bone_count, int32_t *joints, float *weights)
{
    double selected[SN_RIG_INFLUENCES] = {0};
    double total = 0;
    for (int k = 0; k < SN_RIG_INFLUENCES; ++k) {
        int best = -1;
        for (int b = 0; b < bone_count; ++b) {
            bool is_excluded = row[b] < MIN_WEIGHT;
            for (int i = 0; i < k; ++i) {
                is_excluded |= selected[i] > 0 && joints[i] == b;
            }
            best = !is_excluded && (best < 0 || row[b] > row[best]) ? b : best;
        }
        joints[k] = best < 0 ? 0 : best;
        selected[k] = best < 0 ? 0 : row[best];
        total += selected[k];
    }
    int remaining_steps = WEIGHT_STEPS;
    for (int k = SN_RIG_INFLUENCES - 1; k >= 0; --k) {
        const int steps = k == 0 ? remaining_steps : (int)(selected[k] / total * WEIGHT_STEPS);
        remaining_steps -= steps;
        weights[k] = (float)steps / WEIGHT_STEPS;
    }
}

sn_result sn_rig_compute_weights(const sn_rig *rig, const sn_shape_surface *surface, int rounds, sn_arena *arena,
                                 int32_t **joints, float **weights, int32_t **owners)
{
    sn_arena scratch = {0};
    const size_t n = (size_t)surface->vertex_count, width = (size_t)rig->count + 1;
    double *rows = SN_NEW(&scratch, double, n *width), *next = SN_NEW(&scratch, double, n *width);
    *joints = SN_NEW(arena, int32_t, SN_RIG_INFLUENCES * n);
    *weights = SN_NEW(arena, float, SN_RIG_INFLUENCES *n);
    *owners = SN_NEW(arena, int32_t, n);
    const bool is_ok = rows && next && *joints && *weights && *owners;
    for (size_t v = 0; v < n && is_ok; ++v) {
        (*owners)[v] = nearest_bone(rig, surface->positions + 3 * v);
        rows[v * width + (size_t)(*owners)[v]] = 1;
    }
    for (int round = 0; round < rounds && is_ok; ++round) {
        diffuse(surface, width, rows, next);
        double *swap = rows;
        rows = next;
        next = swap;
    }
    for (size_t v = 0; v < n && is_ok; ++v) {
        select_influences(rows + v * width, rig->count, *joints + SN_RIG_INFLUENCES * v,
                          *weights + SN_RIG_INFLUENCES * v);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_rig_write(const sn_rig *rig, sn_arena *arena, sn_scene_file *scene)
{
    sn_scene_skin *skin = SN_NEW(arena, sn_scene_skin, 1);
    if (!skin || !(skin->joints = SN_NEW(arena, int32_t, rig->count)) ||
        !(skin->inverse_bind = SN_NEW(arena, double, 12 * (size_t)rig->count))) {
        return SN_ERROR_MEMORY;
    }
    skin->joint_count = rig->count;
    scene->skins = skin;
    scene->skin_count = 1;
    for (int32_t i = 0; i < rig->count; ++i) {
        const sn_rig_bone *bone = &rig->bones[i];
        sn_scene_node *node = &scene->nodes[i];
        double *inverse = skin->inverse_bind + 12 * (size_t)i;
        *node = (sn_scene_node){.name = bone->name,
                                .parent = bone->parent,
                                .mesh = -1,
                                .skin = -1,
                                .is_soft_bone = bone->is_soft_bone,
                                .is_in_scene = true};
        node->rotation[3] = node->scale[0] = node->scale[1] = node->scale[2] = 1;
        for (int d = 0; d < 3; ++d) {
            node->translation[d] = bone->head[d] - (bone->parent < 0 ? 0 : rig->bones[bone->parent].head[d]);
            node->local[5 * d] = inverse[5 * d] = 1;
            node->local[4 * d + 3] = node->translation[d];
            inverse[4 * d + 3] = (double)(float)-bone->head[d]; /* rounded as in files */
        }
        skin->joints[i] = i;
    }
    return SN_OK;
}
