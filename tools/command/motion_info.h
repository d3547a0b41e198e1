/* SPDX-License-Identifier: MIT */
/* What a motion file holds, for `sinew info`: files that cook does not take as characters. */
#ifndef SN_TOOLS_COMMAND_MOTION_INFO_H
#define SN_TOOLS_COMMAND_MOTION_INFO_H

#include <jansson.h>

#include "author/io/scene_file.h"

/* Of a .bvh. */
sn_result sn_bvh_info(const char *path, sn_arena *arena, json_t **json);
/* Whether a scene is nothing but a motion: clips, and nothing that is drawn. */
bool sn_is_motion_scene(const sn_scene_file *scene);
sn_result sn_motion_scene_info(const sn_scene_file *scene, const char *path, sn_arena *arena, json_t **json);
/* The rest of the first line, and the joints with their roles. */
void sn_print_motion_info(const json_t *json);

#endif
