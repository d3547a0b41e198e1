/* SPDX-License-Identifier: MIT */
#include "tools/play/frames.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/input/interrupt.h"
#include "tools/command/model_file.h"

/* The frame number of "frame-0012.png", or -1. */
static long frame_number(const char *name)
{
    if (strncmp(name, "frame-", 6) != 0 || name[6] < '0' || name[6] > '9') {
        return -1;
    }
    char *end = NULL;
    const long number = strtol(name + 6, &end, 10);
    return strcmp(end, ".png") == 0 ? number : -1;
}

/* Warns about pictures of a longer run, which this run does not overwrite. */
static void warn_of_older_frames(const char *path, int frame_count)
{
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        count += frame_number(entry->d_name) >= frame_count;
    }
    if (folder) {
        closedir(folder);
    }
    if (count > 0) {
        sn_log(SN_LOG_WARNING, "%s: has %d pictures with higher numbers from another run", path, count);
    }
}

sn_result sn_frames_open(const char *folder, const char *sheet_path, int count, const int size[2], sn_arena *arena,
                         sn_frames *frames)
{
    *frames =
        (sn_frames){.folder = folder, .sheet_path = sheet_path, .width = size[0], .height = size[1], .arena = arena};
    sn_interrupt_install(); /* sn_frames_has_next ends the run, and all pictures are whole */
    SN_TRY(sn_folder_create(folder));
    if (sheet_path) {
        SN_TRY(sn_sheet_init(count, size[0], size[1], arena, &frames->sheet));
    }
    warn_of_older_frames(folder, count);
    return SN_OK;
}

sn_result sn_frames_write(sn_frames *frames, const uint8_t *pixels)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/frame-%04d.png", frames->folder, frames->written_count) >= (int)sizeof path) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", frames->folder);
    }
    if (frames->sheet_path) {
        sn_sheet_add(&frames->sheet, frames->written_count, pixels);
    }
    ++frames->written_count;
    return sn_png_write(path, &(sn_image){frames->width, frames->height, (uint8_t *)(uintptr_t)pixels}, true);
}

bool sn_frames_has_next(int done, int count)
{
    return done < count && !(done > 0 && sn_interrupt_is_requested(done, count));
}

sn_result sn_frames_finish(sn_frames *frames)
{
    return frames->sheet_path ? sn_sheet_write(&frames->sheet, frames->sheet_path, frames->arena) : SN_OK;
}
