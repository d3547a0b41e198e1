/* SPDX-License-Identifier: MIT */
#include "author/characters/paint.h"

#include <string.h>

#include "host/math/smoothstep.h"
#include "host/math/vec3.h"

#define BORDER_TEXELS 10 /* texels by which chart borders are extended */
#define OPENNESS_SAMPLES 5

void sn_paint_over(double color[3], unsigned rgb, double amount)
{
    const double weight = fmin(fmax(amount, 0), 1);
    for (int k = 0; k < 3; ++k) {
        color[k] += ((double)(rgb >> (16 - 8 * k) & 255) / 255 - color[k]) * weight;
    }
}

double sn_paint_step(double a, double b, double x)
{
    return sn_smoothstep(a, b, x);
}

double sn_paint_spot(const double position[3], const double center[3], const double radii[3], double softness)
{
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double offset = (position[d] - center[d]) / radii[d];
        square += offset * offset;
    }
    return sn_paint_step(1 + softness / 2, 1 - softness / 2, sqrt(square));
}

double sn_paint_openness(const sn_shape *shape, const double position[3], const double normal[3], double max_distance)
{
    double occlusion = 0, total = 0;
    for (int i = 1; i <= OPENNESS_SAMPLES; ++i) {
        const double along = max_distance * i / OPENNESS_SAMPLES, weight = 1.0 / i;
        double point[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = position[d] + along * normal[d];
        }
        occlusion += weight * fmax(along - sn_shape_distance(shape, point), 0) / along;
        total += weight;
    }
    return 1 - occlusion / total;
}

typedef struct bake {
    const sn_shape_surface *surface;
    const sn_atlas *atlas;
    sn_paint_function *paint;
    const void *user;
    uint8_t *pixels;
} bake;

static void paint_texel(const bake *b, const int32_t *corners, const double weight[3], uint8_t *pixel)
{
    static const double up[3] = {0, 1, 0};
    double position[3] = {0}, normal[3] = {0}, color[3] = {1, 1, 1};
    for (int k = 0; k < 3; ++k) {
        const size_t source = 3 * (size_t)b->atlas->sources[corners[k]];
        for (size_t d = 0; d < 3; ++d) {
            position[d] += weight[k] * b->surface->positions[source + d];
            normal[d] += weight[k] * b->surface->normals[source + d];
        }
    }
    sn_normalize3(normal, up);
    b->paint(b->user, position, normal, color);
    for (int k = 0; k < 3; ++k) {
        pixel[k] = (uint8_t)(fmin(fmax(color[k], 0), 1) * 255 + 0.5);
    }
    pixel[3] = 255;
}

static double edge_function(const double a[2], const double b[2], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static void paint_triangle(const bake *b, const int32_t *corners)
{
    const int size = b->atlas->size;
    double at[3][2], low[2] = {1e9, 1e9}, high[2] = {-1, -1};
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 2; ++d) {
            at[k][d] = (double)b->atlas->uvs[2 * (size_t)corners[k] + (size_t)d] * size - 0.5;
            low[d] = fmin(low[d], at[k][d]);
            high[d] = fmax(high[d], at[k][d]);
        }
    }
    const double area = edge_function(at[0], at[1], at[2][0], at[2][1]);
    if (fabs(area) < 1e-9) {
        return;
    }
    for (int y = (int)fmax(ceil(low[1]), 0); y <= (int)fmin(high[1], size - 1); ++y) {
        for (int x = (int)fmax(ceil(low[0]), 0); x <= (int)fmin(high[0], size - 1); ++x) {
            const double weight[3] = {edge_function(at[1], at[2], x, y) / area,
                                      edge_function(at[2], at[0], x, y) / area,
                                      edge_function(at[0], at[1], x, y) / area};
            if (weight[0] >= -1e-9 && weight[1] >= -1e-9 && weight[2] >= -1e-9) {
                paint_texel(b, corners, weight, b->pixels + 4 * ((size_t)y * (size_t)size + (size_t)x));
            }
        }
    }
}

/* Fills a texel with the mean of its painted neighbours. Alpha is nonzero for painted texels. */
static void extend_texel(const uint8_t *from, uint8_t *to, int size, int x, int y)
{
    int sums[3] = {0}, count = 0;
    for (int i = 0; i < 9; ++i) {
        const int u = x + i % 3 - 1, v = y + i / 3 - 1;
        if (u < 0 || v < 0 || u >= size || v >= size) {
            continue;
        }
        const uint8_t *neighbour = from + 4 * ((size_t)v * (size_t)size + (size_t)u);
        for (int k = 0; k < 3 && neighbour[3]; ++k) {
            sums[k] += neighbour[k];
        }
        count += neighbour[3] != 0;
    }
    uint8_t *pixel = to + 4 * ((size_t)y * (size_t)size + (size_t)x);
    for (int k = 0; k < 3 && count > 0; ++k) {
        pixel[k] = (uint8_t)((sums[k] + count / 2) / count);
    }
    if (count > 0) {
        pixel[3] = 255;
    }
}

static void extend_borders(uint8_t *pixels, uint8_t *copy, int size)
{
    for (int round = 0; round < BORDER_TEXELS; ++round) {
        memcpy(copy, pixels, 4 * (size_t)size * (size_t)size);
        for (int i = 0; i < size * size; ++i) {
            if (copy[4 * (size_t)i + 3] == 0) {
                extend_texel(copy, pixels, size, i % size, i / size);
            }
        }
    }
}

/* Fills unused texels with the mean colour, which minimizes bleeding in mipmaps. */
static void fill_unused(uint8_t *pixels, size_t count)
{
    uint64_t sums[4] = {0};
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            sums[k] += pixels[4 * i + 3] ? pixels[4 * i + k] : 0;
        }
        sums[3] += pixels[4 * i + 3] != 0;
    }
    const uint64_t painted = sums[3] > 0 ? sums[3] : 1;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 3 && pixels[4 * i + 3] == 0; ++k) {
            pixels[4 * i + k] = (uint8_t)(sums[k] / painted);
        }
        pixels[4 * i + 3] = 255;
    }
}

sn_result sn_paint_bake(const sn_shape_surface *surface, const sn_atlas *atlas, sn_paint_function *paint,
                        const void *user, sn_arena *arena, uint8_t **pixels)
{
    sn_arena scratch = {0};
    const size_t count = (size_t)atlas->size * (size_t)atlas->size;
    uint8_t *copy = SN_NEW(&scratch, uint8_t, 4 * count);
    *pixels = SN_NEW(arena, uint8_t, 4 * count);
    const bool is_ok = copy && *pixels;
    if (is_ok) {
        const bake b = {surface, atlas, paint, user, *pixels};
        for (int t = 0; t < surface->triangle_count; ++t) {
            paint_triangle(&b, atlas->triangles + 3 * (size_t)t);
        }
        extend_borders(*pixels, copy, atlas->size);
        fill_unused(*pixels, count);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
