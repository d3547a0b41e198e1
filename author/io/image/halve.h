/* SPDX-License-Identifier: MIT */
#ifndef SN_AUTHOR_IO_IMAGE_HALVE_H
#define SN_AUTHOR_IO_IMAGE_HALVE_H

#include "author/io/image/png.h"

/* Halves an image in place, weighted by alpha; odd last rows and columns are averaged separately. */
void sn_image_halve(sn_image *image);

#endif
