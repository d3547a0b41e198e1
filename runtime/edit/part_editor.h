/* SPDX-License-Identifier: MIT */
/* Edits the parts of a character's flesh while it plays: belly, tail, cheeks. Each part has an amplitude or a
 * frequency, and a settling time. A background thread tunes the model after each change (sn_tune); changes can be
 * undone, compared with the loaded flesh, and saved to the character's sidecar. */
#ifndef SN_RUNTIME_EDIT_PART_EDITOR_H
#define SN_RUNTIME_EDIT_PART_EDITOR_H

#include "sinew/author.h"

typedef struct sn_part_editor sn_part_editor;

typedef struct sn_part_editor_desc {
    const sn_model *model; /* must outlive the editor */
    const char *path;      /* of the model's file, or of the character that it was cooked from */
    /* How the character was cooked; must outlive the editor. Null: `path` is a model file, which saving replaces. */
    const sn_cook_desc *cook;
} sn_part_editor_desc;

/* *editor is null if the model's flesh has no parts. */
sn_result sn_part_editor_create(const sn_part_editor_desc *desc, sn_part_editor **editor);
/* Waits for the background thread; a cook is cancelled. Accepts null. */
void sn_part_editor_destroy(sn_part_editor **editor);

typedef enum sn_part_value {
    SN_PART_AMPLITUDE,     /* displacement of the skin in a walk, fraction of the height */
    SN_PART_FREQUENCY,     /* Hz; replaces the amplitude, and the reverse */
    SN_PART_SETTLING_TIME, /* s, to 2% */
    SN_PART_RIGID,         /* 1: moves with the bones only, 0: does not; takes effect when it is saved */
    SN_PART_VALUE_COUNT
} sn_part_value;

/* Range of a value. */
void sn_part_value_range(sn_part_value value, double range[2]);

int sn_part_editor_count(const sn_part_editor *editor);
const char *sn_part_editor_name(const sn_part_editor *editor, int part);
/* What was set, or else what the shown model has. */
double sn_part_editor_get(const sn_part_editor *editor, int part, sn_part_value value);
/* What the edited model has reached; 0: the part is rigid there. */
double sn_part_editor_reached(const sn_part_editor *editor, int part, sn_part_value value);
/* Sets a value, clamped to its range. Values set one after the other within a second are undone together. */
void sn_part_editor_set(sn_part_editor *editor, int part, sn_part_value value, double number);
/* Multiplies the loaded amplitudes of all soft parts. */
void sn_part_editor_scale(sn_part_editor *editor, double factor);
/* All parts as they were loaded. Can be undone. */
void sn_part_editor_reset(sn_part_editor *editor);
/* False: there is nothing to undo, or to redo. */
bool sn_part_editor_undo(sn_part_editor *editor);
bool sn_part_editor_redo(sn_part_editor *editor);
bool sn_part_editor_has_changes(const sn_part_editor *editor);
/* A thread is tuning or cooking. */
bool sn_part_editor_is_busy(const sn_part_editor *editor);

/* Part of the flesh nearest to a point of the model at rest, model units. */
int sn_part_editor_find(const sn_part_editor *editor, const double point[3]);

/* Adopts finished work and starts pending work; call it once a frame. Returns the model to show, which is valid until
 * the next call. */
const sn_model *sn_part_editor_update(sn_part_editor *editor);
/* Shows the loaded model in place of the edited one. */
void sn_part_editor_compare(sn_part_editor *editor, bool is_comparing);
bool sn_part_editor_is_comparing(const sn_part_editor *editor);

/* Writes the changed values to the sidecar, and the tuned model over a model file, as soon as pending work is done. A
 * character with a part that became rigid or soft is cooked again. The outcome is a message. */
void sn_part_editor_save(sn_part_editor *editor);
/* The message since the last call, or null. */
const char *sn_part_editor_message(sn_part_editor *editor);

#endif
