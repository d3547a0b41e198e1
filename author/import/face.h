/* SPDX-License-Identifier: MIT */
/* The morph targets of a character and the expressions that drive them. Data belongs to the character or model; lists
 * are in the arena. */
#ifndef SN_AUTHOR_IMPORT_FACE_H
#define SN_AUTHOR_IMPORT_FACE_H

#include "author/import/character.h"

typedef struct sn_face {
    int morph_count, expression_count;
    const char *const *morph_names;      /* (morph_count), may be empty strings */
    const float *morph_default_weights;  /* (morph_count) */
    const char *const *expression_names; /* (expression_count) */
    const sn_expression *expressions;    /* (expression_count) */
    const sn_expression_bind *binds;
} sn_face;

sn_result sn_face_of_character(const sn_character *character, sn_arena *arena, sn_face *face);
sn_result sn_face_of_model(const sn_model *model, sn_arena *arena, sn_face *face);

/* The morph targets that any of several clips animates: the columns of a model's table of weights. */
typedef struct sn_face_tracks {
    int count;
    int32_t *tracks;  /* (count) morph targets, ascending */
    int32_t *columns; /* (morph_count) column of each morph target, or -1 */
} sn_face_tracks;

/* Collects the tracks of all clips. Errors: SN_ERROR_UNSUPPORTED if the weights of all frames exceed 2 GiB; the message
 * begins with `name`. */
sn_result sn_face_tracks_init(const sn_character_clip *clips, int clip_count, int morph_count, const char *name,
                              sn_arena *arena, sn_face_tracks *all);
/* Fills rows (clip's frame_count x count); targets that the clip does not animate get their rest weight. */
void sn_face_fill_weights(const sn_character_clip *clip, const sn_face_tracks *all, const float *morph_default_weights,
                          float *rows);

#endif
