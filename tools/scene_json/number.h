/* SPDX-License-Identifier: MIT */
/* Private to the reader of scene files: what its files share. */
#ifndef SN_TOOLS_SCENE_JSON_NUMBER_H
#define SN_TOOLS_SCENE_JSON_NUMBER_H

#include "author/io/gltf/gltf_json.h"
#include "host/base/arena.h"
#include "scenes/script/script.h"

typedef struct sn_scene_reader {
    sn_json_reader json;
    sn_arena *arena;
    const char *path; /* of the scene file */
} sn_scene_reader;

/* All of these leave what they fill as it is where the member is absent, and say by the reader that something fails. */

/* A number, an expression, or {"keys": [[t, x], ...], "ease": ..., "loop": ...}. */
void sn_scene_read_number(sn_scene_reader *reader, const sn_json *object, const char *key, sn_scene_number *number);
/* [x, y, z] of such, or {"keys": [[t, [x, y, z]], ...], ...}. */
void sn_scene_read_vector(sn_scene_reader *reader, const sn_json *object, const char *key, sn_scene_vector *vector);
/* A plain number from `least` to `most`. */
void sn_scene_read_real(const sn_json *object, const char *key, double least, double most, double *value);
/* Two numbers or three. */
bool sn_scene_read_point(const sn_json *at, double point[3]);
/* One of the names, ended by null: its index. */
void sn_scene_read_choice(const sn_json *object, const char *key, const char *const *names, int *choice);
/* Copied. */
const char *sn_scene_copy_text(sn_scene_reader *reader, const char *text);
const char *sn_scene_read_text(sn_scene_reader *reader, const sn_json *object, const char *key);
/* Beside the scene file, if it is relative. */
const char *sn_scene_path_of(sn_scene_reader *reader, const sn_json *at);
const char *sn_scene_read_path(sn_scene_reader *reader, const sn_json *object, const char *key);
/* Of a list in the arena; null, with a failure, where there is no memory. */
void *sn_scene_new(sn_scene_reader *reader, int count, size_t size);
#define SN_SCENE_NEW(reader, type, count) ((type *)sn_scene_new(reader, count, sizeof(type)))
/* Entries of a list that is there, at most `most`. */
int sn_scene_count(const sn_json *list, int most);

/* "all", "none" or letters: SN_LOCK_... */
unsigned sn_scene_read_locks(const sn_json *at);
/* A list of handles; null where there is none, or nothing could be read. */
const sn_cook_handles *sn_scene_read_handles(sn_scene_reader *reader, const sn_json *at);
void sn_scene_read_event(sn_scene_reader *reader, const sn_json *at, const sn_scene_script *script,
                         sn_scene_event *event);
/* A body's; null where it has none. */
const sn_scene_rigid *sn_scene_read_rigid(sn_scene_reader *reader, const sn_json *body);
void sn_scene_read_character(sn_scene_reader *reader, const sn_json *at, sn_scene_character *character);

#endif
