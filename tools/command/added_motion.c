/* SPDX-License-Identifier: MIT */
#include "tools/command/added_motion.h"
#include "author/retarget/model_skeleton.h"

#include <stdio.h>
#include <string.h>

/* Copies `count` bytes into a block with `more` additional bytes. */
static void *extended(sn_arena *arena, const void *old, size_t count, size_t more)
{
    uint8_t *bytes = SN_NEW(arena, uint8_t, count + more);
    if (bytes && count > 0) {
        memcpy(bytes, old, count);
    }
    return bytes;
}

/* Clips that were read for one model. */
typedef struct addition {
    sn_character_clip *clips; /* (count) */
    int count;
    size_t frames, name_bytes; /* frames of all clips */
    sn_arena *arena;           /* the model's clips */
    sn_arena scratch;
} addition;

/* Collects the weights of the morph targets that the existing or the new clips animate. */
static sn_result add_weights(addition *a, sn_model *model)
{
    sn_model_counts *c = &model->counts;
    sn_character_clip *all = SN_NEW(&a->scratch, sn_character_clip, a->count + 1);
    sn_face_tracks tracks;
    if (!all) {
        return SN_ERROR_MEMORY;
    }
    all[0] = (sn_character_clip){.frame_count = c->clip_frame_total,
                                 .track_count = c->morph_track_count,
                                 .tracks = model->morph_tracks,
                                 .morphs = (float *)(uintptr_t)model->clip_morphs};
    memcpy(all + 1, a->clips, (size_t)a->count * sizeof *all);
    const sn_result result =
        sn_face_tracks_init(all, a->count + 1, c->morph_count, a->clips[a->count - 1].name, a->arena, &tracks);
    if (result != SN_OK) {
        return result;
    }
    const size_t width = (size_t)tracks.count;
    float *rows = sn_arena_alloc(a->arena, (size_t)c->clip_frame_total + a->frames, width * sizeof *rows);
    if (!rows) {
        return SN_ERROR_MEMORY;
    }
    float *next = rows;
    for (int i = 0; i <= a->count; ++i) {
        sn_face_fill_weights(&all[i], &tracks, model->morph_default_weights, next);
        next += (size_t)all[i].frame_count * width;
    }
    c->morph_track_count = tracks.count;
    model->morph_tracks = tracks.tracks;
    model->clip_morphs = rows;
    return SN_OK;
}

static void copy_clip(const sn_character_clip *clip, size_t width, int32_t *count, double *rate, float *poses,
                      char *name)
{
    *count = clip->frame_count;
    *rate = clip->frame_rate;
    for (size_t i = 0; i < (size_t)clip->frame_count * width; ++i) {
        poses[i] = (float)clip->transforms[i];
    }
    strcpy(name, clip->name);
}

static sn_result add_clips(addition *a, sn_model *model)
{
    sn_model_counts *c = &model->counts;
    const size_t width = 12 * (size_t)c->bone_count, new_count = (size_t)a->count;
    size_t clip = (size_t)c->clip_count, frame = (size_t)c->clip_frame_total, letter = (size_t)c->clip_name_bytes;
    if (frame + a->frames > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: with this motion the model's clips have %zu frames; that is too many",
                       a->clips[a->count - 1].name, frame + a->frames);
    }
    int32_t *counts = extended(a->arena, model->clip_frame_counts, clip * sizeof *counts, new_count * sizeof *counts);
    double *rates = extended(a->arena, model->clip_frame_rates, clip * sizeof *rates, new_count * sizeof *rates);
    float *poses =
        extended(a->arena, model->clip_transforms, frame * width * sizeof *poses, a->frames * width * sizeof *poses);
    char *names = extended(a->arena, model->clip_names, letter, a->name_bytes);
    const sn_result result = counts && rates && poses && names ? add_weights(a, model) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < a->count; ++i) {
        copy_clip(&a->clips[i], width, &counts[clip], &rates[clip], poses + frame * width, names + letter);
        clip += 1;
        frame += (size_t)a->clips[i].frame_count;
        letter += strlen(a->clips[i].name) + 1;
    }
    model->clip_frame_counts = counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = poses;
    model->clip_names = names;
    c->clip_count = (int32_t)clip;
    c->clip_frame_total = (int32_t)frame;
    c->clip_name_bytes = (int32_t)letter;
    return SN_OK;
}

static sn_result read_clip(addition *a, const sn_motion_source *motion, const sn_motion_target *target,
                           sn_motion_limit *limit)
{
    sn_character_clip *match = NULL;
    int count = 0;
    const sn_result result = sn_motion_file_read(motion->path, target, limit, &a->scratch, &match, &count);
    if (result != SN_OK) {
        return result;
    }
    match->name = motion->name ? motion->name : match->name;
    a->frames += (size_t)match->frame_count;
    a->name_bytes += strlen(match->name) + 1;
    a->clips[a->count++] = *match;
    return SN_OK;
}

sn_result sn_motion_clips_add(const sn_motion_source *motions, int count, const char *model_path,
                              sn_motion_limit *limit, sn_arena *arena, sn_model *model)
{
    addition a = {.arena = arena};
    sn_motion_target target;
    sn_motion_limit first = {.clip_count = 1, .bytes = limit->bytes};
    a.clips = SN_NEW(&a.scratch, sn_character_clip, count);
    sn_result result = a.clips ? sn_model_skeleton(model, &a.scratch, &target.skeleton) : SN_ERROR_MEMORY;
    target.skeleton.name = model_path;
    result = result ? result : sn_face_of_model(model, &a.scratch, &target.face);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = read_clip(&a, &motions[i], &target, &first);
    }
    if (result == SN_OK && count > 0) {
        result = add_clips(&a, model);
    }
    limit->bytes = first.bytes;
    sn_arena_finish(&a.scratch);
    return result;
}

sn_result sn_motion_file_add(const char *motion, const char *model_path, sn_arena *arena, sn_model *model)
{
    const bool is_name = motion && (strncmp(motion, "clip:", 5) == 0 || strncmp(motion, "expression:", 11) == 0);
    const sn_motion_source added = {motion, NULL};
    sn_motion_limit limit = SN_MOTION_LIMIT;
    return motion && !is_name && sn_is_motion_file(motion)
               ? sn_motion_clips_add(&added, 1, model_path, &limit, arena, model)
               : SN_OK;
}

bool sn_check_clips(const sn_string_list *clips, const char *rig)
{
    for (int i = 0; i < clips->count; ++i) {
        if (!rig && !sn_is_motion_file(clips->items[i])) {
            fprintf(stderr, "sinew: --clip %s: a clip needs --rig, except for" SN_MOTION_FILES(" ") "\n",
                    clips->items[i]);
            return false;
        }
    }
    return true;
}
