/* SPDX-License-Identifier: MIT */
/* A painter for flat pictures. Shapes are smooth unions of strokes and ellipses, defined by distance functions (Quilez,
 * "2D distance functions"), so edges are antialiased and outlines are even at any size. */
#ifndef SN_AUTHOR_CHARACTERS_CANVAS_H
#define SN_AUTHOR_CHARACTERS_CANVAS_H

#include "author/io/image/png.h"

typedef struct sn_canvas_piece {
    double a[2], b[2]; /* a stroke from a to b, or an ellipse with center a and half axes b */
    double radii[2];   /* at a and b */
    bool is_ellipse;
    int part;               /* pieces of the same part are joined sharply, different parts blend smoothly */
    double low[2], high[2]; /* bounding box, computed when painted */
} sn_canvas_piece;

#define SN_CANVAS_PIECE_LIMIT 512

typedef struct sn_canvas {
    sn_image image;
    int piece_count, part;
    sn_canvas_piece pieces[SN_CANVAS_PIECE_LIMIT]; /* pieces of the current shape */
} sn_canvas;

/* Colours are 0xRRGGBB. */
typedef struct sn_canvas_style {
    unsigned top, bottom; /* vertical gradient of the fill */
    unsigned outline;
    double outline_width; /* in pixels, inside the shape; 0: none */
    double blend;         /* blend distance between parts, in pixels */
    double shade;         /* 0 to 1: darkening towards the lower edge */
    bool is_clipped;      /* paint only where the image is not transparent */
} sn_canvas_style;

/* Creates a transparent image; pixels come from the arena. */
sn_result sn_canvas_start(sn_arena *arena, int width, int height, sn_canvas *canvas);
void sn_canvas_stroke(sn_canvas *canvas, double ax, double ay, double radius_a, double bx, double by, double radius_b);
void sn_canvas_ellipse(sn_canvas *canvas, double x, double y, double half_width, double half_height);
/* Adds a smooth stroke along points (count x 3): x, y, radius (Catmull-Rom spline). */
void sn_canvas_curve(sn_canvas *canvas, const double *points, int count);
/* Paints the current shape and starts a new one. */
void sn_canvas_paint(sn_canvas *canvas, const sn_canvas_style *style);

#endif
