/* SPDX-License-Identifier: MIT */
/* Scenes out: glTF 2.0 as one file, binary or text. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_WRITE_H
#define SN_AUTHOR_IO_GLTF_GLTF_WRITE_H

#include "author/io/scene_file.h"

/* Writes a .glb, or by its name a .gltf with its bytes inside as base64, with all that sn_gltf_read understands,
 * pictures as PNG inside; reading it back gives the scene. Morph targets that move few vertices are stored sparse.
 * Extensions are used only where a material needs one (unlit, emission above 1, moved texture coordinates). VRM's
 * humanoid bones and expressions are written of a scene of VRM 1.0 without meshes, a .vrma, alone. Same scene, same
 * bytes. Written beside `path`, then renamed. Errors: SN_ERROR_MEMORY, SN_ERROR_FILE, SN_ERROR_UNSUPPORTED for what a
 * .glb cannot hold (4 GiB), SN_ERROR_NUMERIC for numbers that are not finite as floats. */
sn_result sn_gltf_write(const char *path, const sn_scene_file *scene);

/* A texture's picture as a file has it. */
typedef struct sn_gltf_picture {
    const uint8_t *bytes; /* (size), or null: it is at `uri` */
    size_t size;
    const char *uri;
} sn_gltf_picture;

/* A .glb as bytes in the arena. With pictures, (texture_count) of them, those take the place of the textures' pixels.
 * The name is for messages. */
sn_result sn_gltf_encode(const char *name, const sn_scene_file *scene, const sn_gltf_picture *pictures, sn_arena *arena,
                         uint8_t **bytes, size_t *size);

#endif
