/* SPDX-License-Identifier: MIT */
#include "scenes/shapes/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE_SIZE 512 /* pixels along the longer side */

void sn_shape_mesh_finish(sn_shape_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->triangles);
    free(mesh->tets);
    *mesh = (sn_shape_mesh){0};
}

sn_result sn_shape_build(const sn_scene_shape *shape, sn_shape_mesh *mesh, const char **message)
{
    *mesh = (sn_shape_mesh){0};
    if (shape->type == SN_SHAPE_BOX) {
        return sn_shape_build_box(shape, mesh, message);
    }
    sn_shape_field field;
    const bool is_flat = shape->type == SN_SHAPE_OUTLINE || shape->is_flat;
    sn_result result = sn_shape_field_init(shape, &field);
    if (result == SN_OK) {
        result = (is_flat ? sn_shape_build_flat : sn_shape_build_solid)(&field, mesh, message);
    }
    if (result == SN_OK && mesh->triangle_count == 0) {
        *message = "the shape is empty, or its edge length is too large";
        result = SN_ERROR_ARGUMENT;
    }
    sn_shape_field_finish(&field);
    return result;
}

/* ---- texture ---- */

static void measure(const sn_shape_mesh *mesh, bool is_from_x, double low[2], double high[2])
{
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int d = 0; d < 2; ++d) {
            const double x = mesh->positions[3 * (size_t)v + (size_t)(d == 0 && is_from_x ? 2 : d)];
            low[d] = fmin(low[d], x);
            high[d] = fmax(high[d], x);
        }
    }
}

/* Coverage of a point by an ellipse, 0 to 1, with an edge one pixel wide. */
static double cover(const sn_scene_spot *spot, double x, double y, double pixel)
{
    const double u = (x - spot->center[0]) / spot->radius[0], v = (y - spot->center[1]) / spot->radius[1];
    const double outside = (sqrt(u * u + v * v) - 1) * fmin(spot->radius[0], spot->radius[1]);
    return fmin(fmax(0.5 - outside / pixel, 0), 1);
}

static void paint_pixel(const sn_scene_paint *paint, double x, double y, double height, double pixel, uint8_t *to)
{
    const double upper = height * height * (3 - 2 * height);
    for (int c = 0; c < 3; ++c) {
        double color = (double)paint->bottom[c] + upper * (double)(paint->top[c] - paint->bottom[c]);
        for (int i = 0; i < paint->spot_count; ++i) {
            color += cover(&paint->spots[i], x, y, pixel) * ((double)paint->spots[i].color[c] - color);
        }
        to[c] = (uint8_t)lrint(255 * fmin(fmax(color, 0), 1));
    }
    to[3] = 255;
}

static bool is_painted(const sn_scene_paint *paint)
{
    float sum = 0;
    for (int c = 0; c < 3; ++c) {
        sum += paint->top[c] + paint->bottom[c];
    }
    return sum > 0;
}

sn_result sn_shape_paint(const sn_scene_paint *paint, const sn_shape_mesh *mesh, sn_shape_texture *picture)
{
    double low[2], high[2];
    *picture = (sn_shape_texture){0};
    if (!is_painted(paint)) {
        return SN_OK;
    }
    measure(mesh, paint->is_from_x, low, high);
    const double size = fmax(high[0] - low[0], high[1] - low[1]), pixel = size / (PICTURE_SIZE - 2);
    picture->width = (int)ceil((high[0] - low[0]) / pixel) + 2;
    picture->height = (int)ceil((high[1] - low[1]) / pixel) + 2;
    picture->pixels = malloc((size_t)picture->width * (size_t)picture->height * 4);
    picture->uvs = calloc((size_t)mesh->vertex_count, 2 * sizeof(double));
    if (!picture->pixels || !picture->uvs) {
        sn_shape_texture_finish(picture);
        return SN_ERROR_MEMORY;
    }
    for (int row = 0; row < picture->height; ++row) {
        for (int column = 0; column < picture->width; ++column) {
            const double x = low[0] + (column - 0.5) * pixel, y = high[1] - (row - 0.5) * pixel;
            const double height = fmin(fmax((y - low[1]) / (high[1] - low[1]), 0), 1);
            paint_pixel(paint, x, y, height, pixel,
                        picture->pixels + 4 * ((size_t)row * (size_t)picture->width + (size_t)column));
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *at = mesh->positions + 3 * (size_t)v;
        picture->uvs[2 * v] = ((at[paint->is_from_x ? 2 : 0] - low[0]) / pixel + 1) / picture->width;
        picture->uvs[2 * v + 1] = ((high[1] - at[1]) / pixel + 1) / picture->height;
    }
    return SN_OK;
}

void sn_shape_texture_finish(sn_shape_texture *picture)
{
    free(picture->pixels);
    free(picture->uvs);
    *picture = (sn_shape_texture){0};
}
