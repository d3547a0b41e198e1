/* SPDX-License-Identifier: MIT */
/* Animations: one channel of the scene per channel that targets a node. */
#include "author/io/gltf/gltf_reader.h"

#include <stdio.h>
#include <string.h>

#define PATH_COUNT 4
#define NAME_CHARS 32

/* The last clip with a channel of a node and path: 1 + clip, (node_count x PATH_COUNT). */
typedef struct animation_state {
    int32_t *last_clip;
    int32_t clip;
} animation_state;

static bool read_path(const sn_json *target, sn_scene_path *path)
{
    static const char *const names[PATH_COUNT] = {"translation", "rotation", "scale", "weights"};
    const char *name = sn_json_require(target, "path") ? sn_json_text(target, "path", "") : "";
    for (int k = 0; k < PATH_COUNT; ++k) {
        if (strcmp(name, names[k]) == 0) {
            *path = (sn_scene_path)k;
            return true;
        }
    }
    sn_json_fail(target, SN_ERROR_FORMAT, "the path must be translation, rotation, scale or weights");
    return false;
}

static sn_scene_interpolation read_interpolation(const sn_json *sampler)
{
    const char *name = sn_json_text(sampler, "interpolation", "LINEAR");
    if (strcmp(name, "STEP") == 0) {
        return SN_KEYS_STEP;
    }
    if (strcmp(name, "CUBICSPLINE") == 0) {
        return SN_KEYS_CUBIC;
    }
    if (strcmp(name, "LINEAR") != 0) {
        sn_json_fail(sampler, SN_ERROR_FORMAT, "the interpolation must be LINEAR, STEP or CUBICSPLINE");
    }
    return SN_KEYS_LINEAR;
}

/* The number of values per key; 0 for a channel that is ignored: of a node with a matrix, of a node without morph
 * targets, and of the morph targets of a mesh without triangles, which is not read. */
static int find_width(const sn_gltf *g, const sn_json *target, const sn_scene_channel *c)
{
    const sn_scene_node *node = &g->scene->nodes[c->node];
    if (c->path != SN_PATH_WEIGHTS) {
        if (node->has_matrix) {
            sn_json_warn(target, SN_GLTF_WARNED_CHANNEL,
                         "node %d has a matrix and cannot be animated; the channel is ignored", c->node);
            return 0;
        }
        return c->path == SN_PATH_ROTATION ? 4 : 3;
    }
    const int count = node->mesh < 0 ? 0 : g->scene->meshes[node->mesh].morph_count;
    if (count == 0 && (node->mesh < 0 || g->scene->meshes[node->mesh].primitive_count > 0)) {
        sn_json_warn(target, SN_GLTF_WARNED_CHANNEL, "node %d has no morph targets; the channel is ignored", c->node);
    }
    return count;
}

static void read_times(sn_gltf *g, const sn_json *sampler, sn_scene_channel *c)
{
    static const sn_gltf_format format = {1 << SN_GLTF_SCALAR, SN_GLTF_FLOATS_ONLY, "SCALAR of floats"};
    const sn_json at = sn_json_get(sampler, "input");
    const sn_gltf_accessor *accessor =
        sn_json_require(sampler, "input") ? sn_gltf_find_accessor(g, sampler, "input", &format, -1) : NULL;
    c->times = accessor ? SN_GLTF_NEW(g, g->arena, &at, float, accessor->count) : NULL;
    if (c->times && sn_gltf_decode(&at, accessor, c->times, 1)) {
        c->key_count = accessor->count;
    }
}

/* Removes the keys whose time is negative or not after the previous one. */
static void remove_keys(const sn_json *sampler, sn_scene_channel *c)
{
    const sn_json at = sn_json_get(sampler, "input");
    const size_t width = (size_t)c->width * (c->interpolation == SN_KEYS_CUBIC ? 3 : 1);
    int count = 0;
    for (int k = 0; k < c->key_count; ++k) {
        const float time = c->times[k];
        if (time < 0 || (count > 0 && !(time > c->times[count - 1]))) {
            sn_json_warn(&at, SN_GLTF_WARNED_KEY, "time %d is %g, which is %s; the key is ignored", k, (double)time,
                         time < 0 ? "negative" : "not after the previous time");
            continue;
        }
        c->times[count] = time;
        memmove(c->values + (size_t)count * width, c->values + (size_t)k * width, width * sizeof *c->values);
        ++count;
    }
    c->key_count = count;
}

/* Normalizes rotations; tangents are scaled by the same factor. */
static bool normalize_rotations(const sn_json *at, const sn_scene_channel *c)
{
    const size_t slots = c->interpolation == SN_KEYS_CUBIC ? 3 : 1;
    for (size_t key = 0; key < (size_t)c->key_count; ++key) {
        float *slot = c->values + 4 * slots * key, *value = slot + (slots == 3 ? 4 : 0);
        double unit[4], dot = 0, square = 0;
        for (int k = 0; k < 4; ++k) {
            unit[k] = (double)value[k];
        }
        if (!sn_gltf_normalize_rotation(at, unit)) {
            return false;
        }
        for (int k = 0; k < 4; ++k) {
            dot += unit[k] * (double)value[k];
            square += (double)value[k] * (double)value[k];
        }
        for (size_t k = 0; k < 4 * slots; ++k) {
            slot[k] = (float)((double)slot[k] * (dot / square));
        }
    }
    return true;
}

