/* SPDX-License-Identifier: MIT */
/* SCENE.json to a script of scenes/: docs/scenes.md. */
#ifndef SN_TOOLS_SCENE_JSON_SCENE_JSON_H
#define SN_TOOLS_SCENE_JSON_SCENE_JSON_H

#include "author/io/source.h"
#include "scenes/script/scene.h"

/* What a scene file names besides characters: null where a body or a collider has none. */
typedef struct sn_scene_files {
    const char **motions;  /* (body_count) .npy, or a motion file (author/import/motion_file.h) */
    const char **surfaces; /* (collider_count) any surface file */
} sn_scene_files;

/* Reads the text alone: files that it names are neither looked for nor read; their paths, if relative, are made to
 * start at the source's folder. Everything lives in the arena. Errors (one line): SN_ERROR_FORMAT naming the file, the
 * JSON path and the cause; SN_ERROR_MEMORY. */
sn_result sn_scene_json_read(const sn_source *source, sn_arena *arena, sn_scene_script *script, sn_scene_files *files);

/* The script of a scene file, with motions and surfaces read; or, where `text` is its name, a built-in one. */
sn_result sn_scene_open(const char *text, sn_arena *arena, const sn_scene_script **script);

/* By its name, ".json". */
bool sn_is_scene_file(const char *path);

/* sn_scene_create, with a line for every error. `name` stands in front. */
sn_result sn_scene_start(const char *name, const sn_scene_script *script, const sn_world_desc *world, sn_scene **scene);

/* One time step. What the scene asks for and cannot have is a warning, as it goes on without. */
sn_scene_report sn_scene_step(sn_scene *scene);

#endif
