/* SPDX-License-Identifier: MIT */
/* Builds the scene with targets and one clip with a key per frame in every channel. */
#include <stdio.h>
#include <string.h>

#include "author/bake/shaper.h"

#define NAME_CHARS 40

static void *copy(sn_arena *arena, const void *from, int count, size_t size)
{
    void *to = sn_arena_alloc(arena, (size_t)count, size);
    return to && count > 0 ? memcpy(to, from, (size_t)count * size) : to;
}

/* Sets the first key's positions, then own targets, then baked targets. */
static bool extend_primitive(const sn_shaper *s, size_t first, int own, sn_scene_primitive *p)
{
    const size_t n = 3 * (size_t)p->vertex_count;
    const int count = own + s->target_count;
    float **positions = SN_NEW(s->arena, float *, count), **normals = SN_NEW(s->arena, float *, count);
    float *base = SN_NEW(s->arena, float, n);
    if (!positions || !normals || !base) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        base[i] = (float)((double)p->positions[i] + s->offsets[3 * first + i]);
    }
    for (int k = 0; k < count; ++k) {
        positions[k] = k < own ? p->morph_positions[k] : s->targets[k - own] + 3 * first;
        normals[k] = k < own ? (p->morph_normals ? p->morph_normals[k] : NULL) : NULL;
    }
    for (int i = 0; i < s->target_count && !p->is_flat; ++i) {
        normals[own + i] = s->normal_offsets[i] ? s->normal_offsets[i] + 3 * first : NULL;
    }
    p->positions = base;
    p->tangents = NULL; /* invalid for the new positions; programs recompute them */
    p->normals = p->is_flat ? p->normals : s->base_normals + 3 * first;
    p->morph_positions = positions;
    p->morph_normals = normals;
    return true;
}

static bool extend_mesh(const sn_shaper *s, const sn_shape_body *body, sn_scene_file *scene)
{
    sn_scene_node *node = &scene->nodes[body->node];
    sn_scene_mesh *mesh = &scene->meshes[node->mesh];
    const int own = mesh->morph_count, count = own + s->target_count;
    size_t first = (size_t)body->first_vertex;
    float *rest = SN_NEW(s->arena, float, count);
    const char **names = SN_NEW(s->arena, const char *, count);
    if (!rest || !names) {
        return false;
    }
    for (int k = 0; k < count; ++k) {
        char *name = SN_NEW(s->arena, char, NAME_CHARS);
        if (!name) {
            return false;
        }
        if (k >= own && s->is_reduced) {
            snprintf(name, NAME_CHARS, "part %d", k - own);
        } else if (k >= own) {
            snprintf(name, NAME_CHARS, "segment %d mode %d", (k - own) / s->mode_count, (k - own) % s->mode_count);
        }
        names[k] = k < own && mesh->morph_names ? mesh->morph_names[k] : name;
        const float *weights = node->morph_weights ? node->morph_weights : mesh->morph_weights;
        rest[k] = k < own && weights ? weights[k] : 0;
    }
    for (int k = 0; k < mesh->primitive_count; ++k) {
        sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
        if (!extend_primitive(s, first, own, p)) {
            return false;
        }
        first += (size_t)p->vertex_count;
    }
    mesh->morph_count = count;
    mesh->morph_names = names;
    mesh->morph_weights = rest;
    node->morph_weights = NULL;
    return true;
}

static sn_scene_channel *add_channel(const sn_shaper *s, sn_scene_file *scene, int32_t node, sn_scene_path path,
                                     int width)
{
    sn_scene_channel *channel = &scene->channels[scene->channel_count];
    *channel =
        (sn_scene_channel){.node = node,
                           .path = path,
                           .interpolation = SN_KEYS_LINEAR,
                           .key_count = s->frame_count,
                           .width = width,
                           .times = s->times,
                           .values = sn_arena_alloc(s->arena, (size_t)s->frame_count, (size_t)width * sizeof(float))};
    scene->channel_count += channel->values != NULL;
    return channel->values ? channel : NULL;
}

