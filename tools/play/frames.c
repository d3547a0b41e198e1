/* SPDX-License-Identifier: MIT */
#include "tools/play/frames.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/srgb.h"
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

sn_result sn_frames_open(const char *folder, const char *sheet_path, int count, const int size[2], bool is_transparent,
                         sn_arena *arena, sn_frames *frames)
{
    *frames =
        (sn_frames){.folder = folder, .sheet_path = sheet_path, .width = size[0], .height = size[1], .arena = arena};
    sn_interrupt_install(); /* sn_frames_has_next ends the run, and all pictures are whole */
    SN_TRY(sn_folder_create(folder));
    if (sheet_path) {
        SN_TRY(sn_sheet_init(count, size[0], size[1], arena, &frames->sheet));
    }
    if (is_transparent) {
        frames->straight = sn_arena_alloc(arena, (size_t)size[0] * (size_t)size[1], 4);
        SN_TRY(frames->straight ? SN_OK : SN_ERROR_MEMORY);
    }
    warn_of_older_frames(folder, count);
    return SN_OK;
}

static uint8_t to_srgb(double linear)
{
    return (uint8_t)(255 * sn_srgb_from_linear(fmin(fmax(linear, 0), 1)) + 0.5);
}

/* Colours are premultiplied before they are encoded as sRGB. over_white: opaque; else divided by alpha. */
static void convert_alpha(const uint8_t *pixels, size_t count, bool over_white, uint8_t *result)
{
    for (size_t i = 0; i < 4 * count; i += 4) {
        const double alpha = pixels[i + 3] / 255.0;
        for (size_t k = 0; k < 3; ++k) {
            const bool is_kept = pixels[i + 3] == 255 || (pixels[i + 3] == 0 && !over_white);
            const double color = is_kept ? 0 : sn_srgb_to_linear(pixels[i + k] / 255.0);
            result[i + k] = is_kept ? pixels[i + k] : to_srgb(over_white ? color + 1 - alpha : color / alpha);
        }
        result[i + 3] = over_white ? 255 : pixels[i + 3];
    }
}

sn_result sn_frames_write(sn_frames *frames, const uint8_t *pixels)
{
    const size_t count = (size_t)frames->width * (size_t)frames->height;
    char path[4096];
    if (snprintf(path, sizeof path, "%s/frame-%04d.png", frames->folder, frames->written_count) >= (int)sizeof path) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", frames->folder);
    }
    if (frames->straight && frames->sheet_path) {
        convert_alpha(pixels, count, true, frames->straight);
    }
    if (frames->sheet_path) {
        sn_sheet_add(&frames->sheet, frames->written_count, frames->straight ? frames->straight : pixels);
    }
    if (frames->straight) {
        convert_alpha(pixels, count, false, frames->straight);
        pixels = frames->straight;
    }
    ++frames->written_count;
    return sn_png_write(path, &(sn_image){frames->width, frames->height, (uint8_t *)(uintptr_t)pixels},
                        !frames->straight);
}

bool sn_frames_has_next(int done, int count)
{
    return done < count && !(done > 0 && sn_interrupt_is_requested(done, count));
}

sn_result sn_frames_finish(sn_frames *frames)
{
    return frames->sheet_path ? sn_sheet_write(&frames->sheet, frames->sheet_path, frames->arena) : SN_OK;
}
