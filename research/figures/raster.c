/* SPDX-License-Identifier: MIT */
/* Meshes of thousands of triangles, which would be too many paths of an SVG, as pixels. */
#include <math.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/math/vec3.h"
#include "research/figures/pictures.h"

#define SAMPLES 3 /* a pixel, along each side */

typedef struct raster {
    const sn_raster_desc *desc;
    double rows[3][3], scale;
    int width, height; /* in samples */
    double *seen;      /* (vertex_count x 3) in samples, and towards the eye */
    double *normals;   /* (vertex_count x 3) */
    double *depths;    /* (height x width) */
    uint8_t *samples;  /* (height x width x 3) */
} raster;

static bool allocate(raster *r, sn_arena *arena)
{
    const size_t n = (size_t)r->desc->vertex_count, area = (size_t)r->width * (size_t)r->height;
    r->seen = SN_NEW(arena, double, 3 * n);
    r->normals = SN_NEW(arena, double, 3 * n);
    r->depths = SN_NEW(arena, double, area);
    r->samples = SN_NEW(arena, uint8_t, 3 * area);
    for (size_t i = 0; r->depths && i < area; ++i) {
        r->depths[i] = -INFINITY;
    }
    if (r->samples) {
        memset(r->samples, 255, 3 * area);
    }
    return r->seen && r->normals && r->depths && r->samples;
}

static void see(const raster *r, const double *point, double *seen)
{
    seen[0] = 0.5 * r->width + r->scale * sn_dot3(r->rows[0], point);
    seen[1] = 0.5 * r->height - r->scale * sn_dot3(r->rows[1], point);
    seen[2] = sn_dot3(r->rows[2], point);
}

static void look(raster *r)
{
    const sn_raster_desc *d = r->desc;
    const double c = cos(d->yaw), s = sin(d->yaw), p = cos(d->pitch), q = sin(d->pitch);
    const double rows[3][3] = {{c, 0, -s}, {-s * q, p, -c * q}, {s * p, q, c * p}};
    memcpy(r->rows, rows, sizeof rows);
    r->scale = 0.5 * r->height / d->radius;
    for (int v = 0; v < d->vertex_count; ++v) {
        see(r, d->positions + 3 * v, r->seen + 3 * (size_t)v);
    }
}

/* In the camera's axes, weighted by area. */
static void find_normals(raster *r)
{
    const sn_raster_desc *d = r->desc;
    for (int t = 0; t < d->triangle_count; ++t) {
        const int32_t *tri = d->triangles + 3 * t;
        double a[3], b[3], normal[3];
        sn_subtract3(d->positions + 3 * (size_t)tri[1], d->positions + 3 * (size_t)tri[0], a);
        sn_subtract3(d->positions + 3 * (size_t)tri[2], d->positions + 3 * (size_t)tri[0], b);
        sn_cross3(a, b, normal);
        for (int i = 0; i < 9; ++i) {
            r->normals[3 * (size_t)tri[i / 3] + (size_t)(i % 3)] += sn_dot3(r->rows[i % 3], normal);
        }
    }
}

static void paint(const raster *r, int triangle, const double *shares, uint8_t *sample)
{
    static const double light[3] = {-0.37, 0.62, 0.69}, low[3] = {40, 130, 220}, high[3] = {235, 105, 15};
    const sn_raster_desc *d = r->desc;
    const int32_t *tri = d->triangles + 3 * triangle;
    double normal[3] = {0}, value = 0, tone[3] = {150, 175, 200};
    for (int corner = 0; corner < 3; ++corner) {
        for (int i = 0; i < 3; ++i) {
            normal[i] += shares[corner] * r->normals[3 * tri[corner] + i];
        }
        value += d->values ? shares[corner] * d->values[tri[corner]] : 0;
    }
    const double size = fmax(sn_length3(normal), 1e-300);
    const double shade = 0.5 + 0.5 * fmax(0, sn_dot3(normal, light) / size);
    const uint64_t hash = d->groups ? sn_hash(0, &d->groups[triangle], sizeof *d->groups) : 0;
    for (int i = 0; i < 3; ++i) {
        if (d->values) {
            const double share = fmin(fabs(value), 1);
            tone[i] = (1 - share) * 240 + share * (value < 0 ? low : high)[i];
        } else if (d->groups) {
            tone[i] = 70 + (double)(hash >> 8 * i & 255) * 170 / 255;
            tone[i] = d->lines ? 110 + 0.6 * tone[i] : tone[i]; /* lighter than they */
        }
        sample[i] = (uint8_t)(shade * tone[i]);
    }
}

