/* SPDX-License-Identifier: MIT */
/* The pictures of a run: frame-0000.png and on in a folder, and some of them on a sheet. */
#ifndef SN_TOOLS_PLAY_FRAMES_H
#define SN_TOOLS_PLAY_FRAMES_H

#include "tools/play/sheet.h"

typedef struct sn_frames {
    const char *folder, *sheet_path; /* sheet_path: or null */
    int width, height, written_count;
    sn_sheet sheet;
    sn_arena *arena;
} sn_frames;

/* Makes the folder; warns of pictures there that would be taken for this run's. */
sn_result sn_frames_open(const char *folder, const char *sheet_path, int count, const int size[2], sn_arena *arena,
                         sn_frames *frames);
/* The next one: (height x width x 4). */
sn_result sn_frames_write(sn_frames *frames, const uint8_t *pixels);
/* Whether a run of `count` frames has another one after `done`: a first one always, others until the run is ended from
 * outside (runtime/input/interrupt.h). */
bool sn_frames_go_on(int done, int count);
/* The sheet, when all are written. */
sn_result sn_frames_finish(sn_frames *frames);

#endif
