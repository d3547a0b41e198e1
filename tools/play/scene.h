/* SPDX-License-Identifier: MIT */
/* sinew play --scene and --list. */
#ifndef SN_TOOLS_PLAY_SCENE_H
#define SN_TOOLS_PLAY_SCENE_H

#include "tools/play/arguments.h"

/* An exit code. arguments->scene: a name, or a scene file. */
int sn_play_scene(const sn_play_arguments *arguments);

/* Names of the built-in scenes and what they show. */
int sn_list_scenes(bool is_json);

#endif
