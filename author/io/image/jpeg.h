/* SPDX-License-Identifier: MIT */
/* JPEG in: grey or colour, baseline or progressive. */
#ifndef SN_AUTHOR_IO_IMAGE_JPEG_H
#define SN_AUTHOR_IO_IMAGE_JPEG_H

#include "author/io/image/png.h"

/* The size that the header says. */
sn_result sn_jpeg_size(const sn_source *source, int *width, int *height);
/* 8-bit RGBA, opaque, rows from the top. Sides and memory are bounded as in sn_png_read: sides by SN_IMAGE_LIMIT,
 * pixels by 512 a byte of the source, memory by 16 bytes a pixel. Data that are cut are an error. CMYK, arithmetic
 * coding and more than 8 bits are not supported. */
sn_result sn_jpeg_read(const sn_source *source, sn_arena *arena, sn_image *image);

#endif
