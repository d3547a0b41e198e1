/* SPDX-License-Identifier: MIT */
#include "tools/play/sheet.h"

#include <string.h>
#include <unistd.h>

#define COLUMNS 4
#define CELL_LIMIT 8
#define CELL_WIDTH 320

sn_result sn_sheet_init(int frame_count, int width, int height, sn_arena *arena, sn_sheet *sheet)
{
    const int cell_width = width < CELL_WIDTH ? width : CELL_WIDTH;
    const int cell_height = height * cell_width / width > 0 ? height * cell_width / width : 1;
    const int cells = frame_count < CELL_LIMIT ? frame_count : CELL_LIMIT;
    *sheet = (sn_sheet){.frame_count = frame_count,
                        .width = width,
                        .height = height,
                        .cell_width = cell_width,
                        .cell_height = cell_height,
                        .cell_count = cells,
                        .columns = COLUMNS};
    sheet->image.width = COLUMNS * cell_width;
    sheet->image.height = (cells + COLUMNS - 1) / COLUMNS * cell_height;
    sheet->image.pixels = sn_arena_alloc(arena, (size_t)sheet->image.width * (size_t)sheet->image.height, 4);
    if (!sheet->image.pixels) {
        return SN_ERROR_MEMORY;
    }
    memset(sheet->image.pixels, 255, (size_t)sheet->image.width * (size_t)sheet->image.height * 4);
    return SN_OK;
}

/* Box filter: the mean of the pixels that map to one pixel of the small picture. */
static void shrink_pixel(const sn_sheet *s, const uint8_t *pixels, int x, int y, uint8_t *result)
{
    const int left = x * s->width / s->cell_width, right = (x + 1) * s->width / s->cell_width;
    const int top = y * s->height / s->cell_height, bottom = (y + 1) * s->height / s->cell_height;
    const int count = (right - left) * (bottom - top);
    for (int channel = 0; channel < 3; ++channel) {
        int sum = count / 2;
        for (int row = top; row < bottom; ++row) {
            for (int column = left; column < right; ++column) {
                sum += pixels[4 * ((size_t)row * (size_t)s->width + (size_t)column) + (size_t)channel];
            }
        }
        result[channel] = (uint8_t)(sum / count);
    }
}

void sn_sheet_add(sn_sheet *s, int frame, const uint8_t *pixels)
{
    for (int cell = 0; cell < s->cell_count; ++cell) {
        if (frame != (int)((int64_t)(2 * cell + 1) * s->frame_count / (2 * s->cell_count))) {
            continue;
        }
        const int left = cell % s->columns * s->cell_width, top = cell / s->columns * s->cell_height;
        for (int y = 0; y < s->cell_height; ++y) {
            for (int x = 0; x < s->cell_width; ++x) {
                const size_t at = (size_t)(top + y) * (size_t)s->image.width + (size_t)(left + x);
                shrink_pixel(s, pixels, x, y, s->image.pixels + 4 * at);
            }
        }
    }
}

sn_result sn_sheet_write(const sn_sheet *sheet, const char *path, sn_arena *arena)
{
    sn_source source;
    sn_image existing = {0, 0, NULL}, combined = sheet->image;
    if (access(path, F_OK) == 0) {
        sn_result result = sn_source_read_output(path, arena, &source);
        if (result == SN_OK) {
            result = sn_png_read(&source, arena, &existing);
        }
        if (result != SN_OK) {
            return result;
        }
    }
    if (existing.width == combined.width && existing.height + combined.height <= SN_IMAGE_LIMIT) {
        const size_t row = 4 * (size_t)combined.width;
        combined.height += existing.height;
        combined.pixels = sn_arena_alloc(arena, (size_t)combined.height, row);
        if (!combined.pixels) {
            return SN_ERROR_MEMORY;
        }
        memcpy(combined.pixels, existing.pixels, row * (size_t)existing.height);
        memcpy(combined.pixels + row * (size_t)existing.height, sheet->image.pixels, row * (size_t)sheet->image.height);
    }
    return sn_png_write(path, &combined, true);
}
