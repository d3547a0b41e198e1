/* SPDX-License-Identifier: MIT */
/* Reads DragonBones 5 animations: translateFrame, rotateFrame and scaleFrame of each bone, relative to its setup pose,
 * sampled at a fixed rate. A key has a duration in frames and is interpolated to the next one: linearly, eased, or
 * along Bezier curves. The last key of a repeated animation is interpolated to the first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/io/drawing/dragonbones.h"

#define MIN_RATE 60       /* min. poses per second; playback interpolates linearly between them */
#define MAX_FRAMES 1e6    /* per animation */
#define MAX_POSES 2e6     /* handle poses of all animations */
#define MAX_ROTATIONS 2e8 /* inverse kinematics rotations of all animations */
#define CURVE_BISECTIONS 40
#define FULL_ROTATION (360 * SN_DRAGON_RADIANS)

typedef enum tween { TWEEN_NONE, TWEEN_QUADRATIC_IN, TWEEN_QUADRATIC_OUT, TWEEN_SINE, TWEEN_CURVE } tween;

typedef struct key {
    double frame, value[2];
    tween tween;
    double easing;       /* amount of easing, 0: linear .. 1 */
    const json_t *curve; /* for TWEEN_CURVE */
} key;

typedef struct timeline {
    int count;
    key *keys; /* (count) */
} timeline;

enum { MOVE, ROTATE, SCALE, TIMELINE_COUNT };

/* JSON names of a timeline and its two members, with default and unit. */
static const struct {
    const char *name, *members[2];
    double default_value, unit;
} timeline_types[TIMELINE_COUNT] = {[MOVE] = {"translateFrame", {"x", "y"}, 0, 1},
                                    [ROTATE] = {"rotateFrame", {"rotate", "skew"}, 0, SN_DRAGON_RADIANS},
                                    [SCALE] = {"scaleFrame", {"x", "y"}, 1, 1}};

typedef struct animation {
    const char *name;
    double duration; /* in frames */
    bool is_repeated;
    timeline *timelines; /* (bone_count x TIMELINE_COUNT) */
} animation;

/* ---- keys ---- */

/* Whether the list has the control points of consecutive cubics, with or without the ends (0, 0) and (1, 1). */
static bool is_curve(const json_t *curve)
{
    const size_t count = json_array_size(curve);
    for (size_t i = 0; i < count; ++i) {
        if (!json_is_number(json_array_get(curve, i)) || !(fabs(json_number_value(json_array_get(curve, i))) < 1e6)) {
            return false;
        }
    }
    return count >= 4 && (count % 6 == 4 || (count >= 8 && count % 6 == 2));
}

static void read_tween(const json_t *frame, key *k)
{
    const json_t *curve = json_object_get(frame, "curve"), *easing = json_object_get(frame, "tweenEasing");
    if (is_curve(curve)) {
        k->tween = TWEEN_CURVE;
        k->curve = curve;
    } else if (json_is_number(easing)) {
        const double e = fmin(fmax(json_number_value(easing), -1), 2);
        k->tween = e < 0 ? TWEEN_QUADRATIC_IN : e <= 1 ? TWEEN_QUADRATIC_OUT : TWEEN_SINE;
        k->easing = e < 0 ? -e : e <= 1 ? e : e - 1;
    }
}

static double wrap(double angle)
{
    return angle - FULL_ROTATION * round(angle / FULL_ROTATION);
}

/* Continues an angle along the shorter arc, or by the number of full turns that the previous key states. */
static double unwind(double angle, double before, int *rotation_count)
{
    if (*rotation_count == 0) {
        return before + wrap(angle - before);
    }
    if (*rotation_count > 0 ? angle >= before : angle <= before) {
        *rotation_count += *rotation_count > 0 ? -1 : 1;
    }
    return angle + FULL_ROTATION * *rotation_count;
}

