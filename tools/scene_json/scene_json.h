/* SPDX-License-Identifier: MIT */
/* Reads SCENE.json as a script of scenes/ (docs/reference/scene-format.md). */
#ifndef SN_TOOLS_SCENE_JSON_SCENE_JSON_H
#define SN_TOOLS_SCENE_JSON_SCENE_JSON_H

#include "author/io/source.h"
#include "scenes/script/scene.h"

/* Files that a scene file refers to, except characters; null for bodies and colliders without one. */
typedef struct sn_scene_files {
    const char **motions;  /* (body_count) .npy, or a motion file (author/import/motion_file.h) */
    const char **surfaces; /* (collider_count) any surface file */
} sn_scene_files;

/* Reads the text only; files that it refers to are not opened. Relative paths become relative to the source's folder.
 * Everything lives in the arena. Errors: SN_ERROR_FORMAT with the file, the JSON path and the cause; SN_ERROR_MEMORY.
 */
sn_result sn_scene_json_read(const sn_source *source, sn_arena *arena, sn_scene_script *script, sn_scene_files *files);

/* Opens a scene file with its motions and surfaces, or the built-in scene called `text`. */
sn_result sn_scene_open(const char *text, sn_arena *arena, const sn_scene_script **script);

/* Returns true if the name ends in ".json". */
bool sn_is_scene_file(const char *path);

/* Calls sn_scene_create and prints one line for every error, prefixed by `name`. */
sn_result sn_scene_start(const char *name, const sn_scene_script *script, const sn_world_desc *world, sn_scene **scene);

/* Runs one time step. Prints a warning for features that are not available; the scene continues without them. */
sn_scene_report sn_scene_step(sn_scene *scene);

#endif
