/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "author/import/drawing.h"

/* Margin around a triangle's pixels, and the alignment of patches: with 4 pixels, patches share the picture's first
 * three mip levels. */
#define MARGIN 4

/* Half-open, in canvas pixels. */
typedef struct box {
    int low[2], high[2];
} box;

typedef struct builder {
    const sn_image *picture;
    const sn_picture_mesh *mesh;
    int origin[2]; /* of the canvas, in picture pixels */
    int width, height;
    box *sources;              /* (triangle_count) source rectangle of each patch on the canvas */
    int (*patch_positions)[2]; /* (triangle_count) patch position; x = -1: no patch */
    sn_image *canvas;
    float *uvs;
    sn_arena *scratch;
} builder;

static int floor_to_margin(double value)
{
    return (int)floor(value / MARGIN) * MARGIN;
}

static box triangle_box(const builder *b, int t)
{
    box result = {{0, 0}, {0, 0}};
    for (int d = 0; d < 2; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            const double at = b->mesh->positions[2 * b->mesh->triangles[3 * t + k] + d] - b->origin[d];
            low = fmin(low, at);
            high = fmax(high, at);
        }
        result.low[d] = floor_to_margin(low - MARGIN);
        result.high[d] = floor_to_margin(high + 2 * MARGIN);
    }
    return result;
}

static void find_canvas(builder *b)
{
    for (int d = 0; d < 2; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < b->mesh->vertex_count; ++v) {
            low = fmin(low, b->mesh->positions[2 * v + d]);
            high = fmax(high, b->mesh->positions[2 * v + d]);
        }
        b->origin[d] = (int)floor(low) - 2 * MARGIN;
        const int size = floor_to_margin(high - b->origin[d] + 3 * MARGIN);
        *(d == 0 ? &b->width : &b->height) = size;
    }
}

/* Packs the patches on shelves below the picture. */
static sn_result pack_patches(builder *b, const char *name)
{
    int x = 0, shelf = b->height, next_shelf = shelf;
    for (int t = 0; t < b->mesh->triangle_count; ++t) {
        b->patch_positions[t][0] = -1;
        if (!sn_picture_is_shared(b->mesh, t)) {
            continue;
        }
        b->sources[t] = triangle_box(b, t);
        const int width = b->sources[t].high[0] - b->sources[t].low[0];
        const int height = b->sources[t].high[1] - b->sources[t].low[1];
        if (x + width > b->width) {
            x = 0;
            shelf = next_shelf;
        }
        b->patch_positions[t][0] = x;
        b->patch_positions[t][1] = shelf;
        x += width;
        next_shelf = shelf + height > next_shelf ? shelf + height : next_shelf;
        if (next_shelf > SN_IMAGE_LIMIT) {
            break;
        }
    }
    b->height = next_shelf;
    return b->width <= SN_IMAGE_LIMIT && b->height <= SN_IMAGE_LIMIT
               ? SN_OK
               : sn_fail(SN_ERROR_UNSUPPORTED,
                         "%s: pixels: the drawing has too many gaps and islands; use fewer --vertices or a simpler %s",
                         name, "mask");
}

static void copy_pixel(const builder *b, int x, int y, int to_x, int to_y)
{
    const int from_x = x + b->origin[0], from_y = y + b->origin[1];
    if (from_x >= 0 && from_y >= 0 && from_x < b->picture->width && from_y < b->picture->height) {
        memcpy(b->canvas->pixels + 4 * ((size_t)to_y * (size_t)b->width + (size_t)to_x),
               b->picture->pixels + 4 * ((size_t)from_y * (size_t)b->picture->width + (size_t)from_x), 4);
    }
}

/* ---- patches ---- */

enum { UNKNOWN, SELF, OTHER };

static void label_segments(const builder *b, int t, const box *source, uint8_t value, uint8_t *labels)
{
    const int width = source->high[0] - source->low[0];
    for (int i = b->mesh->segment_starts[t]; i < b->mesh->segment_starts[t + 1]; ++i) {
        const sn_picture_segment *s = &b->mesh->segments[i];
        const int y = s->row - b->origin[1] - source->low[1], x = s->first - b->origin[0] - source->low[0];
        if (y >= 0 && y < source->high[1] - source->low[1]) {
            for (int at = x > 0 ? x : 0; at <= x + s->last - s->first && at < width; ++at) {
                labels[y * width + at] = value;
            }
        }
    }
}

/* Labels every pixel by its nearest labelled pixel (breadth first), so that partly transparent edges are included. */
static void spread_labels(int width, int height, uint8_t *labels, int32_t *queue)
{
    int count = 0;
    for (int i = 0; i < width * height; ++i) {
        if (labels[i] != UNKNOWN) {
            queue[count++] = i;
        }
    }
    for (int next = 0; next < count; ++next) {
        const int x = queue[next] % width, y = queue[next] / width;
        const int neighbours[4][2] = {{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}};
        for (int k = 0; k < 4; ++k) {
            const int *n = neighbours[k];
            if (n[0] >= 0 && n[1] >= 0 && n[0] < width && n[1] < height && labels[n[1] * width + n[0]] == UNKNOWN) {
                labels[n[1] * width + n[0]] = labels[queue[next]];
                queue[count++] = n[1] * width + n[0];
            }
        }
    }
}