/* name is the animation's, for messages. */
static sn_result read_timeline(const sn_dragon_rig *rig, const char *name, const json_t *entry, int type,
                               sn_arena *arena, timeline *t)
{
    const json_t *list = json_object_get(entry, timeline_types[type].name);
    double at = 0;
    int rotation_count = 0;
    *t = (timeline){(int)json_array_size(list), SN_NEW(arena, key, json_array_size(list))};
    if (!t->keys) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < t->count; ++i) {
        const json_t *frame = json_array_get(list, (size_t)i);
        const double duration = sn_dragon_number(frame, "duration", 1);
        key *k = &t->keys[i];
        *k = (key){.frame = at};
        for (int d = 0; d < 2; ++d) {
            k->value[d] = timeline_types[type].unit *
                          sn_dragon_number(frame, timeline_types[type].members[d], timeline_types[type].default_value);
        }
        if (!(duration >= 0 && at + duration <= MAX_FRAMES) || !(fabs(k->value[0]) + fabs(k->value[1]) < 1e6)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: animation '%s': bone '%s': %s[%d]: a number is out of range",
                           rig->file, name, sn_dragon_printable(arena, sn_dragon_text(entry, "name")),
                           timeline_types[type].name, i);
        }
        if (type == ROTATE && i > 0) {
            k->value[0] = unwind(k->value[0], k[-1].value[0], &rotation_count);
        }
        rotation_count = (int)fmin(fmax(sn_dragon_number(frame, "clockwise", 0), -100), 100);
        read_tween(frame, k);
        at += duration;
    }
    return SN_OK;
}

/* ---- interpolation ---- */

static double point(const json_t *curve, bool has_ends, size_t index, int d)
{
    const size_t inner = json_array_size(curve) / 2;
    if (!has_ends && (index == 0 || index == inner + 1)) {
        return index == 0 ? 0 : 1;
    }
    return json_number_value(json_array_get(curve, 2 * (has_ends ? index : index - 1) + (size_t)d));
}

static double cubic(const double *p, double t)
{
    const double s = 1 - t;
    return s * s * s * p[0] + 3 * s * s * t * p[1] + 3 * s * t * t * p[2] + t * t * t * p[3];
}

/* Solves the curve for y at x by bisection. */
static double follow_curve(const json_t *curve, double x)
{
    const bool has_ends = json_array_size(curve) % 6 == 2;
    const size_t last = json_array_size(curve) / 2 + (has_ends ? 0 : 2) - 1;
    size_t first = 0;
    double p[2][4], low = 0, high = 1;
    while (first + 3 < last && point(curve, has_ends, first + 3, 0) < x) {
        first += 3;
    }
    for (size_t i = 0; i < 8; ++i) {
        p[i % 2][i / 2] = point(curve, has_ends, first + i / 2, (int)(i % 2));
    }
    for (int i = 0; i < CURVE_BISECTIONS; ++i) {
        const double center = (low + high) / 2;
        *(cubic(p[0], center) < x ? &low : &high) = center;
    }
    return cubic(p[1], (low + high) / 2);
}

static double ease(const key *k, double x)
{
    static const double pi = FULL_ROTATION / 2;
    switch (k->tween) {
    case TWEEN_NONE:
        return 0;
    case TWEEN_QUADRATIC_IN:
        return x + k->easing * (x * x - x);
    case TWEEN_QUADRATIC_OUT:
        return x + k->easing * (1 - (1 - x) * (1 - x) - x);
    case TWEEN_SINE:
        return x + k->easing * ((1 - cos(pi * x)) / 2 - x);
    case TWEEN_CURVE:
        return follow_curve(k->curve, x);
    }
    return x;
}

