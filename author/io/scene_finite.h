/* SPDX-License-Identifier: MIT */
/* Whether a scene is numbers that files can hold, asked before any of it is written. */
#ifndef SN_AUTHOR_IO_SCENE_FINITE_H
#define SN_AUTHOR_IO_SCENE_FINITE_H

#include "author/io/scene_file.h"

/* SN_ERROR_NUMERIC where a node, skin, mesh, target or clip has a number that is not finite as a float, with one line
 * that names `path`, the file to be written, and where it stands. */
sn_result sn_scene_check_finite(const sn_scene_file *scene, const char *path);

#endif
