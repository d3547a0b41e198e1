/* SPDX-License-Identifier: MIT */
#include "author/characters/motion.h"

#include <string.h>

#include "author/motions/monotone_cubic.h"
#include "author/motions/two_bone.h"
#include "host/math/vec3.h"

#define KEYS_PER_SECOND 30
#define PI 3.14159265358979323846

static void multiply(const double a[4], const double b[4], double out[4])
{
    const double r[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, r, sizeof r);
}

static void conjugate(const double q[4], double out[4])
{
    const double r[4] = {-q[0], -q[1], -q[2], q[3]};
    memcpy(out, r, sizeof r);
}

static void rotate(const double q[4], const double v[3], double out[3])
{
    double first[3], second[3];
    sn_cross3(q, v, first);
    sn_cross3(q, first, second);
    for (int d = 0; d < 3; ++d) {
        out[d] = v[d] + 2 * (q[3] * first[d] + second[d]);
    }
}

/* Computes the shortest rotation from one direction to another; undefined for opposite directions. */
static void rotation_between(const double from[3], const double to[3], double out[4])
{
    double a[3] = {from[0], from[1], from[2]}, b[3] = {to[0], to[1], to[2]};
    static const double up[3] = {0, 1, 0};
    sn_normalize3(a, up);
    sn_normalize3(b, up);
    sn_cross3(a, b, out);
    out[3] = 1 + sn_dot3(a, b);
    const double length = sqrt(sn_dot3(out, out) + out[3] * out[3]);
    for (int k = 0; k < 4; ++k) {
        out[k] /= length;
    }
}

static void from_degrees(double x, double y, double z, double out[4])
{
    const double half = PI / 360;
    const double qx[4] = {sin(x * half), 0, 0, cos(x * half)}, qy[4] = {0, sin(y * half), 0, cos(y * half)};
    const double qz[4] = {0, 0, sin(z * half), cos(z * half)};
    multiply(qx, qz, out);
    multiply(qy, out, out);
}

void sn_motion_rotate(sn_motion_pose *pose, int bone, double x, double y, double z)
{
    double rotation[4];
    from_degrees(x, y, z, rotation);
    multiply(rotation, pose->rotations[bone], pose->rotations[bone]);
}

static void rest_offset(const sn_rig *rig, int bone, double offset[3])
{
    static const double origin[3] = {0, 0, 0};
    const int parent = rig->bones[bone].parent;
    sn_subtract3(rig->bones[bone].head, parent < 0 ? origin : rig->bones[parent].head, offset);
}

void sn_motion_world_transform(const sn_rig *rig, const sn_motion_pose *pose, int bone, double position[3],
                               double rotation[4])
{
    memset(position, 0, 3 * sizeof *position);
    memcpy(rotation, (double[4]){0, 0, 0, 1}, 4 * sizeof *rotation);
    for (int at = bone; at >= 0; at = rig->bones[at].parent) { /* from the bone to the root: p = R p + t */
        double offset[3];
        rest_offset(rig, at, offset);
        rotate(pose->rotations[at], position, position);
        for (int d = 0; d < 3; ++d) {
            position[d] += offset[d] + pose->translations[at][d];
        }
        multiply(pose->rotations[at], rotation, rotation);
    }
}

/* Sets a bone's rotation so that its world rotation is `rotation`. */
static void set_world_rotation(const sn_rig *rig, sn_motion_pose *pose, int bone, const double rotation[4])
{
    double position[3], parent[4];
    sn_motion_world_transform(rig, pose, rig->bones[bone].parent, position, parent);
    conjugate(parent, parent);
    multiply(parent, rotation, pose->rotations[bone]);
}

void sn_motion_solve_ik(const sn_rig *rig, sn_motion_pose *pose, int end, const double target[3], const double pole[3],
                        double pitch, double yaw)
{
    const int lower = rig->bones[end].parent, upper = rig->bones[lower].parent;
    double start[3], rotation[4], rest[2][3], line[3], first[3], second[3];
    sn_motion_world_transform(rig, pose, upper, start, rotation);
    rest_offset(rig, lower, rest[0]);
    rest_offset(rig, end, rest[1]);
    sn_subtract3(target, start, line);
    sn_two_bone_solve((double[2]){sn_length3(rest[0]), sn_length3(rest[1])}, line, pole, first, second);
    rotation_between(rest[0], first, rotation);
    set_world_rotation(rig, pose, upper, rotation);
    rotation_between(rest[1], second, rotation);
    set_world_rotation(rig, pose, lower, rotation);
    from_degrees(pitch, yaw, 0, rotation);
    set_world_rotation(rig, pose, end, rotation);
}

double sn_motion_wave(double phase)
{
    return sin(2 * PI * phase);
}

/* Slopes of a monotone cubic spline. */
static double slope_at(const double (*keys)[2], int count, int i)
{
    if (i == 0 || i == count - 1) {
        return 0;
    }
    const double previous = (keys[i][1] - keys[i - 1][1]) / (keys[i][0] - keys[i - 1][0]);
    const double next = (keys[i + 1][1] - keys[i][1]) / (keys[i + 1][0] - keys[i][0]);
    return sn_monotone_slope(previous, next);
}

