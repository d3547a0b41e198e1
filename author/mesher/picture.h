/* SPDX-License-Identifier: MIT */
/* A picture to triangles: an uncut lattice of equilateral triangles over the opaque pixels. Where a thin gap parts what
 * lies in one cell there is a copy of the cell for each part, joined to its neighbours where pixels touch: so limbs
 * that only come near each other stay apart. Nothing is cut; what a copy draws are its own pixels. */
#ifndef SN_AUTHOR_MESHER_PICTURE_H
#define SN_AUTHOR_MESHER_PICTURE_H

#include "host/base/arena.h"

#define SN_PICTURE_SIDE_LIMIT 16384
#define SN_PICTURE_VERTEX_LIMIT 200000

typedef struct sn_picture_input {
    const char *name; /* for messages */
    int width, height;
    const uint8_t *pixels;   /* (height x width x 4) RGBA, rows from the top; alpha says what is there */
    int target_vertex_count; /* about; 0: 1500 */
} sn_picture_input;

/* Pixels first .. last of a row. */
typedef struct sn_picture_segment {
    int32_t row, first, last;
} sn_picture_segment;

typedef struct sn_picture_mesh {
    int vertex_count, triangle_count;
    double *positions;  /* (vertex_count x 2) in pixels, x right, y down from the top left corner */
    int32_t *triangles; /* (triangle_count x 3) clockwise in these axes: counter-clockwise with y up. An edge has more
                           than two where a gap begins */
    double *fill;       /* (triangle_count) the share of its area that is opaque, 0 .. 1 */
    int32_t *cells;     /* (triangle_count) ascending; equal ones are copies, at one place */
    int32_t *segment_starts;      /* (triangle_count + 1) */
    sn_picture_segment *segments; /* its own pixels, by row, then from the left */
    double cell_size;             /* of an edge, in pixels */
    int island_count;             /* connected pieces of the picture */
    int piece_count;              /* of them, after what is near has been joined */
    bool is_full;                 /* every pixel is opaque */
} sn_picture_mesh;

/* Pixels touch at edges and corners. Islands of the picture become one where they share a cell, and otherwise by a
 * strip of cells between them, which draws nothing, unless they are farther apart than a quarter of the diagonal.
 * Everything lives in the arena. Same input, same output. Errors: SN_ERROR_FORMAT (no opaque pixel),
 * SN_ERROR_UNSUPPORTED (a limit above), SN_ERROR_MEMORY. */
sn_result sn_picture_mesh_build(const sn_picture_input *input, sn_arena *arena, sn_picture_mesh *mesh);

#endif
