/* SPDX-License-Identifier: MIT */
/* Describes motion files for `sinew info`: files that cook does not accept as characters. */
#ifndef SN_TOOLS_COMMAND_MOTION_INFO_H
#define SN_TOOLS_COMMAND_MOTION_INFO_H

#include <jansson.h>

#include "author/io/scene_file.h"

/* Describes a .bvh file. */
sn_result sn_bvh_info(const char *path, sn_arena *arena, json_t **json);
/* Returns true if a scene has clips and nothing to render. */
bool sn_is_motion_scene(const sn_scene_file *scene);
sn_result sn_motion_scene_info(const sn_scene_file *scene, const char *path, sn_arena *arena, json_t **json);
/* Prints the end of the first line, and the joints with their roles. */
void sn_print_motion_info(const json_t *json);

#endif
