/* SPDX-License-Identifier: MIT */
#include "research/figures/pictures.h"

#include <stdio.h>

#include "author/io/image/png.h"
#include "research/figures/svg.h"

#define GAP 6
#define CAPTION 22

static void put_base64(FILE *file, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned left = size - i < 3 ? (unsigned)(size - i) : 3;
        unsigned word = 0;
        for (unsigned k = 0; k < 3; ++k) {
            word = word << 8 | (k < left ? bytes[i + k] : 0);
        }
        for (unsigned k = 0; k < 4; ++k) {
            fputc(k <= left ? digits[word >> (18 - 6 * k) & 63] : '=', file);
        }
    }
}

static sn_result put_picture(sn_svg *svg, const sn_picture *picture, int x, int y)
{
    const sn_image image = {picture->width, picture->height, picture->pixels};
    sn_arena arena = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    const sn_result result = sn_png_encode(svg->path, &image, true, &arena, &bytes, &size);
    if (result == SN_OK) {
        fprintf(svg->file, "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" href=\"data:image/png;base64,", x, y,
                picture->width, picture->height);
        put_base64(svg->file, bytes, size);
        fputs("\"/>\n", svg->file);
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_pictures_write(const char *path, const sn_picture *pictures, int picture_count, int column_count)
{
    const int width = pictures->width + GAP, height = pictures->height + CAPTION + GAP;
    const int rows = (picture_count + column_count - 1) / column_count;
    sn_svg svg;
    sn_result result = sn_svg_open(&svg, path, column_count * width + GAP, rows * height + GAP);
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < picture_count && result == SN_OK; ++i) {
        const int x = GAP + i % column_count * width, y = GAP + i / column_count * height;
        const sn_svg_text below = {
            .x = x + 0.5 * pictures[i].width, .y = y + pictures[i].height + 15, .size = 12, .anchor = SN_ANCHOR_MIDDLE};
        result = put_picture(&svg, &pictures[i], x, y);
        sn_svg_text_at(&svg, &below, pictures[i].caption);
    }
    const sn_result closed = sn_svg_close(&svg);
    return result == SN_OK ? closed : result;
}
