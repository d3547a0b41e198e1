/* SPDX-License-Identifier: MIT */
#include "author/io/scene_pose.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"

#define PART_COUNT 10
#define MAX_DEPTH 4096
#define STEP_SLACK 1e-5   /* s, tolerance for steps at frame times, to absorb rounding */
#define SHRUNK_RATIO 0.01 /* ratio of the rest scale to the largest animated scale */
static const int part_starts[] = {[SN_PATH_TRANSLATION] = 0, [SN_PATH_ROTATION] = 3, [SN_PATH_SCALE] = 7};

/* Sorts parents before children without recursion: walks up from each node to a visited one, and stores the path in
 * reverse. */
static sn_result sort_nodes(const sn_scene_file *scene, sn_arena *arena, int32_t *order)
{
    int32_t *stack = SN_NEW(arena, int32_t, scene->node_count);
    bool *is_visited = SN_NEW(arena, bool, scene->node_count);
    if (!stack || !is_visited) {
        return SN_ERROR_MEMORY;
    }
    int count = 0;
    for (int32_t node = 0; node < scene->node_count; ++node) {
        int depth = 0;
        for (int32_t at = node; at >= 0 && !is_visited[at]; at = scene->nodes[at].parent) {
            is_visited[at] = true;
            stack[depth++] = at;
        }
        while (depth > 0) {
            order[count++] = stack[--depth];
        }
    }
    return SN_OK;
}

int sn_scene_node_depth(const sn_scene_file *scene, int32_t node)
{
    int depth = 0;
    for (int32_t at = scene->nodes[node].parent; at >= 0; at = scene->nodes[at].parent) {
        ++depth;
    }
    return depth;
}

sn_result sn_scene_pose_init(const sn_scene_file *scene, sn_arena *arena, sn_scene_pose *pose)
{
    *pose = (sn_scene_pose){.scene = scene,
                            .order = SN_NEW(arena, int32_t, scene->node_count),
                            .world = SN_NEW(arena, double, 12 * (size_t)scene->node_count),
                            .parts = SN_NEW(arena, double, PART_COUNT *(size_t)scene->node_count)};
    if (!pose->order || !pose->world || !pose->parts) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sort_nodes(scene, arena, pose->order));
    sn_scene_pose_rest(pose);
    return SN_OK;
}

sn_result sn_scene_pose_check_depth(const sn_scene_pose *pose, const char *name, sn_arena *scratch)
{
    int32_t *depths = SN_NEW(scratch, int32_t, pose->scene->node_count);
    for (int i = 0; depths && i < pose->scene->node_count; ++i) {
        const int32_t node = pose->order[i], parent = pose->scene->nodes[node].parent;
        depths[node] = parent >= 0 ? depths[parent] + 1 : 0;
        if (depths[node] > MAX_DEPTH) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: nodes[%d]: the node has more than %d ancestors", name, node,
                           MAX_DEPTH);
        }
    }
    return depths ? SN_OK : SN_ERROR_MEMORY;
}

/* Composes translation, rotation (a quaternion of any length) and scale. */
static void compose(const double *parts, double *m)
{
    const double *t = parts, *q = parts + 3, *s = parts + 7;
    const double x = q[0], y = q[1], z = q[2], w = q[3], length2 = x * x + y * y + z * z + w * w;
    const double n = length2 > 0 ? 2 / length2 : 0;
    const double rotation[9] = {1 - n * (y * y + z * z), n * (x * y - z * w),     n * (x * z + y * w),
                                n * (x * y + z * w),     1 - n * (x * x + z * z), n * (y * z - x * w),
                                n * (x * z - y * w),     n * (y * z + x * w),     1 - n * (x * x + y * y)};
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            m[4 * d + k] = rotation[3 * d + k] * s[k];
        }
        m[4 * d + 3] = t[d];
    }
}

/* Computes world transforms from the file's local transforms or, in a clip, from the parts. A node with a matrix is
 * never animated. */
static void update_world(sn_scene_pose *pose, bool is_clip)
{
    for (int i = 0; i < pose->scene->node_count; ++i) {
        const int32_t node = pose->order[i], parent = pose->scene->nodes[node].parent;
        double composed[12];
        const double *local = pose->scene->nodes[node].local;
        if (is_clip && !pose->scene->nodes[node].has_matrix) {
            compose(pose->parts + PART_COUNT * (size_t)node, composed);
            local = composed;
        }
        if (parent < 0) {
            memcpy(pose->world + 12 * (size_t)node, local, sizeof composed);
        } else {
            sn_affine_multiply(pose->world + 12 * (size_t)parent, local, pose->world + 12 * (size_t)node);
        }
    }
}

void sn_scene_pose_update_world(sn_scene_pose *pose)
{
    update_world(pose, true);
}

void sn_scene_pose_rest(sn_scene_pose *pose)
{
    update_world(pose, false);
}

