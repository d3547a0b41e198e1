/* SPDX-License-Identifier: MIT */
/* Private to the glTF writer: state shared by its files while a document is written. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_WRITER_H
#define SN_AUTHOR_IO_GLTF_GLTF_WRITER_H

#include <jansson.h>

#include "author/io/gltf/gltf_reader.h"
#include "author/io/gltf/gltf_write.h"

enum { SN_GLTF_TARGET_NONE = 0, SN_GLTF_TARGET_VERTICES = 34962, SN_GLTF_TARGET_INDICES = 34963 };

typedef struct sn_gltf_writer {
    const char *path;
    const sn_scene_file *scene;
    const sn_gltf_picture *pictures; /* (texture_count) instead of pixels, or null */
    sn_arena arena;
    uint8_t *bytes; /* (capacity) binary chunk */
    size_t size, capacity;
    json_t *root, *extensions;
    sn_result result;
} sn_gltf_writer;

/* In gltf_write_buffer.c: the document's arrays and numbers, and the binary chunk. */
bool sn_gltf_writer_ok(const sn_gltf_writer *w);
void sn_gltf_put_bytes(sn_gltf_writer *w, const void *bytes, size_t size);
void sn_gltf_put_u32(sn_gltf_writer *w, uint64_t value);
/* Pads to a multiple of four bytes. */
void sn_gltf_align(sn_gltf_writer *w, uint8_t filler);
/* Appends to an array of the document, which is created if missing; returns the element's index. */
json_int_t sn_gltf_append(sn_gltf_writer *w, const char *key, json_t *value);
void sn_gltf_use_extension(sn_gltf_writer *w, const char *name);
void sn_gltf_set_integer(json_t *object, const char *key, json_int_t value);
void sn_gltf_set_name(json_t *object, const char *name);
json_t *sn_gltf_reals(const double *values, int count);
json_t *sn_gltf_floats(const float *values, int count);
/* Opens a view at the end of the chunk; sn_gltf_close_view sets its length. */
json_int_t sn_gltf_open_view(sn_gltf_writer *w, int target);
void sn_gltf_close_view(sn_gltf_writer *w, json_int_t view);
/* Write accessors of `count` elements with `width` numbers each, whose first numbers are `stride` apart. For integers,
 * width 1 is for triangle indices and width 4 for joints. */
json_int_t sn_gltf_put_floats(sn_gltf_writer *w, const float *values, int count, int width, int stride, int target);
json_int_t sn_gltf_put_integers(sn_gltf_writer *w, const int32_t *values, int count, int width, int stride,
                                int component);
/* Writes offsets (count x 3) with bounds: only the nonzero ones if these are at most half. */
json_int_t sn_gltf_put_offsets(sn_gltf_writer *w, const float *values, int count);
/* Sets the bounds of the most recent accessor. */
void sn_gltf_set_last_bounds(sn_gltf_writer *w, const float *values, int count, int width);

/* In the files of these names. */
void sn_gltf_write_meshes(sn_gltf_writer *w);
void sn_gltf_write_materials(sn_gltf_writer *w);
void sn_gltf_write_textures(sn_gltf_writer *w);
void sn_gltf_write_clips(sn_gltf_writer *w);
void sn_gltf_write_vrm(sn_gltf_writer *w);

#endif
