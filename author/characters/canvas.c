/* SPDX-License-Identifier: MIT */
#include "author/characters/canvas.h"

#include <math.h>

#define CURVE_STEPS 10
#define SHADE_DEPTH 0.22 /* fraction of the shape's height */

sn_result sn_canvas_start(sn_arena *arena, int width, int height, sn_canvas *canvas)
{
    canvas->piece_count = canvas->part = 0;
    canvas->image = (sn_image){width, height, SN_NEW(arena, uint8_t, 4 * (size_t)width * (size_t)height)};
    return canvas->image.pixels ? SN_OK : SN_ERROR_MEMORY;
}

void sn_canvas_stroke(sn_canvas *canvas, double ax, double ay, double radius_a, double bx, double by, double radius_b)
{
    SN_ASSERT(canvas->piece_count < SN_CANVAS_PIECE_LIMIT);
    canvas->pieces[canvas->piece_count++] =
        (sn_canvas_piece){.a = {ax, ay}, .b = {bx, by}, .radii = {radius_a, radius_b}, .part = canvas->part++};
}

void sn_canvas_ellipse(sn_canvas *canvas, double x, double y, double half_width, double half_height)
{
    SN_ASSERT(canvas->piece_count < SN_CANVAS_PIECE_LIMIT);
    canvas->pieces[canvas->piece_count++] =
        (sn_canvas_piece){.a = {x, y}, .b = {half_width, half_height}, .is_ellipse = true, .part = canvas->part++};
}

/* Interpolates between p1 and p2. */
static double catmull_rom(double p0, double p1, double p2, double p3, double t)
{
    return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}

void sn_canvas_curve(sn_canvas *canvas, const double *points, int count)
{
    const int part = canvas->part;
    double last[3] = {points[0], points[1], points[2]};
    for (int i = 0; i + 1 < count; ++i) {
        const double *p[4] = {points + 3 * (i > 0 ? i - 1 : 0), points + 3 * i, points + 3 * (i + 1),
                              points + 3 * (i + 2 < count ? i + 2 : count - 1)};
        for (int step = 1; step <= CURVE_STEPS; ++step) {
            double point[3];
            for (int d = 0; d < 3; ++d) {
                point[d] = catmull_rom(p[0][d], p[1][d], p[2][d], p[3][d], (double)step / CURVE_STEPS);
            }
            point[2] = fmax(point[2], 0);
            sn_canvas_stroke(canvas, last[0], last[1], last[2], point[0], point[1], point[2]);
            canvas->pieces[canvas->piece_count - 1].part = part;
            for (int d = 0; d < 3; ++d) {
                last[d] = point[d];
            }
        }
    }
}

static double piece_distance(const sn_canvas_piece *p, double x, double y)
{
    if (p->is_ellipse) {
        const double u = (x - p->a[0]) / p->b[0], v = (y - p->a[1]) / p->b[1];
        const double first = sqrt(u * u + v * v), gradient_length = hypot(u / p->b[0], v / p->b[1]);
        return gradient_length > 0 ? first * (first - 1) / gradient_length : -fmin(p->b[0], p->b[1]);
    }
    /* the cone tangent to both circles, or the larger circle if it contains the other */
    const double length = hypot(p->b[0] - p->a[0], p->b[1] - p->a[1]), taper = p->radii[0] - p->radii[1];
    if (length <= fabs(taper)) {
        return taper > 0 ? hypot(x - p->a[0], y - p->a[1]) - p->radii[0]
                         : hypot(x - p->b[0], y - p->b[1]) - p->radii[1];
    }
    const double along[2] = {(p->b[0] - p->a[0]) / length, (p->b[1] - p->a[1]) / length};
    const double u = (x - p->a[0]) * along[0] + (y - p->a[1]) * along[1];
    const double v = fabs((x - p->a[0]) * along[1] - (y - p->a[1]) * along[0]);
    const double sine = taper / length, cosine = sqrt(1 - sine * sine), axial = cosine * u - sine * v;
    if (axial < 0) {
        return hypot(u, v) - p->radii[0];
    }
    return axial > cosine * length ? hypot(u - length, v) - p->radii[1] : cosine * v + sine * u - p->radii[0];
}

