/* SPDX-License-Identifier: MIT */
/* Small meshes as SVG, shaded: several shapes side by side, at one scale. */
#ifndef SN_RESEARCH_FIGURES_DRAWING_H
#define SN_RESEARCH_FIGURES_DRAWING_H

#include "host/base/arena.h"

typedef struct sn_drawn_shape {
    const char *caption;
    const double *positions;  /* (vertices x 3) */
    const int32_t *triangles; /* (triangle_count x 3), outwards */
    int triangle_count;
    const double *values;   /* a vertex: 0 .. 1 from blue to orange; null: one colour */
    const int32_t *outline; /* (outline_count) loops of vertices, each ended by -1: drawn alone, filled; null: none */
    int outline_count;
    const double *marks;   /* (mark_count x 3) dots above all, null: none */
    const bool *is_filled; /* (mark_count) others are rings */
    int mark_count;
} sn_drawn_shape;

/* The camera, in radians: yaw about the y axis, then pitch; yaw 0 looks along -z. */
typedef struct sn_drawn_view {
    double yaw, pitch;
    int column_count, column_width; /* of shapes */
    bool is_place_shared;           /* shapes stand where they are, not each in the middle of its column */
} sn_drawn_view;

sn_result sn_drawing_write(const char *path, const sn_drawn_view *view, const sn_drawn_shape *shapes, int shape_count);

#endif
