/* SPDX-License-Identifier: MIT */
/* WebP in: one picture, lossy or lossless, with or without alpha. */
#ifndef SN_AUTHOR_IO_IMAGE_WEBP_H
#define SN_AUTHOR_IO_IMAGE_WEBP_H

#include "author/io/image/png.h"

/* Whether the bytes begin as a WebP file does. */
bool sn_is_webp(const uint8_t *bytes, size_t size);
/* The size that the header says. SN_ERROR_FORMAT; SN_ERROR_UNSUPPORTED for animations and more than 67108864 pixels. */
sn_result sn_webp_size(const sn_source *source, int *width, int *height);
/* 8-bit RGBA, rows from the top; alpha is not premultiplied. Data that are cut are an error. */
sn_result sn_webp_read(const sn_source *source, sn_arena *arena, sn_image *image);

#endif