static void set_values(sn_scene_channel *channel, int frame, int count, const double *values)
{
    for (int k = 0; k < count; ++k) {
        channel->values[(size_t)frame * (size_t)channel->width + (size_t)k] = (float)values[k];
    }
}

/* Adds channels of all nodes without a fixed matrix, then the weights of all bodies. */
static bool add_channels(const sn_shaper *s, sn_scene_file *scene)
{
    static const int widths[] = {[SN_PATH_TRANSLATION] = 3, [SN_PATH_ROTATION] = 4, [SN_PATH_SCALE] = 3};
    scene->channels = SN_NEW(s->arena, sn_scene_channel, 3 * (size_t)scene->node_count + (size_t)s->body_count);
    bool is_ok = scene->channels != NULL;
    for (int32_t i = 0; i < scene->node_count && is_ok; ++i) {
        for (int path = SN_PATH_TRANSLATION; path <= SN_PATH_SCALE && !scene->nodes[i].has_matrix && is_ok; ++path) {
            is_ok = add_channel(s, scene, i, (sn_scene_path)path, widths[path]) != NULL;
        }
    }
    for (int i = 0; i < s->body_count && is_ok; ++i) {
        const int32_t node = s->bodies[i].node;
        const int width = scene->meshes[scene->nodes[node].mesh].morph_count;
        is_ok = add_channel(s, scene, node, SN_PATH_WEIGHTS, width) != NULL;
    }
    return is_ok;
}

static void fill_frame(sn_shaper *s, int frame, double *weights, sn_scene_file *scene)
{
    const double seconds = (double)s->times[frame];
    int body = 0;
    sn_shaper_pose_nodes(s, seconds);
    for (int i = 0; i < scene->channel_count; ++i) {
        sn_scene_channel *channel = &scene->channels[i];
        const sn_trs *parts = &s->parts[channel->node];
        if (channel->path == SN_PATH_WEIGHTS) {
            const int own = sn_shaper_own_weights(s, body++, seconds, weights);
            set_values(channel, frame, own, weights);
            memcpy(channel->values + (size_t)frame * (size_t)channel->width + (size_t)own,
                   s->weights + (size_t)frame * (size_t)s->target_count, (size_t)s->target_count * sizeof(float));
        } else {
            set_values(channel, frame, channel->width,
                       channel->path == SN_PATH_TRANSLATION ? parts->translation
                       : channel->path == SN_PATH_ROTATION  ? parts->rotation
                                                            : parts->scale);
        }
    }
}

sn_result sn_shaper_build_scene(sn_shaper *s, sn_scene_file *scene)
{
    *scene = s->scene;
    scene->nodes = copy(s->arena, s->scene.nodes, scene->node_count, sizeof *scene->nodes);
    scene->meshes = copy(s->arena, s->scene.meshes, scene->mesh_count, sizeof *scene->meshes);
    scene->primitives = copy(s->arena, s->scene.primitives, scene->primitive_count, sizeof *scene->primitives);
    scene->clips = SN_NEW(s->arena, sn_scene_clip, 1);
    scene->channel_count = 0;
    bool is_ok = scene->nodes && scene->meshes && scene->primitives && scene->clips;
    int max_width = 0;
    for (int i = 0; i < s->body_count && is_ok; ++i) {
        is_ok = extend_mesh(s, &s->bodies[i], scene);
        const int width = scene->meshes[scene->nodes[s->bodies[i].node].mesh].morph_count;
        max_width = width > max_width ? width : max_width;
    }
    double *weights = SN_NEW(&s->scratch, double, max_width);
    if (!is_ok || !weights || !add_channels(s, scene)) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < s->frame_count; ++f) {
        fill_frame(s, f, weights, scene);
    }
    scene->clip_count = 1;
    scene->clips[0] = (sn_scene_clip){.name = s->desc.clip_name ? s->desc.clip_name : "shapes",
                                      .channel_count = scene->channel_count,
                                      .seconds = (double)s->times[s->frame_count - 1]};
    return SN_OK;
}
