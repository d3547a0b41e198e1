/* SPDX-License-Identifier: MIT */
/* Shapes of a surface from files: the same vertices elsewhere. */
#ifndef SN_TOOLS_FOURIER_SHAPE_FILE_H
#define SN_TOOLS_FOURIER_SHAPE_FILE_H

#include "author/io/scene_file.h"

/* places (vertices of `scene`, node by node, x 3). The file is one of those that the character may be, with as many
 * vertices in its order (an .obj's are those of the file, whatever its faces split), or an .npy of (vertices x 3). */
sn_result sn_shape_file_read(const char *path, const sn_scene_file *scene, const char *character, sn_arena *arena,
                             const double **places);

/* A file with all that it has, and where its nodes put it at rest, without its clips, which are left out of the scene:
 * places (vertices, node by node, x 3). */
sn_result sn_shape_file_read_scene(const char *path, sn_arena *arena, sn_scene_file *scene, double **places);

#endif