static void sample(const timeline *t, int type, const animation *a, double frame, double *value)
{
    int at = t->count - 1;
    if (t->count == 0) {
        value[0] = value[1] = timeline_types[type].default_value;
        return;
    }
    while (at > 0 && t->keys[at].frame > frame) {
        --at;
    }
    const key *k = &t->keys[at];
    const bool is_last = at == t->count - 1;
    const key *next = is_last ? &t->keys[0] : k + 1;
    const double span = (is_last ? a->duration : next->frame) - k->frame;
    const bool is_tweened = span > 0 && frame > k->frame && (!is_last || a->is_repeated);
    const double weight = is_tweened ? ease(k, fmin((frame - k->frame) / span, 1)) : 0;
    for (int d = 0; d < 2; ++d) {
        const double difference = next->value[d] - k->value[d];
        value[d] = k->value[d] + weight * (is_last && type == ROTATE && d == 0 ? wrap(difference) : difference);
    }
}

/* ---- poses ---- */

static sn_result read_animation(const sn_dragon_rig *rig, const json_t *json, sn_arena *scratch, animation *a)
{
    const json_t *list = json_object_get(json, "bone");
    *a = (animation){.name = sn_dragon_text(json, "name"),
                     .duration = sn_dragon_number(json, "duration", 1),
                     .is_repeated = sn_dragon_number(json, "playTimes", 1) == 0,
                     .timelines = SN_NEW(scratch, timeline, TIMELINE_COUNT * rig->bone_count)};
    if (!a->timelines) {
        return SN_ERROR_MEMORY;
    }
    if (!(a->duration >= 0 && a->duration <= MAX_FRAMES)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: animation '%s': duration: out of range", rig->file,
                       sn_dragon_printable(scratch, a->name));
    }
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *entry = json_array_get(list, i);
        const int bone = sn_dragon_find_bone(rig->bones, rig->bone_count, sn_dragon_text(entry, "name"));
        if (json_object_get(entry, "frame")) {
            sn_log(SN_LOG_WARNING,
                   "%s: animation '%s': bone[%zu].frame: keys of versions before DragonBones 5.5 are not supported",
                   rig->file, sn_dragon_printable(scratch, a->name), i);
        }
        for (int type = 0; type < TIMELINE_COUNT && bone >= 0; ++type) {
            SN_TRY(read_timeline(rig, sn_dragon_printable(scratch, a->name), entry, type, scratch,
                                 &a->timelines[TIMELINE_COUNT * bone + type]));
        }
    }
    return SN_OK;
}

static void pose_bones(const sn_dragon_rig *rig, const animation *a, double frame, sn_dragon_bone *posed)
{
    for (int b = 0; b < rig->bone_count; ++b) {
        const timeline *own = a->timelines + TIMELINE_COUNT * b;
        sn_dragon_local local = rig->bones[b].local;
        double value[TIMELINE_COUNT][2];
        for (int type = 0; type < TIMELINE_COUNT; ++type) {
            sample(&own[type], type, a, frame, value[type]);
        }
        for (int d = 0; d < 2; ++d) {
            local.position[d] += value[MOVE][d];
            local.rotation[d] += value[ROTATE][0];
            local.scale[d] *= value[SCALE][d];
        }
        local.rotation[0] += value[ROTATE][1]; /* skew affects the y axis only */
        posed[b] = rig->bones[b];
        posed[b].local = local;
        sn_dragon_update_world(&local, posed[b].parent >= 0 ? &posed[posed[b].parent] : NULL, &posed[b]);
    }
    sn_dragon_apply_ik(rig->ik_list, rig->ik_count, posed, rig->bone_count);
}

