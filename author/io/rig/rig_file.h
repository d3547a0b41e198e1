/* SPDX-License-Identifier: MIT */
/* Readers of the rig and clip JSON files of the fast-complementary-dynamics data (docs/formats.md has the schema). */
#ifndef SN_AUTHOR_IO_RIG_RIG_FILE_H
#define SN_AUTHOR_IO_RIG_RIG_FILE_H

#include "author/io/source.h"

/* Bones of a rig of handles. */
#define SN_RIG_HANDLE_LIMIT 1024

typedef enum sn_rig_handle_kind { SN_RIG_POINT, SN_RIG_BONE, SN_RIG_CAGE } sn_rig_handle_kind;

/* A point and a bone are one bone of the rig each, a cage is one for each of its vertices. */
typedef struct sn_rig_handle {
    sn_rig_handle_kind kind;
    const char *name;
    int first_bone;
    int point_count;   /* 1, 2 (head, tail), or a cage's vertices */
    double *points;    /* (point_count x 3) */
    double radius;     /* of a bone; 0: not said */
    int parent;        /* of a point or a bone: the bone that carries its first point, or -1 */
    bool is_stretched; /* coupled bodies may stretch it */
    int face_count, edge_count;
    int32_t *face_starts;  /* (face_count + 1) */
    int32_t *face_corners; /* (face_starts[face_count]) a cage's faces, its own vertices; closed, turned alike */
    int32_t *edges;        /* (edge_count x 2) of a cage that is a loop */
} sn_rig_handle;

typedef struct sn_rig_handles {
    int count;
    sn_rig_handle *handles; /* (count) */
    int bone_count;
    const char **bone_names; /* (bone_count) all different: the handle's, or "NAME.3" of a cage's vertex */
} sn_rig_handles;

typedef struct sn_rig_file {
    sn_rig_handles handles; /* count > 0: of what stands below there are weights at most, (vertex_count x bone_count) */
    const char *weights_path; /* of a rig of handles whose weights are in an array beside it, or null */
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
 * vertex whose weights are all zero, a face index out of range, a cycle of parents, a singular bind transform; of
 * handles: an unknown member, a name that is missing or given twice, a handle of no kind or of two, a cage that is not
 * closed or has a vertex that nothing uses. */
sn_result sn_rig_read(const sn_source *source, sn_arena *arena, sn_rig_file *rig);
/* Handles alone, without parents below themselves. The graph format of handles and edges: a loop is a cage, what else
 * has an edge is a bone, what has none a point. */
sn_result sn_tgf_read(const sn_source *source, sn_arena *arena, sn_rig_handles *handles);
/* A skeleton of Animated Drawings, in pixels of its picture, y down: a joint is a bone to its first child, or, at the
 * end of a limb, a point. Joints at the place of their parent are one with it. */
sn_result sn_char_cfg_read(const sn_source *source, sn_arena *arena, sn_rig_handles *handles);

/* SN_ERROR_FORMAT, with "PLACE[vertex]", where a weight is negative or no number, or a row's sum not positive. */
sn_result sn_rig_weights_check(const char *place, int vertex_count, int bone_count, const double *weights);
/* A clip for a rig of bone_count bones; a clip with another number of bones is an error. */
sn_result sn_clip_read(const sn_source *source, int bone_count, sn_arena *arena, sn_clip_file *clip);

#endif
