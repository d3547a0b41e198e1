/* SPDX-License-Identifier: MIT */
/* A model with morph targets, made of one without: three targets, each moving every third vertex, one clip of three
 * frames at 10 a second that moves the last and the first of them, two expressions. The flesh feels them as two fields,
 * whatever is drawn: the first lifts the end of the bar, under the first and the last bone, the second twists it. */
#ifndef SN_TESTS_SUPPORT_MORPH_MODEL_H
#define SN_TESTS_SUPPORT_MORPH_MODEL_H

#include "author/weights/morph_columns.h"

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
    model->morph_default_weights = sn_test_morph_rest;
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

#define SN_TEST_FIELDS 2
#define SN_TEST_PAIRS 3
static const double sn_test_morph_shares[SN_TEST_FIELDS * SN_TEST_MORPHS] = {1, 0.5, 0, 0, -0.25, 1};

/* The rows of V (coordinate_count) at a vertex of the tets. */
static inline void sn_test_basis_row(const sn_model *model, size_t v, double *row)
{
    const size_t q = (size_t)model->counts.coordinate_count, modes = (size_t)model->counts.mode_count;
    const float *x = model->rest_positions + 3 * v;
    for (size_t i = 0; i < q; ++i) {
        row[i] = 0;
        for (size_t k = 0; k < 4 * modes; ++k) {
            const double homogeneous = k % 4 < 3 ? (double)x[k % 4] : 1;
            row[i] +=
                (double)model->mode_weights[v * modes + k / 4] * homogeneous * model->mode_from_coordinate[k * q + i];
        }
    }
}

/* morph_cross and morph_mass by their definitions, from the tets' vertices. */
static inline void sn_test_add_products(sn_arena *arena, const double *columns, sn_model *model)
{
    const size_t n = (size_t)model->counts.vertex_count, q = (size_t)model->counts.coordinate_count;
    const size_t bones = (size_t)model->counts.bone_count, m = 3 * SN_TEST_PAIRS, width = 4 * bones + m;
    double *cross = SN_NEW(arena, double, q *m), *mass = SN_NEW(arena, double, m *width);
    double *row = SN_NEW(arena, double, q), *rig = SN_NEW(arena, double, width);
    SN_ASSERT(cross && mass && row && rig);
    for (size_t v = 0; v < n; ++v) {
        const double own = (double)model->vertex_mass[v], *e = columns + v * m;
        sn_test_basis_row(model, v, row);
        for (size_t k = 0; k < width; ++k) {
            const double x = k % 4 < 3 && k < 4 * bones ? (double)model->rest_positions[3 * v + k % 4] : 1;
            rig[k] = k < 4 * bones ? (double)model->rig_weights[v * bones + k / 4] * x : e[k - 4 * bones];
        }
        for (size_t i = 0; i < m; ++i) {
            for (size_t k = 0; k < q; ++k) {
                cross[k * m + i] += own * row[k] * e[i];
            }
            for (size_t k = 0; k < width; ++k) {
                mass[i * width + k] += own * e[i] * rig[k];
            }
        }
    }
    model->morph_cross = cross;
    model->morph_mass = mass;
}

static inline void sn_test_add_fields(sn_arena *arena, sn_model *model)
{
    const size_t n = (size_t)model->counts.vertex_count;
    float *fields = SN_NEW(arena, float, 3 * SN_TEST_FIELDS * n), low = model->rest_positions[0], high = low;
    sn_morph_pair *pairs = SN_NEW(arena, sn_morph_pair, SN_TEST_PAIRS);
    double *columns = NULL;
    SN_ASSERT(fields && pairs);
    for (size_t v = 0; v < n; ++v) {
        low = model->rest_positions[3 * v] < low ? model->rest_positions[3 * v] : low;
        high = model->rest_positions[3 * v] > high ? model->rest_positions[3 * v] : high;
    }
    for (size_t v = 0; v < n; ++v) {
        const float *x = model->rest_positions + 3 * v, along = (x[0] - low) / (high - low);
        float *d = fields + 3 * SN_TEST_FIELDS * v;
        d[1] = 0.1F * along * along;
        d[2] = 0.02F * along;
        d[4] = -0.5F * along * x[2];
        d[5] = 0.5F * along * x[1];
    }
    pairs[0] = (sn_morph_pair){0, model->counts.bone_count - 1};
    pairs[1] = (sn_morph_pair){0, 0};
    pairs[2] = (sn_morph_pair){1, model->counts.bone_count - 1};
    model->counts.morph_field_count = SN_TEST_FIELDS;
    model->counts.morph_pair_count = SN_TEST_PAIRS;
    model->morph_fields = fields;
    model->morph_field_weights = sn_test_morph_shares;
    model->morph_pairs = pairs;
    const bool is_ok = sn_morph_columns_from_model(model, arena, &columns) == SN_OK;
    SN_ASSERT(is_ok);
    sn_test_add_products(arena, columns, model);
}

static inline sn_model sn_test_morph_model(sn_arena *arena, const sn_model *from)
{
    static const sn_expression expressions[2] = {{.bind_count = 2}, {.first_bind = 2, .bind_count = 1, .is_binary = 1}};
    static const sn_expression_bind binds[3] = {{0, 0.5F}, {1, 1}, {2, 0.75F}};
    sn_model model = *from;
    sn_test_add_deltas(arena, &model);
    sn_test_add_morph_clip(arena, &model);
    sn_test_add_fields(arena, &model);
    model.counts.expression_count = 2;
    model.counts.expression_bind_count = 3;
    model.expressions = expressions;
    model.expression_binds = binds;
    model.expression_names = "happy\0wink";
    model.counts.expression_name_bytes = 11;
    model.file_bytes = NULL;
    return model;
}

#endif
