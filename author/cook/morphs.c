/* SPDX-License-Identifier: MIT */
/* Morph targets into the model: names, weights at rest and along clips, expressions, what of them flesh feels. What
 * they move of what is drawn: surface_morphs.c. */
#include <string.h>

#include "author/cook/names.h"
#include "author/cook/stages.h"

static sn_result add_targets(sn_cooking *k, sn_model *model)
{
    const sn_character *c = &k->character;
    const char **names = SN_NEW(&k->arena, const char *, c->morph_count);
    float *rest = SN_NEW(&k->arena, float, c->morph_count);
    char *bytes = NULL;
    if (!names || !rest) {
        return SN_ERROR_MEMORY;
    }
    for (int m = 0; m < c->morph_count; ++m) {
        names[m] = c->morphs[m].name;
        rest[m] = c->morphs[m].rest_weight;
    }
    const sn_result result =
        sn_names_pack(names, c->morph_count, "morph", &k->arena, &bytes, &model->counts.morph_name_bytes);
    model->counts.morph_count = c->morph_count;
    model->morph_rest = rest;
    model->morph_names = bytes;
    return result;
}

/* Clips of other files, which know nothing of morph targets, leave them at rest; where there are no others, no weights
 * are kept. */
static sn_result add_tracks(sn_cooking *k, sn_model *model)
{
    const sn_character *c = &k->character;
    const size_t width = (size_t)c->track_count;
    bool has_tracks = false;
    for (int i = 0; i < k->clip_count; ++i) {
        has_tracks |= k->clips[i].morphs != NULL;
    }
    if (!has_tracks) {
        return SN_OK;
    }
    float *rows = sn_arena_alloc(&k->arena, (size_t)model->counts.clip_frame_total, width * sizeof(float)), *row = rows;
    if (!rows) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < k->clip_count; ++i) {
        const sn_character_clip *clip = &k->clips[i];
        for (size_t at = 0; at < (size_t)clip->frame_count * width; ++at) {
            *row++ = clip->morphs ? clip->morphs[at] : c->morphs[c->tracks[at % width]].rest_weight;
        }
    }
    model->counts.morph_track_count = c->track_count;
    model->morph_tracks = c->tracks;
    model->clip_morphs = rows;
    return SN_OK;
}

static sn_result add_expressions(sn_cooking *k, sn_model *model)
{
    const sn_character *c = &k->character;
    const char **names = SN_NEW(&k->arena, const char *, c->expression_count);
    sn_expression *expressions = SN_NEW(&k->arena, sn_expression, c->expression_count);
    char *bytes = NULL;
    if (!names || !expressions) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->expression_count; ++i) {
        const sn_character_expression *from = &c->expressions[i];
        names[i] = from->name;
        expressions[i] = (sn_expression){from->first_bind, from->bind_count, from->is_binary};
    }
    const sn_result result = sn_names_pack(names, c->expression_count, "expression", &k->arena, &bytes,
                                           &model->counts.expression_name_bytes);
    model->counts.expression_count = c->expression_count;
    model->counts.expression_bind_count = c->expression_bind_count;
    model->expressions = expressions;
    model->expression_binds = c->expression_binds;
    model->expression_names = bytes;
    return result;
}

/* What the flesh feels of them. */
static sn_result add_fields(sn_cooking *k, sn_model *model)
{
    const size_t count = 3 * (size_t)k->mesh.vertex_count * (size_t)k->morph_field_count;
    model->counts.morph_field_count = k->morph_field_count;
    model->counts.morph_pair_count = k->morph_pair_count;
    model->morph_fields = sn_narrow(&k->arena, k->morph_fields, count);
    model->morph_shares = k->morph_shares;
    model->morph_pairs = k->morph_pairs;
    return model->morph_fields ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_cooking_add_morphs(sn_cooking *k, sn_model *model)
{
    if (k->character.morph_count == 0) {
        return SN_OK;
    }
    sn_result result = add_targets(k, model);
    if (result == SN_OK) {
        result = add_tracks(k, model);
    }
    if (result == SN_OK) {
        result = add_fields(k, model);
    }
    return result == SN_OK ? add_expressions(k, model) : result;
}
