/* SPDX-License-Identifier: MIT */
/* Reads JPEG: gray or color, baseline or progressive. */
#ifndef SN_AUTHOR_IO_IMAGE_JPEG_H
#define SN_AUTHOR_IO_IMAGE_JPEG_H

#include "author/io/image/png.h"

/* Reads the image size from the header. */
sn_result sn_jpeg_size(const sn_source *source, int *width, int *height);
/* Reads 8-bit RGBA, opaque, top row first. Limits: SN_IMAGE_LIMIT pixels a side, 512 pixels per byte of the source, 16
 * bytes of memory per pixel. Fails for truncated data. CMYK, arithmetic coding and more than 8 bits are not supported.
 */
sn_result sn_jpeg_read(const sn_source *source, sn_arena *arena, sn_image *image);

#endif