/* Writes the transform relative to the setup pose, in pixels of the drawing; identity if the setup pose is singular. */
static void write_relative(const sn_dragon_affine *posed, const sn_dragon_affine *setup, const double *origin,
                           double *to)
{
    const double *s = setup->m, determinant = s[0] * s[3] - s[1] * s[2];
    memset(to, 0, 12 * sizeof *to);
    to[0] = to[5] = to[10] = 1;
    if (fabs(determinant) < 1e-9) {
        return;
    }
    const double i[4] = {s[3] / determinant, -s[1] / determinant, -s[2] / determinant, s[0] / determinant};
    const sn_dragon_affine inverse = {{i[0], i[1], i[2], i[3], -i[0] * s[4] - i[2] * s[5], -i[1] * s[4] - i[3] * s[5]}};
    const sn_dragon_affine moved = sn_dragon_compose(posed, &inverse);
    const double *m = moved.m;
    for (int d = 0; d < 2; ++d) {
        to[4 * d] = m[d];
        to[4 * d + 1] = m[2 + d];
        to[4 * d + 3] = m[4 + d] + m[d] * origin[0] + m[2 + d] * origin[1] - origin[d];
    }
}

static sn_result sample_animation(const sn_dragon_rig *rig, const animation *a, double frame_rate,
                                  sn_dragon_bone *posed, sn_arena *arena, sn_drawing_clip *clip)
{
    const int finer = (int)ceil(MIN_RATE / frame_rate);
    const size_t handles = (size_t)rig->handle_count;
    clip->frame_count = (int)floor(a->duration * finer) + 1;
    clip->frame_rate = frame_rate * finer;
    clip->transforms = sn_arena_alloc(arena, (size_t)clip->frame_count, 12 * handles * sizeof(double));
    if (!clip->transforms) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < clip->frame_count; ++f) {
        pose_bones(rig, a, (double)f / finer, posed);
        for (size_t h = 0; h < handles; ++h) {
            const int32_t bone = rig->followed[h];
            if (!sn_dragon_is_finite(&posed[bone].world)) {
                return sn_fail(SN_ERROR_FORMAT,
                               "%s: animation '%s': frame %d: the transform of bone '%s' is out of range", rig->file,
                               clip->name, f / finer, sn_dragon_printable(arena, rig->bones[bone].name));
            }
            write_relative(&posed[bone].world, &rig->bones[bone].world, rig->origin,
                           clip->transforms + 12 * (handles * (size_t)f + h));
        }
    }
    return SN_OK;
}

static sn_result name_clip(const animation *a, int index, sn_arena *arena, sn_drawing_clip *clip)
{
    const size_t size = strlen(a->name) + 32;
    char *name = SN_NEW(arena, char, size);
    if (name && *a->name) {
        memcpy(name, a->name, strlen(a->name));
    } else if (name) {
        snprintf(name, size, "clip %d", index);
    }
    clip->name = name;
    return name ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_dragon_clips_read(const sn_dragon_rig *rig, const json_t *armature, double frame_rate, sn_arena *arena,
                               sn_drawing *drawing)
{
    const json_t *list = json_object_get(armature, "animation");
    const int count = (int)json_array_size(list);
    sn_drawing_clip *clips = SN_NEW(arena, sn_drawing_clip, count);
    sn_dragon_bone *posed = SN_NEW(arena, sn_dragon_bone, rig->bone_count);
    double poses = 0, rotation_count = 0;
    sn_result result = clips && posed ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        sn_arena scratch = {0};
        animation a;
        result = read_animation(rig, json_array_get(list, (size_t)i), &scratch, &a);
        const double frames = result == SN_OK ? a.duration * ceil(MIN_RATE / frame_rate) + 1 : 0;
        poses += frames * rig->handle_count;
        rotation_count += frames * 2 * rig->ik_count * rig->bone_count;
        if (result == SN_OK && (poses > MAX_POSES || rotation_count > MAX_ROTATIONS)) {
            result = sn_fail(SN_ERROR_UNSUPPORTED,
                             "%s: animation[%d].duration: the animations up to this one are too long in total",
                             rig->file, i);
        }
        result = result ? result : name_clip(&a, i, arena, &clips[i]);
        result = result ? result : sample_animation(rig, &a, frame_rate, posed, arena, &clips[i]);
        sn_arena_finish(&scratch);
    }
    drawing->clips = clips;
    drawing->clip_count = result == SN_OK ? count : 0;
    return result;
}
