/* SPDX-License-Identifier: MIT */
#include "research/figures/drawing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"
#include "research/figures/svg.h"

#define MARGIN 14
#define CAPTION 24

typedef struct face {
    double points[3][3]; /* in the camera's axes: right, up, towards it */
    double depth, light, value;
} face;

typedef struct frame {
    double rows[3][3];
    double low_of[2], size_of[2]; /* of the shape at hand: shapes share the scale, and the place if the view says so */
    double scale;
    bool is_place_shared;
} frame;

static void look(const sn_drawn_view *view, frame *f)
{
    const double c = cos(view->yaw), s = sin(view->yaw), p = cos(view->pitch), q = sin(view->pitch);
    const double rows[3][3] = {{c, 0, -s}, {-s * q, p, -c * q}, {s * p, q, c * p}};
    for (int i = 0; i < 9; ++i) {
        f->rows[i / 3][i % 3] = rows[i / 3][i % 3];
    }
}

/* The extent of one shape as the camera sees it. */
static void measure(const frame *f, const sn_drawn_shape *shape, double *low, double *high)
{
    low[0] = low[1] = DBL_MAX;
    high[0] = high[1] = -DBL_MAX;
    for (int i = 0; i < 3 * shape->triangle_count; ++i) {
        for (int d = 0; d < 2; ++d) {
            const double at = sn_dot3(f->rows[d], shape->positions + 3 * (size_t)shape->triangles[i]);
            low[d] = fmin(low[d], at);
            high[d] = fmax(high[d], at);
        }
    }
}

