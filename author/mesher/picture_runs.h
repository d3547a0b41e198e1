/* SPDX-License-Identifier: MIT */
/* The opaque pixels of a picture as runs of rows, with the islands that they make. */
#ifndef SN_AUTHOR_MESHER_PICTURE_RUNS_H
#define SN_AUTHOR_MESHER_PICTURE_RUNS_H

#include "author/mesher/picture.h"

typedef struct sn_picture_runs {
    int row_count, count;
    int32_t *starts;          /* (row_count + 1) */
    sn_picture_segment *runs; /* (count) */
    int32_t *islands;         /* (count) of the picture itself; -1: a bridge alone */
    int64_t pixel_count;
    int32_t low[2], high[2]; /* of the opaque pixels: first and last column and row */
    int island_count, piece_count;
} sn_picture_runs;

sn_result sn_picture_runs_build(const sn_picture_input *input, sn_arena *arena, sn_picture_runs *runs);

#endif
