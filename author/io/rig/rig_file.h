/* SPDX-License-Identifier: MIT */
/* Reads rig and clip JSON files of fast-complementary-dynamics, and rigs of handles. The schema is in
 * docs/reference/file-formats.md.
 */
#ifndef SN_AUTHOR_IO_RIG_RIG_FILE_H
#define SN_AUTHOR_IO_RIG_RIG_FILE_H

#include "author/io/source.h"

/* Max. number of bones of a rig of handles. */
#define SN_RIG_HANDLE_LIMIT 1024

typedef enum sn_rig_handle_type { SN_RIG_POINT, SN_RIG_BONE, SN_RIG_CAGE } sn_rig_handle_type;

/* A point or bone handle is one bone of the rig; a cage is one bone per vertex. */
typedef struct sn_rig_handle {
    sn_rig_handle_type type;
    const char *name;
    int first_bone;
    int point_count;     /* 1, 2 (head, tail), or the number of cage vertices */
    double *points;      /* (point_count x 3) */
    double radius;       /* of a bone; 0: not set */
    int parent;          /* of a point or bone: the bone that its first point is attached to, or -1 */
    bool is_stretchable; /* coupled bodies may stretch it */
    int face_count, edge_count;
    int32_t *face_starts;  /* (face_count + 1) */
    int32_t *face_corners; /* (face_starts[face_count]) vertices of a cage's faces; closed, consistently oriented */
    int32_t *edges;        /* (edge_count x 2) of a cage that is a closed loop */
} sn_rig_handle;

typedef struct sn_rig_handles {
    int count;
    sn_rig_handle *handles; /* (count) */
    int bone_count;
    const char **bone_names; /* (bone_count) unique: the handle's name, or "NAME.3" for a cage vertex */
} sn_rig_handles;

typedef struct sn_rig_file {
    sn_rig_handles handles;   /* if not empty, only `weights` (vertex_count x bone_count) may be set below */
    const char *weights_path; /* path of an array with the weights of a rig of handles, or null */
    bool is_volume;           /* "volume": V has the tet vertices in order; "surface": V is matched by position */
    int vertex_count;
    int face_count;
    int corner_count; /* corners of a face: 3 or 4 */
    int bone_count;
    double *positions; /* (vertex_count x 3) */
    int32_t *faces;    /* (face_count x corner_count) */
    double *weights;   /* (vertex_count x bone_count) as in the file: >= 0, positive row sums */
    int32_t *parents;  /* (bone_count), -1: root; an out-of-range parent becomes a root, with a warning */
    double *bind;      /* (bone_count x 3 x 4), row-major rest world transforms (transposed for volume files) */
} sn_rig_file;

typedef struct sn_clip_file {
    int frame_count;
    int bone_count;
    double *transforms; /* (frame_count x bone_count x 3 x 4), row-major absolute world transforms */
} sn_clip_file;

/* Errors: not JSON, a missing or mistyped member, rows of unequal length, a number that is not finite, a negative
 * weight, a vertex with only zero weights, a face index out of range, a cycle of parents, a singular bind transform.
 * For handles: an unknown member, a missing or duplicate name, a handle with no or two types, a cage that is not closed
 * or has an unused vertex. */
sn_result sn_rig_read(const sn_source *source, sn_arena *arena, sn_rig_file *rig);
/* Reads handles without parents from a graph of nodes and edges (.tgf): a closed loop becomes a cage, any other edge a
 * bone, an isolated node a point. */
sn_result sn_tgf_read(const sn_source *source, sn_arena *arena, sn_rig_handles *handles);
/* Reads a skeleton of Animated Drawings, in pixels of its picture, y down. A joint becomes a bone to its first child
 * or, at the end of a limb, a point. Joints at the position of their parent are merged with it. */
sn_result sn_char_cfg_read(const sn_source *source, sn_arena *arena, sn_rig_handles *handles);

/* Returns SN_ERROR_FORMAT, with a message that begins with "PLACE[vertex]", if a weight is negative or not a number, or
 * the sum of a row is not positive. */
sn_result sn_rig_weights_check(const char *path, int vertex_count, int bone_count, const double *weights);
/* Reads a clip for a rig of bone_count bones; fails if the clip has another number of bones. */
sn_result sn_clip_read(const sn_source *source, int bone_count, sn_arena *arena, sn_clip_file *clip);

#endif
