/* SPDX-License-Identifier: MIT */
#include "author/characters/motion.h"

#include <string.h>

#include "host/math/vec3.h"

#define KEYS_A_SECOND 30
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
static void between(const double from[3], const double to[3], double out[4])
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

void sn_motion_turn(sn_motion_pose *pose, int bone, double x, double y, double z)
{
    double turn[4];
    from_degrees(x, y, z, turn);
    multiply(turn, pose->turns[bone], pose->turns[bone]);
}

static void rest_offset(const sn_rig *rig, int bone, double offset[3])
{
    static const double origin[3] = {0, 0, 0};
    const int parent = rig->bones[bone].parent;
    sn_subtract3(rig->bones[bone].head, parent < 0 ? origin : rig->bones[parent].head, offset);
}

void sn_motion_place(const sn_rig *rig, const sn_motion_pose *pose, int bone, double position[3], double turn[4])
{
    memset(position, 0, 3 * sizeof *position);
    memcpy(turn, (double[4]){0, 0, 0, 1}, 4 * sizeof *turn);
    for (int at = bone; at >= 0; at = rig->bones[at].parent) { /* from the bone to the root: p = R p + t */
        double offset[3];
        rest_offset(rig, at, offset);
        rotate(pose->turns[at], position, position);
        for (int d = 0; d < 3; ++d) {
            position[d] += offset[d] + pose->moves[at][d];
        }
        multiply(pose->turns[at], turn, turn);
    }
}

/* Sets a bone's rotation so that its world rotation is `rotation`. */
static void set_world_turn(const sn_rig *rig, sn_motion_pose *pose, int bone, const double turn[4])
{
    double position[3], parent[4];
    sn_motion_place(rig, pose, rig->bones[bone].parent, position, parent);
    conjugate(parent, parent);
    multiply(parent, turn, pose->turns[bone]);
}

void sn_motion_reach(const sn_rig *rig, sn_motion_pose *pose, int end, const double target[3], const double pole[3],
                     double pitch, double yaw)
{
    const int lower = rig->bones[end].parent, upper = rig->bones[lower].parent;
    double start[3], turn[4], rest[2][3], line[3], bend[3];
    sn_motion_place(rig, pose, upper, start, turn);
    rest_offset(rig, lower, rest[0]);
    rest_offset(rig, end, rest[1]);
    sn_subtract3(target, start, line);
    const double a = sn_length3(rest[0]), b = sn_length3(rest[1]);
    const double distance = fmin(fmax(sn_length3(line), fabs(a - b) + 1e-4), a + b - 1e-4);
    sn_normalize3(line, pole);
    const double along = (a * a - b * b + distance * distance) / (2 * distance);
    const double out = sqrt(fmax(a * a - along * along, 0)), share = sn_dot3(pole, line);
    for (int d = 0; d < 3; ++d) {
        bend[d] = pole[d] - share * line[d];
    }
    sn_normalize3(bend, pole);
    double first[3], second[3];
    for (int d = 0; d < 3; ++d) {
        first[d] = along * line[d] + out * bend[d];
        second[d] = distance * line[d] - first[d];
    }
    between(rest[0], first, turn);
    set_world_turn(rig, pose, upper, turn);
    between(rest[1], second, turn);
    set_world_turn(rig, pose, lower, turn);
    from_degrees(pitch, yaw, 0, turn);
    set_world_turn(rig, pose, end, turn);
}

double sn_motion_wave(double phase)
{
    return sin(2 * PI * phase);
}

/* Slopes of a monotone cubic Hermite spline (Fritsch and Carlson). */
static double slope_at(const double (*keys)[2], int count, int i)
{
    if (i == 0 || i == count - 1) {
        return 0;
    }
    const double before = (keys[i][1] - keys[i - 1][1]) / (keys[i][0] - keys[i - 1][0]);
    const double after = (keys[i + 1][1] - keys[i][1]) / (keys[i + 1][0] - keys[i][0]);
    return before * after <= 0 ? 0 : 2 * before * after / (before + after);
}

