/* SPDX-License-Identifier: MIT */
/* A model with morph targets, made of one without: three targets, each moving every third vertex, one clip of three
 * frames at 10 a second that moves the last and the first of them, two expressions. */
#ifndef SN_TESTS_SUPPORT_MORPH_MODEL_H
#define SN_TESTS_SUPPORT_MORPH_MODEL_H

#include "host/model/model.h"

#define SN_TEST_MORPHS 3
static const float sn_test_morph_rest[SN_TEST_MORPHS] = {0.5F, 0.25F, 0};

static inline void sn_test_add_deltas(sn_arena *arena, sn_model *model)
{
    const int n = model->counts.surface_vertex_count;
    int32_t *starts = SN_NEW(arena, int32_t, n + 1);
    sn_morph_delta *deltas = SN_NEW(arena, sn_morph_delta, n);
    SN_ASSERT(starts && deltas);
    for (int v = 0; v < n; ++v) {
        deltas[v] = (sn_morph_delta){.morph = v % SN_TEST_MORPHS, .offset = {0, 0.25F, 0}};
        starts[v + 1] = v + 1;
    }
    model->counts.morph_count = SN_TEST_MORPHS;
    model->counts.morph_delta_count = n;
    model->morph_starts = starts;
    model->morph_deltas = deltas;
    model->morph_rest = sn_test_morph_rest;
    model->morph_names = "smile\0\0blink";
    model->counts.morph_name_bytes = 13;
}

static inline void sn_test_add_morph_clip(sn_arena *arena, sn_model *model)
{
    static const int32_t frame_counts[1] = {3}, tracks[2] = {2, 0};
    static const double rates[1] = {10};
    static const float weights[6] = {0, 1, 0.5F, 0, 1, 0};
    float *transforms = SN_NEW(arena, float, 36 * model->counts.bone_count);
    SN_ASSERT(transforms);
    for (int i = 0; i < 36 * model->counts.bone_count; ++i) {
        transforms[i] = i % 12 % 5 == 0 ? 1 : 0;
    }
    model->counts.clip_count = 1;
    model->counts.clip_frame_total = 3;
    model->clip_frame_counts = frame_counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = transforms;
    model->clip_names = "talk";
    model->counts.clip_name_bytes = 5;
    model->counts.morph_track_count = 2;
    model->morph_tracks = tracks;
    model->clip_morphs = weights;
}

static inline sn_model sn_test_morph_model(sn_arena *arena, const sn_model *from)
{
    static const sn_expression expressions[2] = {{0, 2, 0}, {2, 1, 1}};
    static const sn_expression_bind binds[3] = {{0, 0.5F}, {1, 1}, {2, 0.75F}};
    sn_model model = *from;
    sn_test_add_deltas(arena, &model);
    sn_test_add_morph_clip(arena, &model);
    model.counts.expression_count = 2;
    model.counts.expression_bind_count = 3;
    model.expressions = expressions;
    model.expression_binds = binds;
    model.expression_names = "happy\0wink";
    model.counts.expression_name_bytes = 11;
    model.mapping = NULL;
    return model;
}

#endif
