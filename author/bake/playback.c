/* SPDX-License-Identifier: MIT */
#include "author/bake/playback.h"

#include <string.h>

#include "host/math/affine.h"

static int count_vertices(const sn_scene_primitive *p, int stride)
{
    return (p->vertex_count + stride - 1) / stride;
}

sn_result sn_playback_init(const sn_scene_file *scene, int stride, sn_arena *arena, sn_playback *playback)
{
    int max_joints = 0, max_morphs = 0;
    *playback = (sn_playback){.scene = scene, .stride = stride};
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *node = &scene->nodes[i];
        const sn_scene_mesh *mesh = node->mesh >= 0 ? &scene->meshes[node->mesh] : NULL;
        for (int k = 0; mesh && k < mesh->primitive_count; ++k) {
            playback->vertex_count += count_vertices(&scene->primitives[mesh->first_primitive + k], stride);
        }
        max_morphs = mesh && mesh->morph_count > max_morphs ? mesh->morph_count : max_morphs;
    }
    for (int i = 0; i < scene->skin_count; ++i) {
        max_joints = scene->skins[i].joint_count > max_joints ? scene->skins[i].joint_count : max_joints;
    }
    playback->skin = SN_NEW(arena, double, 12 * (size_t)max_joints);
    playback->weights = SN_NEW(arena, double, max_morphs);
    return playback->skin && playback->weights ? sn_scene_pose_init(scene, arena, &playback->pose) : SN_ERROR_MEMORY;
}

/* Gets the morph weights of a node's mesh from the clip, or its rest weights. */
static void find_weights(sn_playback *playback, int node, double seconds)
{
    const sn_scene_file *scene = playback->scene;
    const sn_scene_mesh *mesh = &scene->meshes[scene->nodes[node].mesh];
    const float *rest = scene->nodes[node].morph_weights ? scene->nodes[node].morph_weights : mesh->morph_weights;
    for (int m = 0; m < mesh->morph_count; ++m) {
        playback->weights[m] = rest ? (double)rest[m] : 0;
    }
    for (int i = 0; i < (scene->clip_count > 0 ? scene->clips[0].channel_count : 0); ++i) {
        const sn_scene_channel *channel = &scene->channels[scene->clips[0].first_channel + i];
        if (channel->node == node && channel->path == SN_PATH_WEIGHTS) {
            sn_scene_channel_sample(channel, seconds, playback->weights);
        }
    }
}

static void find_skin(sn_playback *playback, const sn_scene_skin *skin)
{
    for (int j = 0; j < skin->joint_count; ++j) {
        sn_affine_multiply(playback->pose.world + 12 * (size_t)skin->joints[j], skin->inverse_bind + 12 * (size_t)j,
                           playback->skin + 12 * (size_t)j);
    }
}

/* Applies morph targets one after the other, so that each is read sequentially. */
static void morph(const sn_playback *playback, const sn_scene_primitive *p, int morph_count, double *positions)
{
    const size_t n = (size_t)p->vertex_count, stride = (size_t)playback->stride;
    for (size_t v = 0, at = 0; v < n; v += stride, at += 3) {
        for (size_t d = 0; d < 3; ++d) {
            positions[at + d] = (double)p->positions[3 * v + d];
        }
    }
    for (int m = 0; m < morph_count; ++m) {
        const double weight = playback->weights[m];
        const float *target = p->morph_positions[m];
        if (!target || weight == 0) {
            continue;
        }
        for (size_t v = 0, at = 0; v < n; v += stride, at += 3) {
            positions[at] += weight * (double)target[3 * v];
            positions[at + 1] += weight * (double)target[3 * v + 1];
            positions[at + 2] += weight * (double)target[3 * v + 2];
        }
    }
}

static void skin_vertex(const sn_playback *playback, const sn_scene_primitive *p, size_t v, const double *world,
                        double *position)
{
    const size_t width = (size_t)p->influence_count;
    double rest[3], blended[12] = {0};
    memcpy(rest, position, sizeof rest);
    for (size_t k = 0; k < width; ++k) {
        const double weight = (double)p->weights[v * width + k];
        const double *joint = playback->skin + 12 * (size_t)p->joints[v * width + k];
        for (int i = 0; i < 12 && weight != 0; ++i) {
            blended[i] += weight * joint[i];
        }
    }
    sn_affine_apply(width > 0 ? blended : world, rest, position);
}

void sn_playback_evaluate(sn_playback *playback, double seconds, double *positions)
{
    const sn_scene_file *scene = playback->scene;
    if (scene->clip_count > 0) {
        sn_scene_pose_clip(&playback->pose, 0, seconds);
    }
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *node = &scene->nodes[i];
        if (node->mesh < 0) {
            continue;
        }
        const sn_scene_mesh *mesh = &scene->meshes[node->mesh];
        find_weights(playback, i, seconds);
        if (node->skin >= 0) {
            find_skin(playback, &scene->skins[node->skin]);
        }
        for (int k = 0; k < mesh->primitive_count; ++k) {
            const sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
            morph(playback, p, mesh->morph_count, positions);
            for (int v = 0; v < p->vertex_count; v += playback->stride, positions += 3) {
                skin_vertex(playback, p, (size_t)v, playback->pose.world + 12 * (size_t)i, positions);
            }
        }
    }
}