double sn_motion_curve(const double (*keys)[2], int count, double time)
{
    int i = 0;
    while (i + 2 < count && time > keys[i + 1][0]) {
        ++i;
    }
    const double width = keys[i + 1][0] - keys[i][0];
    const double t = fmin(fmax((time - keys[i][0]) / width, 0), 1), t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * keys[i][1] + (t3 - 2 * t2 + t) * width * slope_at(keys, count, i) +
           (3 * t2 - 2 * t3) * keys[i + 1][1] + (t3 - t2) * width * slope_at(keys, count, i + 1);
}

static void reset(sn_motion_pose *pose)
{
    *pose = (sn_motion_pose){0};
    for (int i = 0; i < SN_RIG_BONES; ++i) {
        pose->turns[i][3] = 1;
    }
}

/* Stores a unit quaternion with the sign of the previous key. */
static void store_turn(const double turn[4], const float *before, float *out)
{
    double length = 0, side = 0;
    for (int k = 0; k < 4; ++k) {
        length += turn[k] * turn[k];
        side += before ? (double)before[k] * turn[k] : 0;
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = (float)(turn[k] / (side < 0 ? -sqrt(length) : sqrt(length)));
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

static sn_result publish_clip(const sn_rig *rig, const sn_motion *motion, sn_arena *arena, sn_scene_file *scene,
                              sn_scene_clip *clip)
{
    const int keys = (int)floor(motion->seconds * KEYS_A_SECOND + 0.5) + 1;
    const size_t turn_width = 4 * (size_t)keys, move_width = 3 * (size_t)keys;
    float *times = SN_NEW(arena, float, keys), *turns = SN_NEW(arena, float, turn_width *(size_t)rig->count);
    float *moves = SN_NEW(arena, float, move_width *(size_t)rig->count);
    if (!times || !turns || !moves) {
        return SN_ERROR_MEMORY;
    }
    for (int key = 0; key < keys; ++key) {
        sn_motion_pose pose;
        reset(&pose);
        times[key] = (float)key / KEYS_A_SECOND;
        motion->pose(rig, key == keys - 1 ? 0 : (double)key / (keys - 1), &pose);
        for (size_t b = 0; b < (size_t)rig->count; ++b) {
            float *turn = turns + turn_width * b + 4 * (size_t)key, *move = moves + move_width * b + 3 * (size_t)key;
            store_turn(pose.turns[b], key > 0 ? turn - 4 : NULL, turn);
            for (int d = 0; d < 3; ++d) {
                move[d] = (float)pose.moves[b][d];
            }
        }
    }
    *clip = (sn_scene_clip){
        .name = motion->name, .first_channel = scene->channel_count, .seconds = (double)times[keys - 1]};
    for (int b = 0; b < rig->count; ++b) {
        sn_scene_channel channel = {.node = b, .interpolation = SN_KEYS_LINEAR, .key_count = keys, .times = times};
        channel.path = SN_PATH_ROTATION;
        channel.width = 4;
        channel.values = turns + turn_width * (size_t)b;
        add_channel(scene, clip, &channel);
        channel.path = SN_PATH_TRANSLATION;
        channel.width = 3;
        channel.values = moves + move_width * (size_t)b;
        const int before = scene->channel_count;
        add_channel(scene, clip, &channel);
        if (scene->channel_count > before) {
            add_rest(rig, b, &channel);
        }
    }
    return SN_OK;
}

sn_result sn_motion_publish(const sn_rig *rig, const sn_motion *motions, int count, sn_arena *arena,
                            sn_scene_file *scene)
{
    scene->clips = SN_NEW(arena, sn_scene_clip, count);
    scene->channels = SN_NEW(arena, sn_scene_channel, 2 * (size_t)count * (size_t)rig->count);
    sn_result result = scene->clips && scene->channels ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = publish_clip(rig, &motions[i], arena, scene, &scene->clips[i]);
        scene->clip_count = i + 1;
    }
    return result;
}
