/* SPDX-License-Identifier: MIT */
/* Converts animation stacks to clips. Nodes are sampled as translation, rotation and scale at every key of their
 * curves, and at a fixed rate in between where pivots or large rotations make the path nonlinear. */
#include "tools/read_fbx/read_fbx.h"
#include "tools/read_fbx/tracks.h"

#include <assimp/scene.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/bake/trs.h"
#include "author/io/list.h"
#include "host/math/affine.h"

#define SAMPLE_SECONDS (1.0 / 60)
#define MAX_SAMPLES (1 << 20) /* per node and clip */
#define MAX_SECONDS 86400.0
/* A channel within this tolerance of the node's rest transform is dropped. */
#define REST_TOLERANCE 1e-6

/* The animation channels of a node in a clip. */
typedef struct node_motion {
    const struct aiNodeAnim *full_channel; /* channel of the complete transform, or null */
    const struct aiNodeAnim *components[FBX_COMPONENT_COUNT];
    bool is_moved;
} node_motion;

typedef struct clip_reader {
    fbx_reader *r;
    const struct aiAnimation *from;
    double ticks_per_second, start, seconds; /* start is in ticks */
    node_motion *motions;                    /* (node_count) */
    sn_list *channels;                       /* of sn_scene_channel */
} clip_reader;

static void find_motions(clip_reader *c)
{
    for (unsigned i = 0; i < c->from->mNumChannels; ++i) {
        const struct aiNodeAnim *channel = c->from->mChannels[i];
        size_t stem;
        const int component = fbx_component_find(channel->mNodeName.data, &stem);
        const int32_t node = fbx_node_find(c->r, channel->mNodeName.data, stem);
        if (node >= 0 && component < 0) {
            c->motions[node].full_channel = channel;
        } else if (node >= 0 && component < FBX_COMPONENT_COUNT) {
            c->motions[node].components[component] = channel;
        }
        if (node >= 0) {
            c->motions[node].is_moved = true;
        }
    }
}

/* Samples a node with a single channel. The library (version 5.2.5) applies post-rotations with the wrong sign;
 * multiplying twice by the inverse, which the node's component contains, corrects it. */
static void channel_transform(const fbx_node *node, const struct aiNodeAnim *channel, double time, double *local)
{
    sn_trs trs = {0};
    fbx_track_sample(channel, time, &trs);
    sn_trs_compose(&trs, local);
    if (node->components) {
        const double *post = node->components[FBX_POST_ROTATION];
        double converted[12], twice[12], scale[12];
        const sn_trs rigid = {.translation = {trs.translation[0], trs.translation[1], trs.translation[2]},
                              .rotation = {trs.rotation[0], trs.rotation[1], trs.rotation[2], trs.rotation[3]},
                              .scale = {1, 1, 1}};
        const sn_trs scaling = {.rotation = {0, 0, 0, 1}, .scale = {trs.scale[0], trs.scale[1], trs.scale[2]}};
        sn_trs_compose(&rigid, local);
        sn_trs_compose(&scaling, scale);
        sn_affine_multiply(local, post, converted);
        sn_affine_multiply(converted, post, twice);
        sn_affine_multiply(twice, scale, local);
    }
}

static void component_transform(const fbx_node *node, const node_motion *motion, double time, double *local)
{
    double moved[FBX_COMPONENT_COUNT][12];
    for (int i = 0; i < FBX_LOCAL_COUNT; ++i) {
        sn_affine_identity(moved[i]);
        if (node->components) {
            memcpy(moved[i], node->components[i], sizeof moved[i]);
        }
        if (motion->components[i]) {
            sn_trs trs;
            fbx_track_sample(motion->components[i], time, &trs);
            sn_trs_compose(&trs, moved[i]);
        }
    }
    fbx_multiply_components(moved, 0, FBX_LOCAL_COUNT, local);
}

/* Whether linear interpolation between keys would deviate from the node's path. */
static bool is_nonlinear(const fbx_node *node, const node_motion *motion)
{
    bool has_large_rotation = motion->full_channel && fbx_track_has_large_rotation(motion->full_channel);
    for (int i = 0; i < FBX_LOCAL_COUNT && !motion->full_channel; ++i) {
        has_large_rotation |= motion->components[i] && fbx_track_has_large_rotation(motion->components[i]);
    }
    static const int pivots[] = {FBX_ROTATION_PIVOT_INVERSE, FBX_SCALING_OFFSET, FBX_SCALING_PIVOT,
                                 FBX_SCALING_PIVOT_INVERSE};
    bool is_offset = false;
    for (size_t i = 0; i < sizeof pivots / sizeof pivots[0]; ++i) {
        const double *m = node->components ? node->components[pivots[i]] : NULL;
        is_offset |= motion->components[pivots[i]] || (m && (m[3] != 0 || m[7] != 0 || m[11] != 0));
    }
    const bool is_rotated_or_scaled = motion->components[FBX_ROTATION] || motion->components[FBX_SCALING];
    return has_large_rotation || (!motion->full_channel && is_offset && is_rotated_or_scaled);
}

