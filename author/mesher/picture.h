/* SPDX-License-Identifier: MIT */
/* Meshes a picture with triangles: an uncut lattice of equilateral triangles over the opaque pixels. Where a thin gap
 * separates the pixels of a cell, each part gets its own copy of the cell, which is connected to its neighbours where
 * pixels touch. So limbs that only come near each other stay separate. A copy draws only its own pixels. */
#ifndef SN_AUTHOR_MESHER_PICTURE_H
#define SN_AUTHOR_MESHER_PICTURE_H

#include "host/base/arena.h"

#define SN_PICTURE_SIDE_LIMIT 16384
#define SN_PICTURE_VERTEX_LIMIT 200000

typedef struct sn_picture_input {
    const char *name; /* for messages */
    int width, height;
    const uint8_t *pixels;   /* (height x width x 4) RGBA, rows from the top */
    int target_vertex_count; /* approximate vertex count; 0: 1500 */
} sn_picture_input;

/* Pixels `first` to `last` (inclusive) of a row. */
typedef struct sn_picture_segment {
    int32_t row, first, last;
} sn_picture_segment;

typedef struct sn_picture_mesh {
    int vertex_count, triangle_count;
    double *positions;  /* (vertex_count x 2) in pixels from the top left corner, x right, y down */
    int32_t *triangles; /* (triangle_count x 3) clockwise in these axes; an edge has more than two triangles where a gap
                           begins */
    double *fill;       /* (triangle_count) fraction of the area that is opaque, 0 to 1 */
    int32_t *cells;     /* (triangle_count) lattice cell, ascending; copies have the same cell */
    int32_t *segment_starts;      /* (triangle_count + 1) */
    sn_picture_segment *segments; /* pixels of each triangle, by row, then from the left */
    double cell_size;             /* edge length, in pixels */
    int island_count;             /* connected components of the picture */
    int piece_count;              /* components left after near islands are joined */
    bool is_full;                 /* every pixel is opaque */
} sn_picture_mesh;

/* Pixels are connected across edges and corners. Islands are joined if they share a cell, and otherwise by an invisible
 * strip of cells if their gap is at most 25% of the diagonal. All memory comes from the arena. Deterministic. Errors:
 * SN_ERROR_FORMAT (no opaque pixel), SN_ERROR_UNSUPPORTED (a limit above), SN_ERROR_MEMORY. */
sn_result sn_picture_mesh_build(const sn_picture_input *input, sn_arena *arena, sn_picture_mesh *mesh);

/* Returns whether a triangle's cell has several copies. */
bool sn_picture_is_shared(const sn_picture_mesh *mesh, int triangle);

#endif