/* Computes the bounding box of the shape, including blending, and those of its pieces. */
static void shape_box(sn_canvas *canvas, double blend, double *low, double *high)
{
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int i = 0; i < canvas->piece_count; ++i) {
        sn_canvas_piece *p = &canvas->pieces[i];
        for (int d = 0; d < 2; ++d) {
            p->low[d] = p->is_ellipse ? p->a[d] - p->b[d] : fmin(p->a[d] - p->radii[0], p->b[d] - p->radii[1]);
            p->high[d] = p->is_ellipse ? p->a[d] + p->b[d] : fmax(p->a[d] + p->radii[0], p->b[d] + p->radii[1]);
            low[d] = fmin(low[d], p->low[d] - blend);
            high[d] = fmax(high[d], p->high[d] + blend);
        }
    }
}

/* Polynomial smooth minimum. */
static double smooth_union(double first, double second, double blend)
{
    const double gap =
        blend > 0 && isfinite(first) && isfinite(second) ? fmax(blend - fabs(first - second), 0) / blend : 0;
    return fmin(first, second) - gap * gap * blend / 4;
}

/* Returns the distance to the shape; exact below `max_distance`, which must be at least the blend distance. */
static double shape_distance(const sn_canvas *canvas, double blend, double max_distance, double x, double y)
{
    double distance = INFINITY, part_distance = INFINITY;
    for (int i = 0; i < canvas->piece_count; ++i) {
        const sn_canvas_piece *p = &canvas->pieces[i];
        if (i > 0 && p->part != p[-1].part) {
            distance = smooth_union(distance, part_distance, blend);
            part_distance = INFINITY;
        }
        if (x >= p->low[0] - max_distance && x <= p->high[0] + max_distance && y >= p->low[1] - max_distance &&
            y <= p->high[1] + max_distance) {
            part_distance = fmin(part_distance, piece_distance(p, x, y));
        }
    }
    return smooth_union(distance, part_distance, blend);
}

static double channel(unsigned color, int k)
{
    return (color >> (16 - 8 * k)) & 255;
}

static void blend_pixel(uint8_t *pixel, const double *color, double coverage, bool is_clipped)
{
    const double under = pixel[3] / 255.0, added = is_clipped ? coverage * under : coverage;
    const double remaining = under * (1 - added), alpha = is_clipped ? under : added + remaining;
    for (int k = 0; k < 3 && added > 0; ++k) {
        const double sum = is_clipped ? coverage * color[k] + (1 - coverage) * pixel[k]
                                      : (added * color[k] + remaining * pixel[k]) / alpha;
        pixel[k] = (uint8_t)lrint(fmin(fmax(sum, 0), 255));
    }
    pixel[3] = (uint8_t)lrint(255 * alpha);
}

void sn_canvas_paint(sn_canvas *canvas, const sn_canvas_style *s)
{
    double low[2], high[2];
    shape_box(canvas, s->blend, low, high);
    const double height = high[1] - low[1] - 2 * s->blend;
    const double depth = SHADE_DEPTH * height, max_distance = fmax(s->blend + 1, s->shade > 0 ? depth : 0);
    for (int y = (int)fmax(low[1], 0); y < canvas->image.height && y < high[1] + 1; ++y) {
        for (int x = (int)fmax(low[0], 0); x < canvas->image.width && x < high[0] + 1; ++x) {
            const double distance = shape_distance(canvas, s->blend, s->blend + 1, x + 0.5, y + 0.5);
            const double coverage = fmin(fmax(0.5 - distance, 0), 1);
            if (coverage <= 0) {
                continue;
            }
            const double down = fmin(fmax((y + 0.5 - low[1] - s->blend) / height, 0), 1);
            const double ink = s->outline_width > 0 ? fmin(fmax(distance + s->outline_width + 0.5, 0), 1) : 0;
            /* points near an edge below them are shaded */
            const double below =
                s->shade > 0 ? shape_distance(canvas, s->blend, max_distance, x + 0.5, y + 0.5 + depth) : -INFINITY;
            const double dark = 1 - s->shade * fmin(fmax(below / depth + 0.5, 0), 1);
            double color[3];
            for (int k = 0; k < 3; ++k) {
                const double fill = (channel(s->top, k) * (1 - down) + channel(s->bottom, k) * down) * dark;
                color[k] = fill * (1 - ink) + channel(s->outline, k) * ink;
            }
            blend_pixel(canvas->image.pixels + 4 * ((size_t)y * (size_t)canvas->image.width + (size_t)x), color,
                        coverage, s->is_clipped);
        }
    }
    canvas->piece_count = canvas->part = 0;
}
