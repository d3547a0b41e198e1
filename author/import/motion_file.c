/* SPDX-License-Identifier: MIT */
#include "author/import/motion_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "author/import/face_motion.h"
#include "author/import/motion_skeleton.h"
#include "author/io/source.h"
#include "author/retarget/retarget.h"
#include "host/math/affine.h"

#define MAX_RATE 60.0
#define LONG_MOTION_RATE 30.0
#define MAX_SECONDS 36000.0

bool sn_is_motion_file(const char *path)
{
    static const char extensions[] = SN_MOTION_FILES("\0");
    for (const char *e = extensions + 1; e < extensions + sizeof extensions; e += strlen(e) + 1) {
        if (sn_has_extension(path, e)) {
            return true;
        }
    }
    return false;
}

bool sn_is_bvh_file(const char *path)
{
    return sn_has_extension(path, ".bvh");
}

const char *sn_file_stem(sn_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *name = SN_NEW(arena, char, length + 1);
    return name ? memcpy(name, base, length) : NULL;
}

typedef struct motion_reader {
    const char *path;
    const sn_rig_skeleton *target;
    sn_motion_limit *limit;
    sn_arena *arena, scratch;
    sn_rig_motion motion;
    const sn_face *face;
    sn_face_motion weights; /* of a glTF, VRM or FBX file */
    sn_character_clip *clips;
} motion_reader;

/* Chooses the frame count and rate such that the last frame is at the motion's end, and charges the poses to the memory
 * limit. */
static sn_result plan_frames(motion_reader *r, double seconds, double file_rate, sn_character_clip *clip)
{
    if (!(seconds <= MAX_SECONDS)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: a motion of %g s is too long", r->path, seconds);
    }
    double rate = fmin(file_rate, MAX_RATE);
    rate = seconds * rate + 1 > SN_LONG_MOTION_FRAMES ? fmin(rate, LONG_MOTION_RATE) : rate;
    const double frames = floor(seconds * rate + 0.5) + 1;
    const double weights = sizeof(float) * (double)clip->track_count;
    const double stored_bytes = frames * 12 * sizeof(double) * r->target->joint_count + frames * weights;
    const double source_bytes = frames * 12 * sizeof(double) * r->motion.skeleton.joint_count;
    if (stored_bytes + source_bytes > (double)r->limit->bytes) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: with the poses of %.0f frames of %d joints for %d bones, all poses exceed %d MiB", r->path,
                       frames, r->motion.skeleton.joint_count, r->target->joint_count,
                       (int)(SN_MOTION_LIMIT.bytes >> 20));
    }
    r->limit->bytes -= (int64_t)stored_bytes;
    clip->frame_count = (int)frames;
    clip->frame_rate = frames > 1 ? (frames - 1) / seconds : rate;
    return SN_OK;
}

static double *new_worlds(const motion_reader *r, const sn_character_clip *clip, sn_arena *scratch)
{
    return sn_arena_alloc(scratch, (size_t)clip->frame_count,
                          12 * (size_t)r->motion.skeleton.joint_count * sizeof(double));
}

/* Retargets the clip; worlds (frame_count x joint_count x 12) is filled. */
static sn_result retarget_clip(motion_reader *r, const double *worlds, sn_arena *scratch, sn_character_clip *clip)
{
    const size_t width = 12 * (size_t)r->target->joint_count;
    r->motion.frame_count = clip->frame_count;
    r->motion.worlds = worlds;
    clip->transforms = sn_arena_alloc(r->arena, (size_t)clip->frame_count, width * sizeof(double));
    return clip->transforms ? sn_retarget(&r->motion, r->target, scratch, clip->transforms) : SN_ERROR_MEMORY;
}

/* ---- .bvh ---- */

static sn_result convert_bvh(motion_reader *r, const sn_bvh_file *file)
{
    const size_t n = (size_t)file->joint_count;
    sn_character_clip *clip = SN_NEW(r->arena, sn_character_clip, 1);
    sn_result result = clip ? sn_bvh_skeleton(file, r->path, &r->scratch, &r->motion.skeleton) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    r->motion.is_capture = true;
    r->clips = clip;
    clip->name = sn_file_stem(r->arena, r->path);
    result = clip->name ? SN_OK : SN_ERROR_MEMORY;
    result =
        result ? result : plan_frames(r, file->frame_seconds * (file->frame_count - 1), 1 / file->frame_seconds, clip);
    double *worlds = result == SN_OK ? new_worlds(r, clip, &r->scratch) : NULL;
    if (!worlds) {
        return result ? result : SN_ERROR_MEMORY;
    }
    const double step = clip->frame_count > 1 ? (file->frame_count - 1.0) / (clip->frame_count - 1) : 0;
    for (int f = 0; f < clip->frame_count; ++f) {
        const double at = f * step, rounded = floor(at + 0.5);
        sn_bvh_pose(file, fabs(at - rounded) < 1e-6 ? rounded : at, worlds + 12 * n * (size_t)f);
    }
    return retarget_clip(r, worlds, &r->scratch, clip);
}

