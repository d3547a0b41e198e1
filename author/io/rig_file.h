/* SPDX-License-Identifier: MIT */
/* Readers of the rig and clip JSON files of the fast-complementary-dynamics data (docs/formats.md has the schema). */
#ifndef SN_AUTHOR_IO_RIG_FILE_H
#define SN_AUTHOR_IO_RIG_FILE_H

#include "author/io/source.h"

typedef struct sn_rig_file {
    bool is_volume; /* "volume": V are the tet vertices in order; "surface": V are to be matched by position */
    int vertex_count;
    int face_count;
    int corner_count; /* of a face: 3 or 4 */
    int bone_count;
    double *positions; /* (vertex_count x 3) */
    int32_t *faces;    /* (face_count x corner_count) */
    double *weights;   /* (vertex_count x bone_count), as in the file: >= 0, rows of any positive sum */
    int32_t *parents;  /* (bone_count), -1 = root; an out-of-range parent becomes a root, with a warning */
    double *bind;      /* (bone_count x 3 x 4), row-major rest world transforms (volume files are transposed back) */
} sn_rig_file;

typedef struct sn_clip_file {
    int frame_count;
    int bone_count;
    double *transforms; /* (frame_count x bone_count x 3 x 4), row-major absolute world transforms */
} sn_clip_file;

/* Errors: not JSON, a missing or mistyped member, ragged rows, a number that is not finite, a negative weight, a
 * vertex whose weights are all zero, a face index out of range, a cycle of parents, a singular bind transform. */
sn_result sn_rig_read(const sn_source *source, sn_arena *arena, sn_rig_file *rig);
/* A clip for a rig of bone_count bones; a clip with another number of bones is an error. */
sn_result sn_clip_read(const sn_source *source, int bone_count, sn_arena *arena, sn_clip_file *clip);

#endif