static void read_values(sn_gltf *g, const sn_json *sampler, sn_scene_channel *c)
{
    static const sn_gltf_format formats[PATH_COUNT] = {
        {1 << SN_GLTF_VEC3, SN_GLTF_NORMALIZED, "VEC3 of floats"},
        {1 << SN_GLTF_VEC4, SN_GLTF_NORMALIZED, "VEC4 of floats or normalized integers"},
        {1 << SN_GLTF_VEC3, SN_GLTF_NORMALIZED, "VEC3 of floats"},
        {1 << SN_GLTF_SCALAR, SN_GLTF_NORMALIZED, "SCALAR of floats or normalized integers"}};
    const sn_json at = sn_json_get(sampler, "output");
    const int64_t slots = (int64_t)c->key_count * (c->interpolation == SN_KEYS_CUBIC ? 3 : 1);
    const int64_t count = c->path == SN_PATH_WEIGHTS ? slots * c->width : slots;
    const sn_gltf_accessor *accessor =
        sn_json_require(sampler, "output") ? sn_gltf_find_accessor(g, sampler, "output", &formats[c->path], -1) : NULL;
    if (!accessor) {
        return;
    }
    if (accessor->count != count) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "%d values for %d keys instead of %lld", accessor->count, c->key_count,
                     (long long)count);
        return;
    }
    const size_t width = (size_t)sn_gltf_width(accessor);
    c->values = SN_GLTF_NEW(g, g->arena, &at, float, width *(size_t)count);
    if (c->values && sn_gltf_decode(&at, accessor, c->values, width) && c->path == SN_PATH_ROTATION) {
        normalize_rotations(&at, c);
    }
}

/* Returns false on failure, and for a channel without a node or values, which is ignored. */
static bool read_target(sn_gltf *g, const sn_json *at, const animation_state *s, sn_scene_channel *c)
{
    if (!sn_json_require(at, "target")) {
        return false;
    }
    const sn_json target = sn_json_get(at, "target"), extensions = sn_json_get(&target, "extensions");
    if (sn_json_has(&extensions, "KHR_animation_pointer")) {
        sn_json_warn(&target, SN_GLTF_WARNED_POINTER,
                     "KHR_animation_pointer is not supported; its channels are ignored");
        return false;
    }
    c->node = sn_json_index(&target, "node", g->scene->node_count);
    if (c->node < 0 || !sn_gltf_ok(g) || !read_path(&target, &c->path)) {
        return false;
    }
    int32_t *last_clip = &s->last_clip[PATH_COUNT * (size_t)c->node + (size_t)c->path];
    if (*last_clip == s->clip + 1) {
        sn_json_fail(&target, SN_ERROR_FORMAT, "node %d has a second channel with the same path", c->node);
    }
    *last_clip = s->clip + 1;
    c->width = find_width(g, &target, c);
    return c->width > 0 && sn_gltf_ok(g);
}

static void read_channel(sn_gltf *g, const sn_json *at, const sn_json *samplers, const animation_state *s)
{
    sn_scene_clip *clip = &g->scene->clips[s->clip];
    sn_scene_channel *c = &g->scene->channels[g->scene->channel_count];
    if (!read_target(g, at, s, c)) {
        return;
    }
    const int32_t index = sn_json_require(at, "sampler") ? sn_json_index(at, "sampler", sn_json_count(samplers)) : -1;
    if (!sn_gltf_ok(g)) {
        return;
    }
    const sn_json sampler = sn_json_entry(samplers, (size_t)index);
    c->interpolation = read_interpolation(&sampler);
    if (sn_gltf_ok(g)) {
        read_times(g, &sampler, c);
    }
    if (sn_gltf_ok(g)) {
        read_values(g, &sampler, c);
    }
    if (sn_gltf_ok(g)) {
        remove_keys(&sampler, c);
    }
    if (sn_gltf_ok(g) && c->key_count > 0) {
        const double end = (double)c->times[c->key_count - 1];
        clip->seconds = end > clip->seconds ? end : clip->seconds;
        clip->channel_count++;
        g->scene->channel_count++;
    }
}

static void set_clip_name(sn_gltf *g, const sn_json *at, int32_t index)
{
    sn_scene_clip *clip = &g->scene->clips[index];
    clip->name = sn_gltf_name(g, at);
    if (clip->name && clip->name[0] == 0) {
        char *name = SN_GLTF_NEW(g, g->arena, at, char, NAME_CHARS);
        if (name) {
            snprintf(name, NAME_CHARS, "clip %d", index);
        }
        clip->name = name;
    }
}

static void read_animation(sn_gltf *g, const sn_json *at, const animation_state *s)
{
    const sn_json channels = sn_json_get(at, "channels"), samplers = sn_json_get(at, "samplers");
    const int count = sn_json_require(at, "channels") ? sn_json_count(&channels) : 0;
    sn_json_count(&samplers);
    g->scene->clips[s->clip].first_channel = g->scene->channel_count;
    set_clip_name(g, at, s->clip);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json channel = sn_json_entry(&channels, (size_t)i);
        read_channel(g, &channel, &samplers, s);
    }
}

static size_t count_channels(const sn_json *animations)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(animations->value); ++i) {
        count += json_array_size(json_object_get(json_array_get(animations->value, i), "channels"));
    }
    return count;
}

void sn_gltf_read_animations(sn_gltf *g)
{
    sn_scene_file *scene = g->scene;
    const sn_json list = sn_json_get(&g->root, "animations");
    scene->clip_count = sn_json_count(&list);
    scene->clips = SN_GLTF_NEW(g, g->arena, &list, sn_scene_clip, scene->clip_count);
    scene->channels = SN_GLTF_NEW(g, g->arena, &list, sn_scene_channel, count_channels(&list));
    animation_state state = {.last_clip =
                                 SN_GLTF_NEW(g, &g->scratch, &list, int32_t, PATH_COUNT * (size_t)scene->node_count)};
    for (int i = 0; i < scene->clip_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        state.clip = i;
        read_animation(g, &at, &state);
    }
}
