/* SPDX-License-Identifier: MIT */
/* A character's surface to tets: an uncut body-centred cubic lattice with virtual nodes, for what avatars are: open,
 * of many overlapping shells, self-intersecting, thin, cut along texture seams. Every vertex of the surface lies in the
 * tet that holds its own triangle, so that parts that only touch in the bind pose stay apart, and parts that move
 * together are one. */
#ifndef SN_AUTHOR_MESHER_MESHER_H
#define SN_AUTHOR_MESHER_MESHER_H

#include "host/mesh/tet_mesh.h"

typedef struct sn_mesher_input {
    const char *name; /* for messages */
    int vertex_count, triangle_count;
    const double *positions;  /* (vertex_count x 3), bind pose */
    const int32_t *triangles; /* (triangle_count x 3) */
    /* skinning, for how far patches move apart; bone_count 0: nothing moves */
    int bone_count;
    const int32_t *influence_starts;  /* (vertex_count + 1) */
    const int32_t *influence_bones;   /* (influence_starts[vertex_count]) */
    const double *influence_weights;  /* the same; those of a vertex sum to 1 */
    const int32_t *bone_parents;      /* (bone_count), -1: a root */
    const double *bone_origins;       /* (bone_count x 3): joints in the bind pose */
    int pose_count;                   /* of the file's own clips; may be 0 */
    const double *poses;              /* (pose_count x bone_count x 12): world, relative to bind, row-major */
    int target_vertex_count;          /* of the tet mesh, about; 0: 10000 */
    bool (*is_cancelled)(void *user); /* or null */
    void *cancel_user;
} sn_mesher_input;

typedef struct sn_mesher_report {
    double cell_size;
    int component_count; /* face-connected: 1; soups of triangles with unrelated bones may keep a few, with a warning */
    int bridge_count;    /* virtual prisms that join what nothing else joins */
    int outside_count;   /* surface vertices outside their tet */
    double min_dihedral; /* degrees */
    int glued_count;   /* tets that hold patches whose path along surface and rig is more than ten times their distance
                          and whose bones are disjoint */
    int torn_count;    /* tets that hold far patches which test poses separate by more than 3 cells */
    int stretch_count; /* edges of the tet mesh that the rig alone stretches over 3 in test poses */
} sn_mesher_report;

typedef struct sn_mesher_output {
    sn_tet_mesh mesh;     /* no face has more than two tets */
    int32_t *vertex_tets; /* (vertex_count) the tet that a surface vertex is embedded in; 0 where no triangle uses it */
    double *vertex_weights;  /* (vertex_count x 4) its barycentric coordinates there. Vertices at one place, to the bit,
                                with like skinning weights have the same tet and weights */
    double *tet_fill;        /* (tet_count) the share of its volume that is inside the surface, with a floor */
    int32_t *node_triangles; /* (mesh.vertex_count) triangle of the nearest surface point among the node's own
                                fragments, -1: an interior node */
    double *node_barycentric; /* (mesh.vertex_count x 3) that point */
    sn_mesher_report report;
} sn_mesher_output;

/* Indices in range, coordinates and weights finite. Errors: SN_ERROR_FORMAT (no triangle with an area),
 * SN_ERROR_UNSUPPORTED (triangles that overlap millions of tets even of a coarse lattice), SN_ERROR_MEMORY,
 * SN_ERROR_CANCELLED. Same input, same output. */
sn_result sn_mesher_run(const sn_mesher_input *input, sn_arena *arena, sn_mesher_output *output);

#endif
