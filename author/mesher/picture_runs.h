/* SPDX-License-Identifier: MIT */
/* The opaque pixels of a picture as runs of rows, with their islands (connected components). */
#ifndef SN_AUTHOR_MESHER_PICTURE_RUNS_H
#define SN_AUTHOR_MESHER_PICTURE_RUNS_H

#include "author/mesher/picture.h"

typedef struct sn_picture_runs {
    const char *name; /* for messages */
    int row_count, count;
    int32_t *starts;          /* (row_count + 1) */
    sn_picture_segment *runs; /* (count) */
    int32_t *islands;         /* (count) island of the picture; -1: only a bridge between islands */
    int64_t pixel_count;
    int32_t low[2], high[2]; /* first and last column and row of the opaque pixels */
    int island_count, piece_count;
} sn_picture_runs;

sn_result sn_picture_runs_build(const sn_picture_input *input, sn_arena *arena, sn_picture_runs *runs);

#endif
