/* SPDX-License-Identifier: MIT */
/* Checks that all numbers of a scene are finite, before the scene is written. */
#ifndef SN_AUTHOR_IO_SCENE_FINITE_H
#define SN_AUTHOR_IO_SCENE_FINITE_H

#include "author/io/scene_file.h"

/* Returns SN_ERROR_NUMERIC if a number of a node, skin, mesh, target or clip is not finite as a float. The message
 * names `path`, the file to be written, and the place. */
sn_result sn_scene_check_finite(const sn_scene_file *scene, const char *path);

#endif
