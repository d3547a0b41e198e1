/* SPDX-License-Identifier: MIT */
/* Clips into the model: in model units, with names that differ. */
#include <stdio.h>
#include <string.h>

#include "author/cook/stages.h"
#include "host/math/affine.h"

#define CLIP_NAME_LIMIT 200

static void write_clip(const sn_cooking *k, const sn_character_clip *clip, float *transforms)
{
    for (size_t i = 0; i < (size_t)clip->frame_count * (size_t)k->bone_count; ++i) {
        double relative[12];
        sn_affine_rescale(clip->transforms + 12 * i, k->origin, k->scale, relative);
        for (size_t j = 0; j < 12; ++j) {
            transforms[12 * i + j] = (float)relative[j];
        }
    }
}

static bool is_name_taken(const char *names, int count, const char *name)
{
    for (int i = 0; i < count; ++i, names += strlen(names) + 1) {
        if (strcmp(names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Bytes of the character that starts with this one, 0 for none of UTF-8's and for control characters. */
static int character_bytes(unsigned char first)
{
    return first < 0x20 || first == 0x7f   ? 0
           : first < 0x80                  ? 1
           : first >= 0xc2 && first < 0xe0 ? 2
           : first >= 0xe0 && first < 0xf0 ? 3
           : first >= 0xf0 && first < 0xf5 ? 4
                                           : 0;
}

/* Reports are lines of UTF-8: what is not (a Latin-1 file name, a character that was cut) becomes underscores. */
static void make_printable(char *name)
{
    for (char *at = name; *at;) {
        const int wanted = character_bytes((unsigned char)*at);
        int found = wanted > 0;
        while (found > 0 && found < wanted && ((unsigned char)at[found] & 0xc0) == 0x80) {
            ++found;
        }
        if (wanted == 0 || found < wanted) {
            *at++ = '_';
        } else {
            at += wanted;
        }
    }
}

/* Made unique by a number. */
static void name_clip(const char *wanted, const char *names, int count, char name[CLIP_NAME_LIMIT])
{
    snprintf(name, CLIP_NAME_LIMIT, "%.*s", CLIP_NAME_LIMIT - 12, wanted);
    make_printable(name);
    const size_t stem = strlen(name);
    for (int number = 2; is_name_taken(names, count, name); ++number) {
        snprintf(name + stem, CLIP_NAME_LIMIT - stem, ".%d", number);
    }
}

sn_result sn_cooking_add_clips(sn_cooking *k, sn_model *model)
{
    const int count = k->clip_count;
    size_t frames = 0;
    for (int i = 0; i < count; ++i) {
        frames += (size_t)k->clips[i].frame_count;
    }
    if (frames > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: its clips have %zu frames, too many", k->path, frames);
    }
    const size_t width = 12 * (size_t)k->bone_count;
    int32_t *frame_counts = SN_NEW(&k->arena, int32_t, count);
    double *rates = SN_NEW(&k->arena, double, count);
    float *transforms = sn_arena_alloc(&k->arena, frames, width * sizeof(float));
    char *names = SN_NEW(&k->arena, char, count *CLIP_NAME_LIMIT);
    if (!frame_counts || !rates || !transforms || !names) {
        return SN_ERROR_MEMORY;
    }
    size_t start = 0, name_bytes = 0;
    for (int i = 0; i < count; ++i) {
        const sn_character_clip *clip = &k->clips[i];
        char name[CLIP_NAME_LIMIT];
        write_clip(k, clip, transforms + start * width);
        name_clip(clip->name, names, i, name);
        memcpy(names + name_bytes, name, strlen(name) + 1);
        name_bytes += strlen(name) + 1;
        frame_counts[i] = clip->frame_count;
        rates[i] = clip->frame_rate;
        start += (size_t)clip->frame_count;
    }
    model->counts.clip_count = count;
    model->counts.clip_frame_total = (int32_t)frames;
    model->counts.clip_name_bytes = (int32_t)name_bytes;
    model->clip_frame_counts = frame_counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = transforms;
    model->clip_names = names;
    return SN_OK;
}
