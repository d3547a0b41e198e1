/* SPDX-License-Identifier: MIT */
/* Adds morph targets to the model: names, weights at rest and along clips, expressions, and the fields that move the
 * flesh. surface_morphs.c adds their effect on the rendered surface. */
#include <string.h>

#include "author/cook/stages/stages.h"
#include "author/import/face.h"
#include "author/import/names.h"

static sn_result add_targets(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    const char **names = SN_NEW(&cook->arena, const char *, c->morph_count);
    float *rest = SN_NEW(&cook->arena, float, c->morph_count);
    char *bytes = NULL;
    if (!names || !rest) {
        return SN_ERROR_MEMORY;
    }
    for (int m = 0; m < c->morph_count; ++m) {
        names[m] = c->morphs[m].name;
        rest[m] = c->morphs[m].rest_weight;
    }
    const sn_result result =
        sn_names_pack(names, c->morph_count, "morph", &cook->arena, &bytes, &model->counts.morph_name_bytes);
    model->counts.morph_count = c->morph_count;
    model->morph_default_weights = rest;
    model->morph_names = bytes;
    return result;
}

/* Tracks of the targets that any clip moves; a clip leaves the others at rest. */
static sn_result add_tracks(sn_cook_context *cook, sn_model *model)
{
    sn_face_tracks all;
    const sn_result result =
        sn_face_tracks_init(cook->clips, cook->clip_count, cook->character.morph_count, cook->path, &cook->arena, &all);
    if (result != SN_OK || all.count == 0) {
        return result;
    }
    const size_t frames = (size_t)model->counts.clip_frame_total, width = (size_t)all.count;
    float *rows = sn_arena_alloc(&cook->arena, frames, width * sizeof(float)), *row = rows;
    for (int i = 0; rows && i < cook->clip_count; ++i) {
        sn_face_fill_weights(&cook->clips[i], &all, model->morph_default_weights, row);
        row += (size_t)cook->clips[i].frame_count * width;
    }
    model->counts.morph_track_count = all.count;
    model->morph_tracks = all.tracks;
    model->clip_morphs = rows;
    return rows ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_expressions(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    const char **names = SN_NEW(&cook->arena, const char *, c->expression_count);
    sn_expression *expressions = SN_NEW(&cook->arena, sn_expression, c->expression_count);
    char *bytes = NULL;
    if (!names || !expressions) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->expression_count; ++i) {
        names[i] = c->expressions[i].name;
        expressions[i] = c->expressions[i].definition;
    }
    const sn_result result = sn_names_pack(names, c->expression_count, "expression", &cook->arena, &bytes,
                                           &model->counts.expression_name_bytes);
    model->counts.expression_count = c->expression_count;
    model->counts.expression_bind_count = c->expression_bind_count;
    model->expressions = expressions;
    model->expression_binds = c->expression_binds;
    model->expression_names = bytes;
    return result;
}

/* The fields that move the flesh. */
static sn_result add_fields(sn_cook_context *cook, sn_model *model)
{
    const size_t count = 3 * (size_t)cook->mesh.vertex_count * (size_t)cook->morph_field_count;
    model->counts.morph_field_count = cook->morph_field_count;
    model->counts.morph_pair_count = cook->morph_pair_count;
    model->morph_fields = sn_to_float(&cook->arena, cook->morph_fields, count);
    model->morph_field_weights = cook->morph_field_weights;
    model->morph_pairs = cook->morph_pairs;
    return model->morph_fields ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_cook_context_add_morphs(sn_cook_context *cook, sn_model *model)
{
    if (cook->character.morph_count == 0) {
        return SN_OK;
    }
    SN_TRY(add_targets(cook, model));
    SN_TRY(add_tracks(cook, model));
    SN_TRY(add_fields(cook, model));
    return add_expressions(cook, model);
}
