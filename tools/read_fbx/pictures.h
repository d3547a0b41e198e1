/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: locates the pictures of textures. */
#ifndef SN_TOOLS_READ_FBX_PICTURES_H
#define SN_TOOLS_READ_FBX_PICTURES_H

#include "tools/read_fbx/read_fbx.h"

/* Finds a picture by the file's `path`: embedded, or as a relative URI. Candidates are, in order: the path itself, if
 * it is relative and inside the file's folder; its last part in the folder NAME.fbm, where other programs extract
 * pictures; beside the file; and in the folder textures. If none exists, the URI is its last part beside the file, and
 * *file_exists is false. The same picture always has the same pointers. */
sn_result fbx_picture_find(fbx_reader *r, const struct aiString *path, sn_gltf_picture *picture, bool *file_exists);

#endif