static sn_result list_times(const clip_reader *c, const fbx_node *node, const node_motion *motion, sn_list *times)
{
    const fbx_span span = {c->start, c->ticks_per_second, c->seconds};
    sn_result result = motion->full_channel ? fbx_track_list_times(motion->full_channel, &span, times) : SN_OK;
    for (int i = 0; i < FBX_LOCAL_COUNT && result == SN_OK && !motion->full_channel; ++i) {
        result = motion->components[i] ? fbx_track_list_times(motion->components[i], &span, times) : SN_OK;
    }
    const int between = (int)ceil(c->seconds / SAMPLE_SECONDS);
    if (result == SN_OK && is_nonlinear(node, motion) && between < MAX_SAMPLES) {
        double *more = SN_LIST_ADD(times, double, between);
        for (int i = 0; more && i < between; ++i) {
            more[i] = i * SAMPLE_SECONDS;
        }
        result = more ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        fbx_times_sort(times);
    }
    return result == SN_OK && times->count > MAX_SAMPLES ? sn_fail(SN_ERROR_FORMAT, "a clip has too many keys")
                                                         : result;
}

static sn_result add_channel(clip_reader *c, int32_t node, sn_scene_path path, float *times, int key_count, int width,
                             float *values)
{
    sn_scene_channel *channel = SN_LIST_ADD(c->channels, sn_scene_channel, 1);
    if (!channel) {
        return SN_ERROR_MEMORY;
    }
    *channel = (sn_scene_channel){.node = node,
                                  .path = path,
                                  .interpolation = SN_KEYS_LINEAR,
                                  .key_count = key_count,
                                  .width = width,
                                  .times = times,
                                  .values = values};
    return SN_OK;
}

/* q and -q are the same rotation. */
static bool is_at_rest(const float *values, int key_count, int width, const double *rest)
{
    for (int k = 0; k < key_count; ++k) {
        double difference = 0, opposite = width == 4 ? 0 : INFINITY;
        for (int i = 0; i < width; ++i) {
            const double value = (double)values[(size_t)k * (size_t)width + (size_t)i];
            difference = fmax(difference, fabs(value - rest[i]));
            opposite = fmax(opposite, fabs(value + rest[i]));
        }
        if (!(fmin(difference, opposite) <= REST_TOLERANCE)) {
            return false;
        }
    }
    return true;
}

static sn_result sample_node(clip_reader *c, const fbx_node *node, const node_motion *motion, const sn_list *times)
{
    static const int widths[3] = {3, 4, 3}, component_offsets[3] = {0, 3, 7};
    fbx_reader *r = c->r;
    const int count = (int)times->count;
    float *seconds = SN_NEW(&r->arena, float, count), *values[3];
    for (int path = 0; path < 3; ++path) {
        values[path] = SN_NEW(&r->arena, float, (size_t)widths[path] * times->count);
        if (!seconds || !values[path]) {
            return SN_ERROR_MEMORY;
        }
    }
    sn_trs trs = {0};
    for (int k = 0; k < count; ++k) {
        double local[12], converted[12], rows[10];
        const double time = ((double *)times->items)[k], ticks = c->start + time * c->ticks_per_second;
        if (motion->full_channel) {
            channel_transform(node, motion->full_channel, ticks, local);
        } else {
            component_transform(node, motion, ticks, local);
        }
        if (!fbx_is_finite(local, 12)) {
            return sn_fail(SN_ERROR_FORMAT, "clip %s: node %s: a key is not finite", fbx_name(r, &c->from->mName),
                           fbx_name(r, &node->from->mName));
        }
        fbx_convert_affine(r, local, converted);
        const sn_trs before = trs;
        sn_trs_from_affine(converted, k > 0 ? &before : NULL, &trs);
        memcpy(rows, trs.translation, sizeof trs.translation);
        memcpy(rows + 3, trs.rotation, sizeof trs.rotation);
        memcpy(rows + 7, trs.scale, sizeof trs.scale);
        seconds[k] = (float)time;
        for (int path = 0; path < 3; ++path) {
            for (int i = 0; i < widths[path]; ++i) {
                values[path][k * widths[path] + i] = (float)rows[component_offsets[path] + i];
            }
        }
    }
    const sn_scene_node *rest = &r->scene.nodes[node->scene_node];
    const double *const rests[3] = {rest->translation, rest->rotation, rest->scale};
    for (int path = 0; path < 3; ++path) {
        if (!is_at_rest(values[path], count, widths[path], rests[path])) {
            SN_TRY(add_channel(c, node->scene_node, (sn_scene_path)path, seconds, count, widths[path], values[path]));
        }
    }
    return SN_OK;
}

