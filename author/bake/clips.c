/* SPDX-License-Identifier: MIT */
/* Several clips in one bake. Their frames follow each other in one motion, so that joints, weights and morph targets
 * are fitted to all of them; the scene's single clip is then cut. Keys are never removed where a clip begins or ends.
 */
#include "author/bake/clips.h"

#include <math.h>
#include <string.h>

sn_result sn_bake_clip_ends(const sn_bake_motion *motion, sn_arena *arena, bool **is_end)
{
    *is_end = NULL;
    if (!motion->clips) {
        return SN_OK;
    }
    *is_end = SN_NEW(arena, bool, motion->frame_count);
    for (int i = 0, start = 0; *is_end && i < motion->clip_count; start += motion->clips[i++].frame_count) {
        (*is_end)[start] = (*is_end)[start + motion->clips[i].frame_count - 1] = true;
    }
    return *is_end ? SN_OK : SN_ERROR_MEMORY;
}

typedef struct frame_range {
    int start, end; /* first and last frame */
    double frame_rate;
} frame_range;

static void add_key(const sn_scene_channel *from, int key, double seconds, sn_scene_channel *to)
{
    to->times[to->key_count] = (float)seconds;
    memcpy(to->values + (size_t)to->key_count * (size_t)to->width, from->values + (size_t)key * (size_t)from->width,
           (size_t)from->width * sizeof(float));
    ++to->key_count;
}

/* Copies the keys of a range. A channel that is constant has fewer keys than ends; its value is then repeated. */
static bool cut_channel(const sn_scene_channel *from, double rate, const frame_range *range, sn_arena *arena,
                        sn_scene_channel *to)
{
    const size_t capacity = (size_t)from->key_count + 2;
    int last = 0; /* key at or before the current frame */
    *to = *from;
    to->key_count = 0;
    to->times = SN_NEW(arena, float, capacity);
    to->values = sn_arena_alloc(arena, capacity, (size_t)from->width * sizeof(float));
    if (!to->times || !to->values) {
        return false;
    }
    if (from->key_count == 1) {
        add_key(from, 0, 0, to);
        return true;
    }
    for (int key = 0; key < from->key_count; ++key) {
        const int frame = (int)lround((double)from->times[key] * rate);
        if (frame > range->start && frame <= range->end && to->key_count == 0) {
            add_key(from, last, 0, to);
        }
        if (frame >= range->start && frame <= range->end) {
            add_key(from, key, (frame - range->start) / range->frame_rate, to);
        }
        last = frame <= range->end ? key : last;
    }
    if (to->key_count == 0) {
        add_key(from, last, 0, to);
    }
    const double length = (range->end - range->start) / range->frame_rate;
    if (length > 0 && to->times[to->key_count - 1] < (float)length) {
        add_key(from, last, length, to);
    }
    return true;
}

sn_result sn_bake_cut_clips(const sn_bake_motion *motion, sn_arena *arena, sn_scene_file *scene)
{
    const int channel_count = scene->channel_count;
    if (!motion->clips) {
        return SN_OK;
    }
    sn_scene_channel *channels =
        sn_arena_alloc(arena, (size_t)motion->clip_count, (size_t)channel_count * sizeof *channels);
    sn_scene_clip *clips = SN_NEW(arena, sn_scene_clip, motion->clip_count);
    bool is_ok = channels && clips;
    for (int i = 0, start = 0; i < motion->clip_count && is_ok; start += motion->clips[i++].frame_count) {
        const sn_bake_clip *clip = &motion->clips[i];
        const frame_range range = {start, start + clip->frame_count - 1, clip->frame_rate};
        clips[i] = (sn_scene_clip){.name = clip->name,
                                   .first_channel = i * channel_count,
                                   .channel_count = channel_count,
                                   .seconds = (clip->frame_count - 1) / clip->frame_rate};
        for (int c = 0; c < channel_count && is_ok; ++c) {
            is_ok =
                cut_channel(&scene->channels[c], motion->frame_rate, &range, arena, &channels[i * channel_count + c]);
        }
    }
    scene->channels = channels;
    scene->channel_count = motion->clip_count * channel_count;
    scene->clips = clips;
    scene->clip_count = motion->clip_count;
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