static double cross2(const double *a, const double *b, double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static void fill(raster *r, int triangle)
{
    const int32_t *tri = r->desc->triangles + 3 * triangle;
    const double *p[3] = {r->seen + 3 * (size_t)tri[0], r->seen + 3 * (size_t)tri[1], r->seen + 3 * (size_t)tri[2]};
    const double area = cross2(p[0], p[1], p[2][0], p[2][1]);
    const int left = (int)fmax(0, floor(fmin(p[0][0], fmin(p[1][0], p[2][0]))));
    const int top = (int)fmax(0, floor(fmin(p[0][1], fmin(p[1][1], p[2][1]))));
    const int right = (int)fmin(r->width - 1, ceil(fmax(p[0][0], fmax(p[1][0], p[2][0]))));
    const int bottom = (int)fmin(r->height - 1, ceil(fmax(p[0][1], fmax(p[1][1], p[2][1]))));
    if (!(area < 0)) {
        return; /* seen from behind: y points down */
    }
    for (int y = top; y <= bottom; ++y) {
        for (int x = left; x <= right; ++x) {
            const double at[2] = {x + 0.5, y + 0.5};
            const double shares[3] = {cross2(p[1], p[2], at[0], at[1]) / area, cross2(p[2], p[0], at[0], at[1]) / area,
                                      cross2(p[0], p[1], at[0], at[1]) / area};
            const double depth = shares[0] * p[0][2] + shares[1] * p[1][2] + shares[2] * p[2][2];
            const size_t sample = (size_t)y * (size_t)r->width + (size_t)x;
            if (fmin(shares[0], fmin(shares[1], shares[2])) >= 0 && depth > r->depths[sample]) {
                r->depths[sample] = depth;
                paint(r, triangle, shares, r->samples + 3 * sample);
            }
        }
    }
}

/* A pixel wide; a line on the surface is as deep as that, so it is taken a little nearer. */
static void draw_line(raster *r, const double *ends)
{
    double a[3], b[3];
    see(r, ends, a);
    see(r, ends + 3, b);
    const int steps = 1 + (int)fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
    for (int i = 0; i <= steps * SAMPLES * SAMPLES; ++i) {
        const double t = (double)(i / (SAMPLES * SAMPLES)) / steps;
        const int x = (int)(a[0] + t * (b[0] - a[0])) + i % SAMPLES - SAMPLES / 2;
        const int y = (int)(a[1] + t * (b[1] - a[1])) + i / SAMPLES % SAMPLES - SAMPLES / 2;
        const double depth = a[2] + t * (b[2] - a[2]) + 0.012 * r->desc->radius;
        if (x >= 0 && x < r->width && y >= 0 && y < r->height && depth > r->depths[y * r->width + x]) {
            memset(r->samples + 3 * (size_t)(y * r->width + x), 40, 3);
        }
    }
}

/* The mean of a pixel's samples. */
static void resolve(const raster *r, sn_picture *picture)
{
    for (int i = 0; i < 4 * picture->width * picture->height; ++i) {
        const int x = i / 4 % picture->width, y = i / 4 / picture->width, channel = i % 4;
        unsigned sum = 0;
        for (int k = 0; k < SAMPLES * SAMPLES && channel < 3; ++k) {
            const int at = (SAMPLES * y + k / SAMPLES) * r->width + SAMPLES * x + k % SAMPLES;
            sum += r->samples[3 * at + channel];
        }
        picture->pixels[i] = (uint8_t)(channel < 3 ? sum / (SAMPLES * SAMPLES) : 255);
    }
}

sn_result sn_raster_draw(const sn_raster_desc *desc, sn_arena *arena, sn_picture *picture)
{
    raster r = {.desc = desc, .width = SAMPLES * desc->width, .height = SAMPLES * desc->height};
    sn_arena scratch = {0};
    *picture = (sn_picture){.width = desc->width, .height = desc->height};
    picture->pixels = SN_NEW(arena, uint8_t, 4 * desc->width * desc->height);
    const bool is_made = picture->pixels && allocate(&r, &scratch);
    if (is_made) {
        look(&r);
        find_normals(&r);
        for (int t = 0; t < desc->triangle_count; ++t) {
            fill(&r, t);
        }
        for (int i = 0; i < desc->line_count; ++i) {
            draw_line(&r, desc->lines + 6 * (size_t)i);
        }
        resolve(&r, picture);
    }
    sn_arena_finish(&scratch);
    return is_made ? SN_OK : SN_ERROR_MEMORY;
}
