/* SPDX-License-Identifier: MIT */
/* What of a character moves by weights: morph targets, and the expressions that move several of them. Everything is
 * borrowed from what it is of, but lists, which are in the arena. */
#ifndef SN_AUTHOR_IMPORT_FACE_H
#define SN_AUTHOR_IMPORT_FACE_H

#include "author/import/character.h"

typedef struct sn_face {
    int morph_count, expression_count;
    const char *const *morph_names;      /* (morph_count) may be empty */
    const float *morph_rest;             /* (morph_count) */
    const char *const *expression_names; /* (expression_count) */
    const sn_expression *expressions;    /* (expression_count) */
    const sn_expression_bind *binds;
} sn_face;

sn_result sn_face_of_character(const sn_character *character, sn_arena *arena, sn_face *face);
sn_result sn_face_of_model(const sn_model *model, sn_arena *arena, sn_face *face);

/* The morph targets that any of several clips moves, whatever each one has: the columns of a model's rows. */
typedef struct sn_face_tracks {
    int count;
    int32_t *tracks;  /* (count) ascending */
    int32_t *columns; /* (morph_count) where each is, or -1 */
} sn_face_tracks;

/* Errors: SN_ERROR_UNSUPPORTED, with a line that begins with `name`, where so many frames (of all clips) would have
 * more than 2 GiB of weights. */
sn_result sn_face_tracks_init(const sn_character_clip *clips, int clip_count, int morph_count, const char *name,
                              sn_arena *arena, sn_face_tracks *all);
/* rows (clip's frame_count x count): what the clip does not move rests. */
void sn_face_fill_rows(const sn_character_clip *clip, const sn_face_tracks *all, const float *morph_rest, float *rows);

#endif