double sn_motion_curve(const double (*keys)[2], int count, double time)
{
    int i = 0;
    while (i + 2 < count && time > keys[i + 1][0]) {
        ++i;
    }
    const double width = keys[i + 1][0] - keys[i][0];
    const double t = fmin(fmax((time - keys[i][0]) / width, 0), 1);
    return sn_hermite(t, width, (double[2]){keys[i][1], keys[i + 1][1]},
                      (double[2]){slope_at(keys, count, i), slope_at(keys, count, i + 1)});
}

static void reset_pose(sn_motion_pose *pose)
{
    *pose = (sn_motion_pose){0};
    for (int i = 0; i < SN_RIG_BONES; ++i) {
        pose->rotations[i][3] = 1;
    }
}

/* Stores a unit quaternion with the sign of the previous key. */
static void store_rotation(const double rotation[4], const float *previous, float *out)
{
    double length = 0, side = 0;
    for (int k = 0; k < 4; ++k) {
        length += rotation[k] * rotation[k];
        side += previous ? (double)previous[k] * rotation[k] : 0;
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = (float)(rotation[k] / (side < 0 ? -sqrt(length) : sqrt(length)));
    }
}

static bool is_at_rest(const float *values, int key_count, int width)
{
    bool is_rest = true;
    for (int i = 0; i < key_count * width; ++i) {
        is_rest &= fabsf(values[i] - (i % 4 == 3 && width == 4 ? 1.0F : 0.0F)) < 1e-7F;
    }
    return is_rest;
}

static void add_channel(sn_scene_file *scene, sn_scene_clip *clip, const sn_scene_channel *channel)
{
    if (!is_at_rest(channel->values, channel->key_count, channel->width)) {
        scene->channels[scene->channel_count++] = *channel;
        ++clip->channel_count;
    }
}

static void add_rest(const sn_rig *rig, int bone, sn_scene_channel *channel)
{
    double offset[3];
    rest_offset(rig, bone, offset);
    for (int i = 0; i < 3 * channel->key_count; ++i) {
        channel->values[i] = (float)((double)channel->values[i] + offset[i % 3]);
    }
}

static sn_result write_clip(const sn_rig *rig, const sn_motion *motion, sn_arena *arena, sn_scene_file *scene,
                            sn_scene_clip *clip)
{
    const int keys = (int)floor(motion->seconds * KEYS_PER_SECOND + 0.5) + 1;
    const size_t rotation_width = 4 * (size_t)keys, translation_width = 3 * (size_t)keys;
    float *times = SN_NEW(arena, float, keys), *rotations = SN_NEW(arena, float, rotation_width *(size_t)rig->count);
    float *translations = SN_NEW(arena, float, translation_width *(size_t)rig->count);
    if (!times || !rotations || !translations) {
        return SN_ERROR_MEMORY;
    }
    for (int key = 0; key < keys; ++key) {
        sn_motion_pose pose;
        reset_pose(&pose);
        times[key] = (float)key / KEYS_PER_SECOND;
        motion->pose(rig, key == keys - 1 ? 0 : (double)key / (keys - 1), &pose);
        for (size_t b = 0; b < (size_t)rig->count; ++b) {
            float *rotation = rotations + rotation_width * b + 4 * (size_t)key,
                  *translation = translations + translation_width * b + 3 * (size_t)key;
            store_rotation(pose.rotations[b], key > 0 ? rotation - 4 : NULL, rotation);
            for (int d = 0; d < 3; ++d) {
                translation[d] = (float)pose.translations[b][d];
            }
        }
    }
    *clip = (sn_scene_clip){
        .name = motion->name, .first_channel = scene->channel_count, .seconds = (double)times[keys - 1]};
    for (int b = 0; b < rig->count; ++b) {
        sn_scene_channel channel = {.node = b, .interpolation = SN_KEYS_LINEAR, .key_count = keys, .times = times};
        channel.path = SN_PATH_ROTATION;
        channel.width = 4;
        channel.values = rotations + rotation_width * (size_t)b;
        add_channel(scene, clip, &channel);
        channel.path = SN_PATH_TRANSLATION;
        channel.width = 3;
        channel.values = translations + translation_width * (size_t)b;
        const int previous = scene->channel_count;
        add_channel(scene, clip, &channel);
        if (scene->channel_count > previous) {
            add_rest(rig, b, &channel);
        }
    }
    return SN_OK;
}

sn_result sn_motion_write(const sn_rig *rig, const sn_motion *motions, int count, sn_arena *arena, sn_scene_file *scene)
{
    scene->clips = SN_NEW(arena, sn_scene_clip, count);
    scene->channels = SN_NEW(arena, sn_scene_channel, 2 * (size_t)count * (size_t)rig->count);
    sn_result result = scene->clips && scene->channels ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = write_clip(rig, &motions[i], arena, scene, &scene->clips[i]);
        scene->clip_count = i + 1;
    }
    return result;
}
