/* SPDX-License-Identifier: MIT */
/* Shared functions of the scene file reader; private to this folder. */
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

/* These functions leave their output unchanged if the member is absent, and record errors in the reader. */

/* Reads a number, an expression, or {"keys": [[t, x], ...], "ease": ..., "loop": ...}. */
void sn_scene_read_number(sn_scene_reader *reader, const sn_json *object, const char *key, sn_scene_number *number);
/* Reads [x, y, z] of those, or {"keys": [[t, [x, y, z]], ...], ...}. */
void sn_scene_read_vector(sn_scene_reader *reader, const sn_json *object, const char *key, sn_scene_vector *vector);
/* Reads a constant number in [least, most]. */
void sn_scene_read_real(const sn_json *object, const char *key, double min, double max, double *value);
/* Reads two or three numbers. */
bool sn_scene_read_point(const sn_json *at, double point[3]);
/* Reads one of the names, a list ended by null, as its index. */
void sn_scene_read_choice(const sn_json *object, const char *key, const char *const *names, int *choice);
/* Reads a string, copied into the arena. */
const char *sn_scene_copy_text(sn_scene_reader *reader, const char *text);
const char *sn_scene_read_text(sn_scene_reader *reader, const sn_json *object, const char *key);
/* Reads a path; relative paths start at the scene file's folder. */
const char *sn_scene_path_of(sn_scene_reader *reader, const sn_json *at);
const char *sn_scene_read_path(sn_scene_reader *reader, const sn_json *object, const char *key);
/* Allocates a list in the arena; null and a recorded error if memory is exhausted. */
void *sn_scene_new(sn_scene_reader *reader, int count, size_t size);
#define SN_SCENE_NEW(reader, type, count) ((type *)sn_scene_new(reader, count, sizeof(type)))
/* Number of entries of a list that must be present, at most `most`. */
int sn_scene_count(const sn_json *list, int max);

/* Reads "all", "none" or letters as SN_LOCK_... bits. */
unsigned sn_scene_read_locks(const sn_json *at);
/* Reads a list of handles; null if it is absent or invalid. */
const sn_cook_handles *sn_scene_read_handles(sn_scene_reader *reader, const sn_json *at);
void sn_scene_read_event(sn_scene_reader *reader, const sn_json *at, const sn_scene_script *script,
                         sn_scene_event *event);
/* Reads a body's rigid parameters; null if it has none. */
const sn_scene_rigid *sn_scene_read_rigid(sn_scene_reader *reader, const sn_json *body);
void sn_scene_read_character(sn_scene_reader *reader, const sn_json *at, sn_scene_character *character);

#endif
