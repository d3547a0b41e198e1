/* SPDX-License-Identifier: MIT */
/* A small painter of flat pictures: shapes are smooth unions of strokes and ellipses, known by their distance (Quilez,
 * "2D distance functions"), so that edges are smooth and outlines even at any size. */
#ifndef SN_AUTHOR_CHARACTERS_CANVAS_H
#define SN_AUTHOR_CHARACTERS_CANVAS_H

#include "author/io/image/png.h"

typedef struct sn_canvas_piece {
    double a[2], b[2]; /* a stroke from a to b; of an ellipse a is the middle and b its half axes */
    double radii[2];   /* at a and b */
    bool is_ellipse;
    int part; /* pieces of one part, as of a curve, are together as they are; parts run together smoothly */
    double low[2], high[2]; /* its box, once it is painted */
} sn_canvas_piece;

#define SN_CANVAS_PIECE_LIMIT 512

typedef struct sn_canvas {
    sn_image image;
    int piece_count, part;
    sn_canvas_piece pieces[SN_CANVAS_PIECE_LIMIT]; /* of the shape at hand */
} sn_canvas;

/* Colours as 0xRRGGBB. */
typedef struct sn_canvas_style {
    unsigned top, bottom; /* of the fill, along the shape's height */
    unsigned outline;
    double outline_width; /* pixels, within the shape; 0: none */
    double blend;         /* pixels: how smoothly its parts run together */
    double shade;         /* 0 .. 1: darker towards the lower edge */
    bool is_clipped;      /* only where something is painted already */
} sn_canvas_style;

/* Clear; pixels come from the arena. */
sn_result sn_canvas_start(sn_arena *arena, int width, int height, sn_canvas *canvas);
void sn_canvas_stroke(sn_canvas *canvas, double ax, double ay, double radius_a, double bx, double by, double radius_b);
void sn_canvas_ellipse(sn_canvas *canvas, double x, double y, double half_width, double half_height);
/* A smooth stroke along points (count x 3): x, y, radius (Catmull and Rom). */
void sn_canvas_curve(sn_canvas *canvas, const double *points, int count);
/* Paints the shape, and begins another. */
void sn_canvas_paint(sn_canvas *canvas, const sn_canvas_style *style);

#endif
