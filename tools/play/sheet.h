/* SPDX-License-Identifier: MIT */
/* A contact sheet: small copies of evenly spaced frames of a run. */
#ifndef SN_TOOLS_PLAY_SHEET_H
#define SN_TOOLS_PLAY_SHEET_H

#include "author/io/image/png.h"

typedef struct sn_sheet {
    int frame_count, width, height; /* of the run */
    int cell_width, cell_height, cell_count, columns;
    sn_image image;
} sn_sheet;

/* Initialises the sheet for frame_count pictures of width x height. */
sn_result sn_sheet_init(int frame_count, int width, int height, sn_arena *arena, sn_sheet *sheet);
/* Adds the frame's picture (height x width x 4) if the sheet shows that frame. */
void sn_sheet_add(sn_sheet *sheet, int frame, const uint8_t *pixels);
/* Writes the sheet; appends below the existing sheet if the file has one of the same width. */
sn_result sn_sheet_write(const sn_sheet *sheet, const char *path, sn_arena *arena);

#endif
