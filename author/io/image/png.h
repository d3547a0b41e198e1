/* SPDX-License-Identifier: MIT */
/* PNG in and out, 8-bit RGBA, rows from the top. */
#ifndef SN_AUTHOR_IO_IMAGE_PNG_H
#define SN_AUTHOR_IO_IMAGE_PNG_H

#include "author/io/source.h"

typedef struct sn_image {
    int width, height;
    uint8_t *pixels; /* (height x width x 4) */
} sn_image;

/* Any PNG, converted to 8-bit RGBA without any change of gamma. Memory: a stated factor of what the header announces,
 * refused beyond `SN_IMAGE_LIMIT` pixels a side. Errors: SN_ERROR_FORMAT, SN_ERROR_UNSUPPORTED, SN_ERROR_MEMORY. */
#define SN_IMAGE_LIMIT 16384
sn_result sn_png_read(const sn_source *source, sn_arena *arena, sn_image *image);

/* The bytes of a file, in the arena; `name` is for messages. is_opaque drops the alpha. */
sn_result sn_png_encode(const char *name, const sn_image *image, bool is_opaque, sn_arena *arena, uint8_t **bytes,
                        size_t *size);

/* Writes beside the path, then renames: a failure leaves an old file as it was. is_opaque drops the alpha. */
sn_result sn_png_write(const char *path, const sn_image *image, bool is_opaque);

#endif
