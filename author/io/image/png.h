/* SPDX-License-Identifier: MIT */
/* Reads and writes PNG as 8-bit RGBA, top row first. */
#ifndef SN_AUTHOR_IO_IMAGE_PNG_H
#define SN_AUTHOR_IO_IMAGE_PNG_H

#include "author/io/source.h"

typedef struct sn_image {
    int width, height;
    uint8_t *pixels; /* (height x width x 4) */
} sn_image;

/* Reads any PNG as 8-bit RGBA, without gamma conversion. Memory is bounded by a constant factor of the size in the
 * header, which is limited to `SN_IMAGE_LIMIT` pixels a side. Errors: SN_ERROR_FORMAT, SN_ERROR_UNSUPPORTED,
 * SN_ERROR_MEMORY. */
#define SN_IMAGE_LIMIT 16384
sn_result sn_png_read(const sn_source *source, sn_arena *arena, sn_image *image);

/* Encodes a PNG into the arena; `name` is for messages. is_opaque drops the alpha channel. */
sn_result sn_png_encode(const char *name, const sn_image *image, bool is_opaque, sn_arena *arena, uint8_t **bytes,
                        size_t *size);

/* Writes a PNG; the file is replaced atomically. is_opaque drops the alpha channel. */
sn_result sn_png_write(const char *path, const sn_image *image, bool is_opaque);

#endif
