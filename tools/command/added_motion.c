/* SPDX-License-Identifier: MIT */
#include "tools/command/added_motion.h"

#include <stdio.h>
#include <string.h>

#include "author/cook/motion_file.h"

/* `count` bytes and `more` behind them. */
static void *extended(sn_arena *arena, const void *old, size_t count, size_t more)
{
    uint8_t *bytes = SN_NEW(arena, uint8_t, count + more);
    if (bytes && count > 0) {
        memcpy(bytes, old, count);
    }
    return bytes;
}

/* Weights of the morph targets that the model's clips move, and of those that the clip does. */
static sn_result add_weights(const sn_character_clip *clip, sn_arena *arena, sn_model *model)
{
    sn_model_counts *c = &model->counts;
    const sn_character_clip both[2] = {{.frame_count = c->clip_frame_total,
                                        .track_count = c->morph_track_count,
                                        .tracks = model->morph_tracks,
                                        .morphs = (float *)(uintptr_t)model->clip_morphs},
                                       *clip};
    sn_face_tracks all;
    const sn_result result = sn_face_tracks_init(both, 2, c->morph_count, clip->name, arena, &all);
    if (result != SN_OK) {
        return result;
    }
    const size_t width = (size_t)all.count, old = (size_t)c->clip_frame_total;
    float *rows = sn_arena_alloc(arena, old + (size_t)clip->frame_count, width * sizeof *rows);
    if (!rows) {
        return SN_ERROR_MEMORY;
    }
    sn_face_fill_rows(&both[0], &all, model->morph_rest, rows);
    sn_face_fill_rows(&both[1], &all, model->morph_rest, rows + old * width);
    c->morph_track_count = all.count;
    model->morph_tracks = all.tracks;
    model->clip_morphs = rows;
    return SN_OK;
}

static sn_result add_clip(const sn_character_clip *clip, sn_arena *arena, sn_model *model)
{
    sn_model_counts *c = &model->counts;
    const size_t width = 12 * (size_t)c->bone_count, old = (size_t)c->clip_frame_total;
    const size_t frames = (size_t)clip->frame_count, name = strlen(clip->name) + 1;
    if (old + frames > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: with it the model's clips have %zu frames, too many", clip->name,
                       old + frames);
    }
    int32_t *counts = extended(arena, model->clip_frame_counts, (size_t)c->clip_count * sizeof *counts, sizeof *counts);
    double *rates = extended(arena, model->clip_frame_rates, (size_t)c->clip_count * sizeof *rates, sizeof *rates);
    float *poses = extended(arena, model->clip_transforms, old * width * sizeof *poses, frames * width * sizeof *poses);
    char *names = extended(arena, model->clip_names, (size_t)c->clip_name_bytes, name);
    const sn_result result = counts && rates && poses && names ? add_weights(clip, arena, model) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    counts[c->clip_count] = clip->frame_count;
    rates[c->clip_count] = clip->frame_rate;
    memcpy(names + c->clip_name_bytes, clip->name, name);
    for (size_t i = 0; i < frames * width; ++i) {
        poses[old * width + i] = (float)clip->transforms[i];
    }
    model->clip_frame_counts = counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = poses;
    model->clip_names = names;
    c->clip_count += 1;
    c->clip_frame_total += clip->frame_count;
    c->clip_name_bytes += (int32_t)name;
    return SN_OK;
}

sn_result sn_motion_clip_add(const char *path, const char *name, const char *model_path, sn_arena *arena,
                             sn_model *model)
{
    sn_motion_target target;
    sn_character_clip *clips = NULL;
    int count = 0;
    sn_motion_limit limit = SN_MOTION_LIMIT;
    limit.clip_count = 1;
    sn_result result = sn_model_skeleton(model, arena, &target.skeleton);
    target.skeleton.name = model_path;
    result = result ? result : sn_face_of_model(model, arena, &target.face);
    result = result ? result : sn_motion_file_read(path, &target, &limit, arena, &clips, &count);
    if (result != SN_OK) {
        return result;
    }
    clips[0].name = name ? name : clips[0].name;
    return add_clip(&clips[0], arena, model);
}

sn_result sn_motion_file_add(const char *motion, const char *model_path, sn_arena *arena, sn_model *model)
{
    const bool is_name = motion && (strncmp(motion, "clip:", 5) == 0 || strncmp(motion, "expression:", 11) == 0);
    return motion && !is_name && sn_is_motion_file(motion) ? sn_motion_clip_add(motion, NULL, model_path, arena, model)
                                                           : SN_OK;
}

bool sn_check_clips(const sn_string_list *clips, const char *rig)
{
    for (int i = 0; i < clips->count; ++i) {
        if (!rig && !sn_is_motion_file(clips->items[i])) {
            fprintf(stderr, "sinew: --clip %s: a clip needs --rig, but for" SN_MOTION_FILES(" ") "\n", clips->items[i]);
            return false;
        }
    }
    return true;
}