static sn_result fill_patch(const builder *b, int t)
{
    const sn_picture_mesh *m = b->mesh;
    const box *source = &b->sources[t];
    const int width = source->high[0] - source->low[0], height = source->high[1] - source->low[1];
    const size_t count = (size_t)width * (size_t)height;
    sn_arena scratch = {0};
    uint8_t *labels = SN_NEW(&scratch, uint8_t, count);
    int32_t *queue = SN_NEW(&scratch, int32_t, count);
    if (!labels || !queue) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    int first = t, end = t + 1;
    while (first > 0 && m->cells[first - 1] == m->cells[t]) {
        --first;
    }
    while (end < m->triangle_count && m->cells[end] == m->cells[t]) {
        ++end;
    }
    for (int other = first; other < end; ++other) {
        label_segments(b, other, source, OTHER, labels);
    }
    label_segments(b, t, source, SELF, labels); /* last, since pixels at corners may belong to both */
    spread_labels(width, height, labels, queue);
    for (int i = 0; i < width * height; ++i) {
        const int x = i % width, y = i / width;
        if (labels[i] == SELF) {
            copy_pixel(b, source->low[0] + x, source->low[1] + y, b->patch_positions[t][0] + x,
                       b->patch_positions[t][1] + y);
        }
    }
    sn_arena_finish(&scratch);
    return SN_OK;
}

/* ---- colors of transparent pixels ---- */

/* Halves the image; each pixel is the alpha-weighted mean of four. */
static void shrink(const sn_image *from, sn_image *to)
{
    for (int y = 0; y < to->height; ++y) {
        for (int x = 0; x < to->width; ++x) {
            unsigned sum[3] = {0, 0, 0}, weight = 0;
            for (int i = 0; i < 4; ++i) {
                const int from_x = 2 * x + i % 2, from_y = 2 * y + i / 2;
                if (from_x < from->width && from_y < from->height) {
                    const uint8_t *p = from->pixels + 4 * ((size_t)from_y * (size_t)from->width + (size_t)from_x);
                    for (int k = 0; k < 3; ++k) {
                        sum[k] += (unsigned)p[k] * p[3];
                    }
                    weight += p[3];
                }
            }
            uint8_t *p = to->pixels + 4 * ((size_t)y * (size_t)to->width + (size_t)x);
            for (int k = 0; k < 3 && weight > 0; ++k) {
                p[k] = (uint8_t)((sum[k] + weight / 2) / weight);
            }
            p[3] = weight > 0 ? UINT8_MAX : 0;
        }
    }
}

/* Fills transparent pixels with the color of the next coarser level. */
static sn_result bleed_colors(sn_image *image, sn_arena *scratch)
{
    if (image->width <= 1 && image->height <= 1) {
        return SN_OK;
    }
    sn_image coarse = {(image->width + 1) / 2, (image->height + 1) / 2, NULL};
    coarse.pixels = SN_NEW(scratch, uint8_t, 4 * (size_t)coarse.width * (size_t)coarse.height);
    if (!coarse.pixels) {
        return SN_ERROR_MEMORY;
    }
    shrink(image, &coarse);
    const sn_result result = bleed_colors(&coarse, scratch);
    for (int y = 0; y < image->height; ++y) {
        for (int x = 0; x < image->width; ++x) {
            uint8_t *p = image->pixels + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            if (p[3] == 0) {
                memcpy(p, coarse.pixels + 4 * ((size_t)(y / 2) * (size_t)coarse.width + (size_t)(x / 2)), 3);
            }
        }
    }
    return result;
}

static void write_uvs(const builder *b)
{
    for (int t = 0; t < b->mesh->triangle_count; ++t) {
        for (int i = 0; i < 6; ++i) {
            const int d = i % 2;
            const int shift = b->patch_positions[t][0] < 0 ? 0 : b->patch_positions[t][d] - b->sources[t].low[d];
            const double at = b->mesh->positions[2 * b->mesh->triangles[3 * t + i / 2] + d] - b->origin[d] + shift;
            b->uvs[6 * t + i] = (float)(at / (d == 0 ? b->width : b->height));
        }
    }
}

static sn_result build(builder *b, const char *name, sn_arena *arena, sn_drawing_texture *texture)
{
    const size_t t_count = (size_t)b->mesh->triangle_count;
    b->sources = SN_NEW(b->scratch, box, t_count);
    b->patch_positions = sn_arena_alloc(b->scratch, t_count, sizeof *b->patch_positions);
    b->uvs = texture->uvs = SN_NEW(arena, float, 6 * t_count);
    if (!b->sources || !b->patch_positions || !b->uvs) {
        return SN_ERROR_MEMORY;
    }
    find_canvas(b);
    const int picture_height = b->height;
    sn_result result = pack_patches(b, name);
    if (result != SN_OK) {
        return result;
    }
    texture->image = (sn_image){b->width, b->height, NULL};
    texture->image.pixels = SN_NEW(arena, uint8_t, 4 * (size_t)b->width * (size_t)b->height);
    if (!texture->image.pixels) {
        return SN_ERROR_MEMORY;
    }
    b->canvas = &texture->image;
    for (int y = 0; y < picture_height; ++y) {
        for (int x = 0; x < b->width; ++x) {
            copy_pixel(b, x, y, x, y);
        }
    }
    for (int t = 0; t < b->mesh->triangle_count && result == SN_OK; ++t) {
        result = b->patch_positions[t][0] >= 0 ? fill_patch(b, t) : SN_OK;
    }
    write_uvs(b);
    return result == SN_OK ? bleed_colors(&texture->image, b->scratch) : result;
}

sn_result sn_drawing_texture_build(const char *name, const sn_image *picture, const sn_picture_mesh *mesh,
                                   sn_arena *arena, sn_drawing_texture *texture)
{
    sn_arena scratch = {0};
    builder b = {.picture = picture, .mesh = mesh, .scratch = &scratch};
    const sn_result result = build(&b, name, arena, texture);
    sn_arena_finish(&scratch);
    return result;
}
