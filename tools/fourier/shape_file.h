/* SPDX-License-Identifier: MIT */
/* Reads shapes of a surface from files: the same vertices at other positions. */
#ifndef SN_TOOLS_FOURIER_SHAPE_FILE_H
#define SN_TOOLS_FOURIER_SHAPE_FILE_H

#include "author/io/scene_file.h"

/* Reads positions (vertices of `scene`, node by node, x 3). The file has a format that cook accepts, with the same
 * number of vertices in the same order (an .obj's own vertices before faces split them), or is an .npy of (vertices x
 * 3). */
sn_result sn_shape_file_read(const char *path, const sn_scene_file *scene, const char *character, sn_arena *arena,
                             const double **places);

/* Reads a character file without its clips, and the rest positions of its vertices (node by node, x 3). */
sn_result sn_shape_file_read_scene(const char *path, sn_arena *arena, sn_scene_file *scene, double **places);

#endif
