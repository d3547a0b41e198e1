/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: where the picture of a texture is. */
#ifndef SN_TOOLS_READ_FBX_PICTURES_H
#define SN_TOOLS_READ_FBX_PICTURES_H

#include "tools/read_fbx/read_fbx.h"

/* What the file calls `path`: inside it, or a relative URI: of the first that is there of the path itself, where it is
 * relative and stays below the file's folder, and of its last part in NAME.fbm (where other programs unpack pictures),
 * beside the file, and in textures; of the second of these where none is there, and *is_there is false. Asked for
 * again, it gives the same pointers. */
sn_result fbx_picture_find(fbx_reading *r, const struct aiString *path, sn_gltf_picture *picture, bool *is_there);

#endif
