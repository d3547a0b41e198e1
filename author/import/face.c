/* SPDX-License-Identifier: MIT */
#include "author/import/face.h"

#include <string.h>

#define MAX_ROW_BYTES ((size_t)2 << 30)

typedef struct lists {
    const char **morph_names, **expression_names;
    float *rest;
    sn_expression *expressions;
} lists;

static bool allocate_lists(int morph_count, int expression_count, sn_arena *arena, lists *l, sn_face *face)
{
    *l = (lists){.morph_names = SN_NEW(arena, const char *, morph_count),
                 .expression_names = SN_NEW(arena, const char *, expression_count),
                 .rest = SN_NEW(arena, float, morph_count),
                 .expressions = SN_NEW(arena, sn_expression, expression_count)};
    *face = (sn_face){.morph_count = morph_count,
                      .expression_count = expression_count,
                      .morph_names = l->morph_names,
                      .morph_default_weights = l->rest,
                      .expression_names = l->expression_names,
                      .expressions = l->expressions};
    return l->morph_names && l->expression_names && l->rest && l->expressions;
}

sn_result sn_face_of_character(const sn_character *c, sn_arena *arena, sn_face *face)
{
    lists l;
    if (!allocate_lists(c->morph_count, c->expression_count, arena, &l, face)) {
        return SN_ERROR_MEMORY;
    }
    for (int m = 0; m < c->morph_count; ++m) {
        l.morph_names[m] = c->morphs[m].name;
        l.rest[m] = c->morphs[m].rest_weight;
    }
    for (int e = 0; e < c->expression_count; ++e) {
        l.expression_names[e] = c->expressions[e].name;
        l.expressions[e] = c->expressions[e].definition;
    }
    face->binds = c->expression_binds;
    return SN_OK;
}

static void list_names(const char *bytes, int count, const char **names)
{
    for (int i = 0; i < count; ++i, bytes += strlen(bytes) + 1) {
        names[i] = bytes;
    }
}

sn_result sn_face_of_model(const sn_model *model, sn_arena *arena, sn_face *face)
{
    const sn_model_counts *c = &model->counts;
    lists l;
    if (!allocate_lists(c->morph_count, c->expression_count, arena, &l, face)) {
        return SN_ERROR_MEMORY;
    }
    list_names(model->morph_names, c->morph_count, l.morph_names);
    list_names(model->expression_names, c->expression_count, l.expression_names);
    face->morph_default_weights = model->morph_default_weights;
    face->expressions = model->expressions;
    face->binds = model->expression_binds;
    return SN_OK;
}

sn_result sn_face_tracks_init(const sn_character_clip *clips, int clip_count, int morph_count, const char *name,
                              sn_arena *arena, sn_face_tracks *all)
{
    *all =
        (sn_face_tracks){.tracks = SN_NEW(arena, int32_t, morph_count), .columns = SN_NEW(arena, int32_t, morph_count)};
    size_t frames = 0;
    if (!all->tracks || !all->columns) {
        return SN_ERROR_MEMORY;
    }
    memset(all->columns, -1, (size_t)morph_count * sizeof *all->columns);
    for (int i = 0; i < clip_count; ++i) {
        frames += (size_t)clips[i].frame_count;
        for (int k = 0; clips[i].morphs && k < clips[i].track_count; ++k) {
            all->columns[clips[i].tracks[k]] = 0;
        }
    }
    for (int32_t m = 0; m < morph_count; ++m) {
        if (all->columns[m] == 0) {
            all->columns[m] = all->count;
            all->tracks[all->count++] = m;
        }
    }
    if (all->count > 0 && frames > MAX_ROW_BYTES / sizeof(float) / (size_t)all->count) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: with this clip, the weights of %zu frames and %d morph targets exceed %d MiB", name, frames,
                       all->count, (int)(MAX_ROW_BYTES >> 20));
    }
    return SN_OK;
}

void sn_face_fill_weights(const sn_character_clip *clip, const sn_face_tracks *all, const float *morph_default_weights,
                          float *rows)
{
    const size_t column_count = clip->morphs ? (size_t)clip->track_count : 0;
    for (size_t f = 0; f < (size_t)clip->frame_count; ++f, rows += all->count) {
        for (int i = 0; i < all->count; ++i) {
            rows[i] = morph_default_weights[all->tracks[i]];
        }
        for (size_t k = 0; k < column_count; ++k) {
            rows[all->columns[clip->tracks[k]]] = clip->morphs[f * column_count + k];
        }
    }
}
