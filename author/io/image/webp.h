/* SPDX-License-Identifier: MIT */
/* Reads WebP: one image, lossy or lossless, with or without alpha. */
#ifndef SN_AUTHOR_IO_IMAGE_WEBP_H
#define SN_AUTHOR_IO_IMAGE_WEBP_H

#include "author/io/image/png.h"

/* Whether the bytes have the signature of a WebP file. */
bool sn_is_webp(const uint8_t *bytes, size_t size);
/* Reads the image size from the header. Errors: SN_ERROR_FORMAT; SN_ERROR_UNSUPPORTED for animations and for more than
 * 67108864 pixels. */
sn_result sn_webp_size(const sn_source *source, int *width, int *height);
/* Reads 8-bit RGBA, top row first; alpha is not premultiplied. Fails for truncated data. */
sn_result sn_webp_read(const sn_source *source, sn_arena *arena, sn_image *image);

#endif
