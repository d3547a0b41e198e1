/* SPDX-License-Identifier: MIT */
/* Pictures made of pixels, side by side with their captions: an SVG that holds them as PNG. */
#ifndef SN_RESEARCH_FIGURES_PICTURES_H
#define SN_RESEARCH_FIGURES_PICTURES_H

#include "research/figures/drawing.h"

typedef struct sn_picture {
    char caption[48];
    uint8_t *pixels; /* (height x width x 4) sRGB, rows from the top */
    int width, height;
} sn_picture;

/* All of one size, row by row. */
sn_result sn_pictures_write(const char *path, const sn_picture *pictures, int picture_count, int column_count);

/* What is drawn of a mesh about the origin: its surface, coloured by vertex or by triangle, and smooth. */
typedef struct sn_raster_desc {
    const double *positions;  /* (vertex_count x 3) */
    const int32_t *triangles; /* (triangle_count x 3), outwards */
    int vertex_count, triangle_count;
    const double *values;  /* (vertex_count) -1 .. 1: blue, white, orange; or null: */
    const int32_t *groups; /* (triangle_count) of one colour each; or null: grey */
    const double *lines;   /* (line_count x 2 x 3) from end to end, drawn dark where they are not hidden; or null */
    int line_count;
    double yaw, pitch; /* as of sn_drawn_view */
    double radius;     /* of what is seen around the origin, upwards */
    int width, height;
} sn_raster_desc;

/* Pixels in the arena. */
sn_result sn_raster_draw(const sn_raster_desc *desc, sn_arena *arena, sn_picture *picture);

#endif
