/* SPDX-License-Identifier: MIT */
/* Writes scenes as glTF 2.0 in one file, binary or text. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_WRITE_H
#define SN_AUTHOR_IO_GLTF_GLTF_WRITE_H

#include "author/io/scene_file.h"

/* Writes a .glb, or a .gltf with embedded base64 data, by the path's extension. It contains everything that
 * sn_gltf_read supports, with images as JPEG or WebP if they came so, else as PNG; reading it gives the same scene.
 * Morph targets with few moved vertices are stored sparse. Extensions are used only where a material needs one (unlit,
 * toon, emission above 1, texture transforms). A scene of VRM 1.0 is written as a VRM if it has meshes and its text
 * `vrm`, as a .vrma if it has no meshes: humanoid bones and expressions, and for a VRM meta and lookAt. The output is
 * deterministic, and the file is replaced atomically. Errors: SN_ERROR_MEMORY; SN_ERROR_FILE; SN_ERROR_UNSUPPORTED
 * above 4 GiB; SN_ERROR_NUMERIC for numbers that are not finite as floats. */
sn_result sn_gltf_write(const char *path, const sn_scene_file *scene);

/* The encoded image of a texture. */
typedef struct sn_gltf_picture {
    const uint8_t *bytes; /* (size) PNG or JPEG, or null: the image is at `uri` */
    size_t size;
    const char *uri;
} sn_gltf_picture;

/* Encodes a .glb into the arena. pictures (texture_count), if not null, replace the textures' pixels. name is for
 * messages. */
sn_result sn_gltf_encode(const char *name, const sn_scene_file *scene, const sn_gltf_picture *pictures, sn_arena *arena,
                         uint8_t **bytes, size_t *size);

#endif