void sn_scene_blend_rotations(const double *a, const double *b, double fraction, double *result)
{
    double cosine = 0, weights[2] = {1 - fraction, fraction};
    for (int k = 0; k < 4; ++k) {
        cosine += a[k] * b[k];
    }
    const double sign = cosine < 0 ? -1 : 1; /* shorter arc */
    const double angle = acos(fmin(fabs(cosine), 1));
    if (angle > 1e-6) {
        weights[0] = sin((1 - fraction) * angle) / sin(angle);
        weights[1] = sin(fraction * angle) / sin(angle);
    }
    for (int k = 0; k < 4; ++k) {
        result[k] = weights[0] * a[k] + weights[1] * sign * b[k];
    }
}

/* Cubic Hermite interpolation; rows are in-tangent, value, out-tangent. */
static void blend_cubic(const sn_scene_channel *channel, int key, double fraction, double span, double *result)
{
    const float *from = channel->values + (size_t)key * 3 * (size_t)channel->width;
    const float *to = from + 3 * (size_t)channel->width;
    const double s = fraction, s2 = s * s, s3 = s2 * s;
    for (int k = 0; k < channel->width; ++k) {
        const double value = (double)from[channel->width + k], out = (double)from[2 * channel->width + k];
        const double in = (double)to[k], next = (double)to[channel->width + k];
        result[k] = (2 * s3 - 3 * s2 + 1) * value + span * (s3 - 2 * s2 + s) * out + (3 * s2 - 2 * s3) * next +
                    span * (s3 - s2) * in;
    }
}

/* The last key at or before `seconds`, or 0. */
static int find_key(const sn_scene_channel *channel, double seconds)
{
    int low = 0, high = channel->key_count;
    while (high - low > 1) {
        const int center = low + (high - low) / 2;
        if ((double)channel->times[center] <= seconds) {
            low = center;
        } else {
            high = center;
        }
    }
    return low;
}

void sn_scene_channel_sample(const sn_scene_channel *channel, double seconds, double *result)
{
    const int key = find_key(channel, channel->interpolation == SN_KEYS_STEP ? seconds + STEP_SLACK : seconds);
    const bool is_cubic = channel->interpolation == SN_KEYS_CUBIC;
    const size_t width = (size_t)channel->width, stride = is_cubic ? 3 * width : width;
    const float *value = channel->values + (size_t)key * stride + (is_cubic ? width : 0);
    const double start = (double)channel->times[key];
    for (size_t k = 0; k < width; ++k) {
        result[k] = (double)value[k];
    }
    if (key + 1 >= channel->key_count || seconds <= start || channel->interpolation == SN_KEYS_STEP) {
        return;
    }
    const double span = (double)channel->times[key + 1] - start, fraction = (seconds - start) / span;
    if (is_cubic) {
        blend_cubic(channel, key, fraction, span, result);
    } else if (channel->path == SN_PATH_ROTATION) {
        const double from[4] = {result[0], result[1], result[2], result[3]};
        const double to[4] = {(double)value[4], (double)value[5], (double)value[6], (double)value[7]};
        sn_scene_blend_rotations(from, to, fraction, result);
    } else {
        for (size_t k = 0; k < width; ++k) {
            result[k] += fraction * ((double)value[stride + k] - result[k]);
        }
    }
}

static void rest_parts(sn_scene_pose *pose)
{
    for (int node = 0; node < pose->scene->node_count; ++node) {
        double *parts = pose->parts + PART_COUNT * (size_t)node;
        memcpy(parts, pose->scene->nodes[node].translation, 3 * sizeof(double));
        memcpy(parts + 3, pose->scene->nodes[node].rotation, 4 * sizeof(double));
        memcpy(parts + 7, pose->scene->nodes[node].scale, 3 * sizeof(double));
    }
}

sn_result sn_scene_pose_bind(sn_scene_pose *pose, sn_arena *arena)
{
    double *scales = SN_NEW(arena, double, 3 * (size_t)pose->scene->node_count);
    if (!scales) {
        return SN_ERROR_MEMORY;
    }
    if (!sn_scene_max_scales(pose->scene, SHRUNK_RATIO, scales)) {
        sn_scene_pose_rest(pose);
        return SN_OK;
    }
    rest_parts(pose);
    for (int node = 0; node < pose->scene->node_count; ++node) {
        memcpy(pose->parts + PART_COUNT * (size_t)node + 7, scales + 3 * (size_t)node, 3 * sizeof(double));
    }
    update_world(pose, true);
    return SN_OK;
}

void sn_scene_pose_clip(sn_scene_pose *pose, int clip, double seconds)
{
    const sn_scene_file *scene = pose->scene;
    rest_parts(pose);
    for (int i = 0; i < scene->clips[clip].channel_count; ++i) {
        const sn_scene_channel *channel = &scene->channels[scene->clips[clip].first_channel + i];
        if (channel->path != SN_PATH_WEIGHTS) {
            sn_scene_channel_sample(channel, seconds,
                                    pose->parts + PART_COUNT * (size_t)channel->node + part_starts[channel->path]);
        }
    }
    update_world(pose, true);
}