static sn_result read_node(clip_reader *c, int node)
{
    sn_list times = {0};
    sn_result result = list_times(c, &c->r->nodes[node], &c->motions[node], &times);
    if (result == SN_OK && times.count > 0) {
        result = sample_node(c, &c->r->nodes[node], &c->motions[node], &times);
    }
    sn_list_finish(&times);
    return result;
}

/* The name is "MODEL*GEOMETRY"; the shapes of all geometries of a model share their numbering. */
static sn_result read_shapes(clip_reader *c, const struct aiMeshMorphAnim *from)
{
    fbx_reader *r = c->r;
    const char *star = strrchr(from->mName.data, '*');
    const int32_t node = fbx_node_find(r, from->mName.data, star ? (size_t)(star - from->mName.data) : 0);
    const sn_scene_node *draws = node >= 0 ? &r->scene.nodes[r->nodes[node].mesh_node] : NULL;
    const int width = draws && draws->mesh >= 0 ? r->scene.meshes[draws->mesh].morph_count : 0;
    if (width == 0) {
        return SN_OK;
    }
    const fbx_span span = {c->start, c->ticks_per_second, c->seconds};
    float *times, *values;
    int count = 0;
    const sn_result result = fbx_shapes_sample(from, &span, width, &r->arena, &times, &values, &count);
    return result == SN_OK && count > 0
               ? add_channel(c, r->nodes[node].mesh_node, SN_PATH_WEIGHTS, times, count, width, values)
               : result;
}

/* Uses the stack's span or, without one, that of its keys. For stacks with only shapes, the library (version 5.2.5) has
 * a distant start time. */
static void find_span(clip_reader *c)
{
    const double ticks = c->from->mDuration;
    c->ticks_per_second = c->from->mTicksPerSecond;
    c->start = 0;
    c->seconds = ticks / c->ticks_per_second;
    if (!(ticks > 0)) {
        double min_time = INFINITY, max_time = -INFINITY;
        for (unsigned i = 0; i < c->from->mNumMorphMeshChannels; ++i) {
            const struct aiMeshMorphAnim *shapes = c->from->mMorphMeshChannels[i];
            for (unsigned k = 0; k < shapes->mNumKeys; ++k) {
                min_time = fmin(min_time, shapes->mKeys[k].mTime);
                max_time = fmax(max_time, shapes->mKeys[k].mTime);
            }
        }
        c->start = min_time <= max_time ? min_time : 0;
        c->seconds = min_time <= max_time ? (max_time - min_time) / c->ticks_per_second : 0;
    }
}

static sn_result read_clip(clip_reader *c, sn_scene_clip *clip)
{
    const char *name = fbx_name(c->r, &c->from->mName);
    find_span(c);
    *clip = (sn_scene_clip){.name = name, .first_channel = (int)c->channels->count};
    if (!name) {
        return SN_ERROR_MEMORY;
    }
    if (!(c->ticks_per_second > 0) || !(c->seconds >= 0 && c->seconds <= MAX_SECONDS)) {
        sn_log(SN_LOG_WARNING, "the clip %s has no frame rate or is too long; it is ignored", name);
        return SN_OK;
    }
    memset(c->motions, 0, (size_t)c->r->node_count * sizeof *c->motions);
    find_motions(c);
    sn_result result = SN_OK;
    for (int i = 0; i < c->r->node_count && result == SN_OK; ++i) {
        result = c->motions[i].is_moved ? read_node(c, i) : SN_OK;
    }
    for (unsigned i = 0; i < c->from->mNumMorphMeshChannels && result == SN_OK; ++i) {
        result = read_shapes(c, c->from->mMorphMeshChannels[i]);
    }
    clip->channel_count = (int)c->channels->count - clip->first_channel;
    return result;
}

sn_result fbx_clips_read(fbx_reader *r)
{
    sn_list channels = {0};
    clip_reader c = {.r = r, .motions = SN_NEW(&r->arena, node_motion, r->node_count), .channels = &channels};
    r->scene.clip_count = (int)r->from->mNumAnimations;
    r->scene.clips = SN_NEW(&r->arena, sn_scene_clip, r->scene.clip_count);
    sn_result result = c.motions && r->scene.clips ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < r->scene.clip_count && result == SN_OK; ++i) {
        c.from = r->from->mAnimations[i];
        result = read_clip(&c, &r->scene.clips[i]);
    }
    r->scene.channel_count = (int)channels.count;
    r->scene.channels = result == SN_OK ? sn_list_copy(&channels, sizeof(sn_scene_channel), &r->arena) : NULL;
    sn_list_finish(&channels);
    return result == SN_OK && !r->scene.channels ? SN_ERROR_MEMORY : result;
}
