/* SPDX-License-Identifier: MIT */
/* Scenes out: glTF 2.0 as one file, binary or text. */
#ifndef SN_AUTHOR_IO_GLTF_WRITE_H
#define SN_AUTHOR_IO_GLTF_WRITE_H

#include "author/io/scene_file.h"

/* Writes a .glb, or by its name a .gltf with its bytes inside as base64, with all that sn_gltf_read understands,
 * pictures as PNG inside; reading it back gives the scene. Morph targets that move few vertices are stored sparse.
 * Extensions are used only where a material needs one (unlit, emission above 1, moved texture coordinates). VRM's
 * humanoid bones and expressions are not written. Same scene, same bytes. Written beside `path`, then renamed. Errors:
 * SN_ERROR_MEMORY, SN_ERROR_FILE, SN_ERROR_UNSUPPORTED for what a .glb cannot hold (4 GiB). */
sn_result sn_gltf_write(const char *path, const sn_scene_file *scene);

#endif
