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

static sn_result add_clip(const sn_character_clip *clip, sn_arena *arena, sn_model *model)
{
    sn_model_counts *c = &model->counts;
    const size_t width = 12 * (size_t)c->bone_count, tracks = (size_t)c->morph_track_count;
    const size_t old = (size_t)c->clip_frame_total, frames = (size_t)clip->frame_count, name = strlen(clip->name) + 1;
    if (old + frames > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: with it the model's clips have %zu frames, too many", clip->name,
                       old + frames);
    }
    int32_t *counts = extended(arena, model->clip_frame_counts, (size_t)c->clip_count * sizeof *counts, sizeof *counts);
    double *rates = extended(arena, model->clip_frame_rates, (size_t)c->clip_count * sizeof *rates, sizeof *rates);
    float *poses = extended(arena, model->clip_transforms, old * width * sizeof *poses, frames * width * sizeof *poses);
    float *morphs =
        extended(arena, model->clip_morphs, old * tracks * sizeof *morphs, frames * tracks * sizeof *morphs);
    char *names = extended(arena, model->clip_names, (size_t)c->clip_name_bytes, name);
    if (!counts || !rates || !poses || !morphs || !names) {
        return SN_ERROR_MEMORY;
    }
    counts[c->clip_count] = clip->frame_count;
    rates[c->clip_count] = clip->frame_rate;
    memcpy(names + c->clip_name_bytes, clip->name, name);
    for (size_t i = 0; i < frames * width; ++i) {
        poses[old * width + i] = (float)clip->transforms[i];
    }
    for (size_t i = 0; i < frames * tracks; ++i) {
        morphs[old * tracks + i] = model->morph_rest[model->morph_tracks[i % tracks]];
    }
    model->clip_frame_counts = counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = poses;
    model->clip_morphs = morphs;
    model->clip_names = names;
    c->clip_count += 1;
    c->clip_frame_total += clip->frame_count;
    c->clip_name_bytes += (int32_t)name;
    return SN_OK;
}

sn_result sn_motion_file_add(const char *motion, const char *model_path, sn_arena *arena, sn_model *model)
{
    sn_rig_skeleton skeleton;
    sn_character_clip *clips = NULL;
    int count = 0;
    const bool is_name = motion && (strncmp(motion, "clip:", 5) == 0 || strncmp(motion, "expression:", 11) == 0);
    if (!motion || is_name || !sn_is_motion_file(motion)) {
        return SN_OK;
    }
    sn_motion_limit limit = SN_MOTION_LIMIT;
    limit.clip_count = 1;
    sn_result result = sn_model_skeleton(model, arena, &skeleton);
    skeleton.name = model_path;
    result = result ? result : sn_motion_file_read(motion, &skeleton, &limit, arena, &clips, &count);
    return result ? result : add_clip(&clips[0], arena, model);
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