static sn_result read_bvh(motion_reader *r, int *clip_count)
{
    sn_source source;
    sn_bvh_file file;
    sn_result result = sn_source_read(r->path, &r->scratch, &source);
    result = result ? result : sn_bvh_read(&source, &r->scratch, &file);
    result = result ? result : convert_bvh(r, &file);
    *clip_count = result == SN_OK;
    return result;
}

/* ---- glTF and FBX ---- */

sn_result sn_motion_clip_name(const sn_scene_file *scene, int index, const char *path, sn_arena *arena,
                              const char **name)
{
    const char *stem = sn_file_stem(arena, path), *source_bytes = scene->clips[index].name;
    char number[32];
    snprintf(number, sizeof number, "clip %d", index); /* the reader's name of clips without a name */
    if (!stem || scene->clip_count == 1 || strcmp(source_bytes, number) == 0) {
        *name = stem;
        return stem ? SN_OK : SN_ERROR_MEMORY;
    }
    const size_t size = strlen(stem) + strlen(source_bytes) + 2;
    char *text = SN_NEW(arena, char, size);
    if (text) {
        snprintf(text, size, "%s.%s", stem, source_bytes);
    }
    *name = text;
    return text ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result plan_scene_clip(motion_reader *r, const sn_scene_file *scene, int index)
{
    sn_character_clip *clip = &r->clips[index];
    SN_TRY(sn_motion_clip_name(scene, index, r->path, r->arena, &clip->name));
    SN_TRY(sn_face_motion_plan(&r->weights, index, r->arena, clip));
    return plan_frames(r, scene->clips[index].seconds, MAX_RATE, clip);
}

static sn_result pose_scene_clip(motion_reader *r, sn_scene_pose *pose, int index, sn_arena *scratch)
{
    const size_t n = (size_t)r->motion.skeleton.joint_count;
    sn_character_clip *clip = &r->clips[index];
    double *worlds = new_worlds(r, clip, scratch);
    if (!worlds) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < clip->frame_count; ++f) {
        sn_scene_pose_clip(pose, index, f / clip->frame_rate);
        memcpy(worlds + 12 * n * (size_t)f, pose->world, 12 * n * sizeof(double));
    }
    for (size_t i = 0; i < 12 * n * (size_t)clip->frame_count; ++i) {
        if (!isfinite(worlds[i])) {
            return sn_fail(SN_ERROR_FORMAT, "%s: nodes[%zu]: its world transform is not finite", r->path, i / 12 % n);
        }
    }
    return retarget_clip(r, worlds, scratch, clip);
}

static sn_result rest_scene_clip(motion_reader *r, int index)
{
    sn_character_clip *clip = &r->clips[index];
    const size_t count = (size_t)clip->frame_count * (size_t)r->target->joint_count;
    clip->transforms = sn_arena_alloc(r->arena, count, 12 * sizeof(double));
    for (size_t i = 0; clip->transforms && i < count; ++i) {
        sn_affine_identity(clip->transforms + 12 * i);
    }
    return clip->transforms ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_scene_clip(motion_reader *r, sn_scene_pose *pose, int index)
{
    sn_arena scratch = {0};
    sn_result result = sn_face_motion_animates_joints(&r->weights, index) ? pose_scene_clip(r, pose, index, &scratch)
                                                                          : rest_scene_clip(r, index);
    sn_arena_finish(&scratch);
    return result ? result : sn_face_motion_sample(&r->weights, index, r->arena, &r->clips[index]);
}

static sn_result read_scene(motion_reader *r, int *clip_count)
{
    sn_scene_file *scene = SN_NEW(&r->scratch, sn_scene_file, 1);
    sn_scene_pose pose;
    sn_result result = scene ? sn_scene_file_read(r->path, &r->scratch, scene) : SN_ERROR_MEMORY;
    if (result == SN_OK && scene->clip_count == 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: animations: the file has no animations", r->path);
    }
    result = result ? result : sn_scene_pose_init(scene, &r->scratch, &pose);
    result = result ? result : sn_scene_skeleton(&pose, r->path, &r->scratch, &r->motion.skeleton);
    result = result ? result : sn_face_motion_init(scene, r->path, r->face, &r->scratch, &r->weights);
    if (result != SN_OK) {
        return result;
    }
    *clip_count = scene->clip_count < r->limit->clip_count ? scene->clip_count : r->limit->clip_count;
    r->clips = SN_NEW(r->arena, sn_character_clip, *clip_count);
    result = r->clips ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; result == SN_OK && i < *clip_count; ++i) {
        result = plan_scene_clip(r, scene, i);
    }
    for (int i = 0; result == SN_OK && i < *clip_count; ++i) {
        result = read_scene_clip(r, &pose, i);
    }
    if (result == SN_OK) {
        sn_face_motion_report(&r->weights, r->target->name);
    }
    return result;
}

sn_result sn_motion_file_read(const char *path, const sn_motion_target *target, sn_motion_limit *limit, sn_arena *arena,
                              sn_character_clip **clips, int *clip_count)
{
    motion_reader r = {
        .path = path, .target = &target->skeleton, .face = &target->face, .limit = limit, .arena = arena};
    const sn_result result = sn_is_bvh_file(path) ? read_bvh(&r, clip_count) : read_scene(&r, clip_count);
    *clips = r.clips;
    sn_arena_finish(&r.scratch);
    return result;
}
