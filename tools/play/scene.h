/* SPDX-License-Identifier: MIT */
/* sinew play --scene and --list. */
#ifndef SN_TOOLS_PLAY_SCENE_H
#define SN_TOOLS_PLAY_SCENE_H

#include "tools/play/arguments.h"

/* Returns an exit code. arguments->scene is a built-in name or a scene file. */
int sn_play_scene(const sn_play_arguments *arguments);

/* Prints the names and descriptions of the built-in scenes. */
int sn_list_scenes(bool is_json);

#endif
