/* SPDX-License-Identifier: MIT */
/* The protocol between the FBX reader and its child process sinew-read-fbx; private to them and their tests. The child
 * writes:
 *   warning TEXT\n      any number of times, then
 *   error TEXT\n        and nothing after it, or
 *   glb SIZE\n          and SIZE bytes of a .glb */
#ifndef SN_AUTHOR_IO_FBX_H
#define SN_AUTHOR_IO_FBX_H

#include "author/io/scene_file.h"

#define SN_FBX_MAX_LINE 512    /* max. characters of a line */
#define SN_FBX_MAX_WARNINGS 16 /* max. warning lines; the child drops further ones */
#define SN_FBX_PROGRAM "sinew-read-fbx"

/* Reads the child's output. Its name is that of the FBX file, for messages and to find textures. */
sn_result sn_fbx_output_read(const sn_source *output, sn_arena *arena, sn_scene_file *scene);

#endif