static int by_depth(const void *left, const void *right)
{
    const face *a = left, *b = right;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Faces that look at the camera, far ones first. */
static int list_faces(const frame *f, const sn_drawn_shape *shape, face *faces)
{
    int count = 0;
    const double light[3] = {0.37, 0.62, 0.69};
    for (int t = 0; t < shape->triangle_count; ++t) {
        face *made = &faces[count];
        double a[3], b[3], normal[3];
        *made = (face){.value = 0};
        for (int corner = 0; corner < 3; ++corner) {
            const size_t v = (size_t)shape->triangles[3 * t + corner];
            for (int d = 0; d < 3; ++d) {
                made->points[corner][d] = sn_dot3(f->rows[d], shape->positions + 3 * v);
            }
            made->depth += made->points[corner][2] / 3;
            made->value += shape->values ? shape->values[v] / 3 : 0;
        }
        sn_subtract3(made->points[1], made->points[0], a);
        sn_subtract3(made->points[2], made->points[0], b);
        sn_cross3(a, b, normal);
        const double size = sn_length3(normal);
        made->light = size > 0 ? 0.45 + 0.55 * fmax(0, sn_dot3(normal, light) / size) : 1;
        count += normal[2] > 0;
    }
    qsort(faces, (size_t)count, sizeof *faces, by_depth);
    return count;
}

static void draw_face(sn_svg *svg, const frame *f, const face *drawn, bool is_valued, double left, double bottom)
{
    static const double ends[2][3] = {{86, 180, 233}, {230, 110, 20}};
    const double share = is_valued ? fmin(fmax(drawn->value, 0), 1) : 0;
    char style[32];
    int rgb[3];
    for (int d = 0; d < 3; ++d) {
        const double tone = is_valued ? (1 - share) * ends[0][d] + share * ends[1][d] : 150 + 25 * d;
        rgb[d] = (int)(drawn->light * tone);
    }
    snprintf(style, sizeof style, "color=\"#%02x%02x%02x\"", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255,
             (unsigned)rgb[2] & 255);
    sn_svg_path_begin(svg);
    for (int corner = 0; corner < 3; ++corner) {
        sn_svg_path_point(svg, left + (drawn->points[corner][0] - f->low_of[0]) * f->scale,
                          bottom - (drawn->points[corner][1] - f->low_of[1]) * f->scale, corner == 0);
    }
    sn_svg_path_end(svg, style);
}

static void draw_outline(sn_svg *svg, const frame *f, const sn_drawn_shape *shape, const double *corner)
{
    sn_svg_path_begin(svg);
    for (int i = 0; i < shape->outline_count; ++i) {
        if (shape->outline[i] >= 0) {
            const double *at = shape->positions + 3 * (size_t)shape->outline[i];
            sn_svg_path_point(svg, corner[0] + (sn_dot3(f->rows[0], at) - f->low_of[0]) * f->scale,
                              corner[1] - (sn_dot3(f->rows[1], at) - f->low_of[1]) * f->scale,
                              i == 0 || shape->outline[i - 1] < 0);
        }
    }
    sn_svg_path_end(svg, "fill=\"#8ba3bd\" stroke=\"#5f7891\" stroke-linejoin=\"round\"");
}

static void draw_marks(sn_svg *svg, const frame *f, const sn_drawn_shape *shape, const double *corner)
{
    for (int i = 0; i < shape->mark_count; ++i) {
        const double x = corner[0] + (sn_dot3(f->rows[0], shape->marks + 3 * i) - f->low_of[0]) * f->scale;
        const double y = corner[1] - (sn_dot3(f->rows[1], shape->marks + 3 * i) - f->low_of[1]) * f->scale;
        sn_svg_circle(svg, x, y, 3.5,
                      shape->is_filled[i] ? "fill=\"#222\" stroke=\"white\" stroke-width=\"1.2\""
                                          : "fill=\"white\" stroke=\"#222\" stroke-width=\"1.2\"");
    }
}

static sn_result draw_shape(sn_svg *svg, frame *f, const sn_drawn_shape *shape, double left, double top,
                            const double *size)
{
    sn_arena scratch = {0};
    face *faces = SN_NEW(&scratch, face, shape->triangle_count);
    if (!f->is_place_shared) {
        double high[2];
        measure(f, shape, f->low_of, high);
        f->size_of[0] = high[0] - f->low_of[0];
        f->size_of[1] = high[1] - f->low_of[1];
    }
    const double width = f->size_of[0] * f->scale, height = f->size_of[1] * f->scale;
    const double corner[2] = {left + 0.5 * (size[0] - width), top + 0.5 * (size[1] + height)};
    const int count = faces && !shape->outline ? list_faces(f, shape, faces) : 0;
    if (shape->outline) {
        draw_outline(svg, f, shape, corner);
    }
    /* Strokes close the seams between faces. */
    sn_svg_group_begin(svg, "fill=\"currentColor\" stroke=\"currentColor\" stroke-width=\".9\"");
    for (int i = 0; i < count; ++i) {
        draw_face(svg, f, &faces[i], shape->values != NULL, corner[0], corner[1]);
    }
    sn_svg_group_end(svg);
    draw_marks(svg, f, shape, corner);
    sn_svg_text_at(svg, &(sn_svg_text){.x = left + 0.5 * size[0], .y = top + size[1] + 18, .size = 12, .anchor = 1},
                   shape->caption);
    sn_arena_finish(&scratch);
    return faces ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_drawing_write(const char *path, const sn_drawn_view *view, const sn_drawn_shape *shapes, int shape_count)
{
    frame f = {.is_place_shared = view->is_place_shared};
    double widest = 0, highest = 0, all[2][2] = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}};
    look(view, &f);
    for (int i = 0; i < shape_count; ++i) {
        double low[2], high[2];
        measure(&f, &shapes[i], low, high);
        widest = fmax(widest, high[0] - low[0]);
        highest = fmax(highest, high[1] - low[1]);
        for (int d = 0; d < 2; ++d) {
            all[0][d] = fmin(all[0][d], low[d]);
            all[1][d] = fmax(all[1][d], high[d]);
        }
    }
    if (view->is_place_shared) {
        widest = f.size_of[0] = all[1][0] - all[0][0];
        highest = f.size_of[1] = all[1][1] - all[0][1];
        memcpy(f.low_of, all[0], sizeof f.low_of);
    }
    f.scale = (view->column_width - 2 * MARGIN) / fmax(widest, 0.5 * highest);
    const double size[2] = {view->column_width - 2 * MARGIN, ceil(highest * f.scale)};
    const int rows = (shape_count + view->column_count - 1) / view->column_count;
    const int row_height = (int)size[1] + CAPTION + 2 * MARGIN;
    sn_svg svg;
    sn_result result = sn_svg_open(&svg, path, view->column_count * view->column_width, rows * row_height);
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < shape_count && result == SN_OK; ++i) {
        result = draw_shape(&svg, &f, &shapes[i], i % view->column_count * view->column_width + MARGIN,
                            i / view->column_count * row_height + MARGIN, size);
    }
    const sn_result closed = sn_svg_close(&svg);
    return result == SN_OK ? closed : result;
}
