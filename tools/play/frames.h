/* SPDX-License-Identifier: MIT */
/* Picture output of a run: frame-0000.png, frame-0001.png, ... in a folder, and an optional contact sheet. */
#ifndef SN_TOOLS_PLAY_FRAMES_H
#define SN_TOOLS_PLAY_FRAMES_H

#include "tools/play/sheet.h"

typedef struct sn_frames {
    const char *folder, *sheet_path; /* sheet_path may be null */
    int width, height, written_count;
    uint8_t *straight; /* (height x width x 4) of transparent pictures; else null */
    sn_sheet sheet;
    sn_arena *arena;
} sn_frames;

/* Creates the folder; warns if it has pictures of a longer run. is_transparent: pictures have premultiplied alpha, and
 * are written with straight alpha; on the sheet they are over white. */
sn_result sn_frames_open(const char *folder, const char *sheet_path, int count, const int size[2], bool is_transparent,
                         sn_arena *arena, sn_frames *frames);
/* Writes the next picture (height x width x 4), sRGB. */
sn_result sn_frames_write(sn_frames *frames, const uint8_t *pixels);
/* Returns true if a run of `count` frames continues after `done` frames: always for the first frame, later until a
 * signal interrupts the run (runtime/input/interrupt.h). */
bool sn_frames_has_next(int done, int count);
/* Writes the sheet after the last frame. */
sn_result sn_frames_finish(sn_frames *frames);

#endif
