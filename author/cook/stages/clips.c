/* SPDX-License-Identifier: MIT */
/* Adds clips to the model, in model units and with unique names. */
#include <stdio.h>
#include <string.h>

#include "author/cook/stages/stages.h"
#include "author/import/names.h"
#include "host/math/affine.h"

static void write_clip(const sn_cook_context *cook, const sn_character_clip *clip, float *transforms)
{
    for (size_t i = 0; i < (size_t)clip->frame_count * (size_t)cook->bone_count; ++i) {
        double relative[12];
        sn_affine_rescale(clip->transforms + 12 * i, cook->origin, cook->scale, relative);
        for (size_t j = 0; j < 12; ++j) {
            transforms[12 * i + j] = (float)relative[j];
        }
    }
}

static bool is_name_used(const char *names, int count, const char *name)
{
    for (int i = 0; i < count; ++i, names += strlen(names) + 1) {
        if (strcmp(names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends a number to make the name unique. */
static void name_clip(const char *requested, const char *names, int count, char name[SN_NAME_BYTES])
{
    snprintf(name, SN_NAME_BYTES, "%.*s", SN_NAME_BYTES - 12, requested);
    sn_name_make_printable(name);
    const size_t stem = strlen(name);
    for (int number = 2; is_name_used(names, count, name); ++number) {
        snprintf(name + stem, SN_NAME_BYTES - stem, ".%d", number);
    }
}

sn_result sn_cook_context_add_clips(sn_cook_context *cook, sn_model *model)
{
    const int count = cook->clip_count;
    size_t frames = 0;
    for (int i = 0; i < count; ++i) {
        frames += (size_t)cook->clips[i].frame_count;
    }
    if (frames > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: its clips have too many frames (%zu)", cook->path, frames);
    }
    const size_t width = 12 * (size_t)cook->bone_count;
    int32_t *frame_counts = SN_NEW(&cook->arena, int32_t, count);
    double *rates = SN_NEW(&cook->arena, double, count);
    float *transforms = sn_arena_alloc(&cook->arena, frames, width * sizeof(float));
    char *names = SN_NEW(&cook->arena, char, count *SN_NAME_BYTES);
    if (!frame_counts || !rates || !transforms || !names) {
        return SN_ERROR_MEMORY;
    }
    size_t start = 0, name_bytes = 0;
    for (int i = 0; i < count; ++i) {
        const sn_character_clip *clip = &cook->clips[i];
        char name[SN_NAME_BYTES];
        write_clip(cook, clip, transforms + start * width);
        name_clip(clip->name, names, i, name);
        memcpy(names + name_bytes, name, strlen(name) + 1);
        name_bytes += strlen(name) + 1;
        frame_counts[i] = clip->frame_count;
        rates[i] = clip->frame_rate;
        start += (size_t)clip->frame_count;
    }
    model->generated_clip_count = cook->report.generated_clip_count;
    model->counts.clip_count = count;
    model->counts.clip_frame_total = (int32_t)frames;
    model->counts.clip_name_bytes = (int32_t)name_bytes;
    model->clip_frame_counts = frame_counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = transforms;
    model->clip_names = names;
    return SN_OK;
}
